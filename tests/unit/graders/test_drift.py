"""Drift from the golden and latency per tool: what they say, and their edges."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatebot.graders.efficiency import tool_latency
from gatebot.model.metric import MEASURED_METRICS, METRICS
from gatebot.model.trajectory import ToolCall
from tests.unit.graders.trials import call, case, golden, grade, steps_of, trial, value

MADE = case({}, golden("a", "b", "c", "d"), answer="The refund is on its way.")
SAME = [call(name) for name in "abcd"]


@pytest.mark.parametrize(
    ("calls", "answer", "drift", "reason"),
    [
        (SAME, "The refund is on its way.", 0.0, ""),
        (SAME[:3], "The refund is on its way.", 1 / 12, "expected 4 calls, got 3"),
        ([*SAME[:2], call("x"), call("y")], "the refund is on its way", 1 / 3, "expected first a, b, c, got a, b, x"),
        ([], None, 1.0, "expected 4 calls, got 0; expected first a, b, c, got no call; answer similarity 0.00"),
    ],
)  # fmt: skip
def test_drift(calls: list[ToolCall], answer: str | None, drift: float, reason: str) -> None:
    score = grade(MADE, trial(*calls, answer=answer)).scores["golden_drift"]
    assert score.value == pytest.approx(drift, abs=0.01)
    assert score.reason.startswith(reason)


def test_guards_hold_for_the_answer_too() -> None:
    made = case({"require": ["a"]}, answer="You get $30 back.")
    assert value(grade(made, trial(call("a"), answer="You get $300 back.")), "golden_drift") == 1.0
    assert value(grade(made, trial(call("a"), answer="You get $30 back.")), "golden_drift") == 0.0


def test_drift_decides_nothing_and_needs_a_golden() -> None:
    assert grade(MADE, trial(*SAME, call("x"), answer="other")).passed is True
    assert "golden_drift" not in grade(case({"require": ["a"]}), trial(call("a"))).scores
    assert value(grade(MADE, trial(status="timeout")), "golden_drift") is None
    assert METRICS["golden_drift"].direction == "lower"


def timed(name: str, start: float | None, end: float | None) -> ToolCall:
    return replace(call(name), started_at=start, ended_at=end)


def test_latency_per_tool_slowest_first() -> None:
    calls = [timed("a", 10.0, 10.5), timed("b", 20.0, 22.0), timed("a", 30.0, 31.5), timed("c", None, 5.0)]
    score = tool_latency(steps_of(*calls))
    assert (score.value, score.reason) == (pytest.approx(4 / 3), "b 2 s × 1, a 1 s × 2")
    assert value(grade(case({"require": ["a"]}), trial(*calls)), "tool_latency_s") == pytest.approx(4 / 3)
    assert "tool_latency_s" in MEASURED_METRICS


@pytest.mark.parametrize("times", [(None, None), (5.0, 4.0), (0.0, float("inf")), (float("nan"), 1.0)])
def test_latency_nobody_tells_is_ungraded(times: tuple[float | None, float | None]) -> None:
    score = tool_latency(steps_of(timed("a", *times)))
    assert (score.value, score.by_design) == (None, True)
