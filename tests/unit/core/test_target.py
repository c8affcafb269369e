"""Targets: judged where one is set; nobody is asked for values where none is."""

from __future__ import annotations

import pytest

from gatebot.core.target import Arm, judge_target
from gatebot.model.config import MetricGate
from gatebot.model.metric import METRICS

PASS_RATE = METRICS["pass_rate"]


def unasked() -> Arm:
    raise AssertionError("there is no target to hold this against")


def of(rate: float, cases: int = 20) -> Arm:
    """Cases of five trials each, of which so many cases always pass and the others never."""
    passing = round(rate * cases)
    return ((1.0,) * 5,) * passing + ((0.0,) * 5,) * (cases - passing)


def test_without_a_target_no_values_are_looked_up() -> None:
    assert judge_target(PASS_RATE, MetricGate(), unasked, unasked) is None


@pytest.mark.parametrize(
    ("rate", "verdict"), [(1.0, "met"), (0.8, "met"), (0.75, "below"), (0.3, "missed")], ids=str
)
def test_the_head_is_held_against_the_target(rate: float, verdict: str) -> None:
    found = judge_target(PASS_RATE, MetricGate(target=0.8), lambda: of(rate))
    assert found is not None
    assert found.verdict == verdict
    assert not found.inherited


def test_a_target_that_the_base_misses_too_is_inherited() -> None:
    found = judge_target(PASS_RATE, MetricGate(target=0.8), lambda: of(0.3), lambda: of(0.2))
    assert found is not None
    assert found.inherited


def test_without_graded_trials_it_is_not_evaluated() -> None:
    found = judge_target(PASS_RATE, MetricGate(target=0.8), tuple)
    assert found is not None
    assert found.verdict == "not_evaluated"
