"""grounded: the facts of an answer come from a tool result or from what the agent was told."""

from __future__ import annotations

import time

import pytest

from gatebot.graders.grounding import case_text, grounded
from gatebot.model.suite import Case
from tests.unit.graders.trials import call, steps_of


@pytest.mark.parametrize(
    ("answer", "result", "told", "share"),
    [
        ("Order ORD-123 ships.", "order ord-123", "", 1.0),
        ("Order ORD-123 ships.", "order ord-1234", "", 0.0),
        ("It costs $1,000.", '{"price": 1000}', "", 1.0),
        ("It costs $1,000.", '{"price": 100}', "", 0.0),
        ("It takes 15 minutes.", "", "within 15 minutes?", 1.0),
        ("See https://x.io/a?b=1.", "url: https://x.io/a?b=1", "", 1.0),
        ("See https://x.io/a and https://x.io/b.", "https://x.io/a", "", 0.5),
        ('It says "all good".', "status: ALL  GOOD", "", 1.0),
        ('It says "all good".', "status: bad", "", 0.0),
        ("There are 2 options.", "", "", None),
        ("Nothing to check here.", "", "", None),
        ("A fee of 5%.", "nothing", "", 0.0),
        ("It is 12.", "9912 and 1299", "", 0.0),
        ("Arrives on the 3rd at 10am.", "", "", 0.0),
    ],
)
def test_grounded(answer: str, result: str, told: str, share: float | None) -> None:
    score = grounded(told, steps_of(call("t", result=result)), answer)
    assert score.value == share
    assert score.by_design is (share is None)


def test_facts_without_recorded_results_are_ungraded_as_missing_evidence() -> None:
    score = grounded("", steps_of(call("t")), "Order ORD-123.")
    assert (score.value, score.by_design) == (None, False)
    assert score.reason == 'not every tool result was recorded, so "ord-123" may come from one'


def test_the_reason_names_what_came_from_nowhere() -> None:
    score = grounded("", steps_of(call("t", result="ORD-1")), "ORD-1 costs $77 at https://evil.io/x")
    assert score.value == pytest.approx(1 / 3)
    assert score.reason == (
        'expected in a tool result or the input, got only in the answer: "https://evil.io/x", "77"'
    )


def test_what_the_agent_is_told_counts() -> None:
    told = case_text(Case("c", "c.yaml", ("order A-77?",), context={"user": "U-5"}))
    assert grounded(told, steps_of(), "A-77 of U-5").value == 1.0


@pytest.mark.parametrize(
    "text", ["a1-" * 100_000, '"' * 100_000, "https://" * 30_000, "1," * 100_000, "9a" * 100_000]
)
def test_hostile_answers_take_no_time(text: str) -> None:
    begun = time.process_time()
    grounded("", steps_of(call("t", result="x" * 100_000)), text)
    assert time.process_time() - begun < 4
