"""Every failing trial has a first divergence, also where its calls are the golden's or there is no golden."""

from __future__ import annotations

import pytest

from gatebot.model.score import Divergence
from gatebot.model.suite import Case
from gatebot.model.trial import Trial
from tests.unit.graders.trials import Written, call, case, golden, grade, trial

read = call("read", {"id": "A1"}, result="paid")
ANSWERED: Written = {"answer": {"contains": "refunded"}}


@pytest.mark.parametrize(
    ("made", "ran", "expected"),
    [
        (
            case({**ANSWERED, "trajectory": {"match": "strict"}}, golden(("read", {"id": "A1"}))),
            trial(read, answer="no"),
            (
                2,
                "unmet",
                'after step 1: answer.contains: expected the answer to contain "refunded", got "no"',
            ),
        ),
        (
            case(ANSWERED),
            trial(answer="no"),
            (
                1,
                "unmet",
                'without a call: answer.contains: expected the answer to contain "refunded", got "no"',
            ),
        ),
        (
            case({"require": ["read", "refund"]}),
            trial(read, answer="no"),
            (
                2,
                "missing",
                "step 2: expected `refund`, got nothing: required tool not called: refund; called: read",
            ),
        ),
        (
            case({"forbid": ["read"]}),
            trial(call("look"), read, answer="no"),
            (2, "extra", 'step 2: expected nothing, got `read(id="A1")`: '),
        ),
        (
            case({"outcome": "recorded"}),
            trial(read, answer="no"),
            (2, "unmet", "after step 1: outcome: the trial carries no recorded outcome"),
        ),
        (
            case(ANSWERED),
            trial(read, status="timeout", reason="no answer in 5 s"),
            (2, "unmet", "after step 1: timeout: no answer in 5 s"),
        ),
    ],
    ids=["the-goldens-calls", "no-call", "required", "forbidden", "not-checked", "broke-off"],
)
def test_what_no_golden_shows(made: Case, ran: Trial, expected: tuple[int, str, str]) -> None:
    graded = grade(made, ran)
    assert graded.passed is False
    found = graded.divergence
    assert isinstance(found, Divergence)
    assert (found.step, found.kind) == expected[:2]
    assert found.explanation.startswith(expected[2])


def test_a_trial_that_passes_has_none() -> None:
    assert grade(case(ANSWERED), trial(read, answer="refunded")).divergence is None


def test_the_failures_category_is_not_changed_by_it() -> None:
    graded = grade(
        case({**ANSWERED, "trajectory": {}}, golden(("read", {"id": "A1"}))), trial(read, answer="no")
    )
    assert (graded.failure, graded.failure_steps) == ("wrong_answer", ())
