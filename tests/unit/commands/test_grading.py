"""What is counted while trials pass by: usage, seconds, and a digest that no clock and no order moves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatebot.commands.grading import Tally, canonical, counted
from gatebot.model.trajectory import Usage
from gatebot.model.trial import MEASURED_FIELDS, Timing, Trial

TRIAL = Trial("a", "head", 1, seed=1, status="completed", answer="yes", usage=Usage(input_tokens=5))
MEASURED_OTHERWISE: dict[str, Trial] = {
    "timing": replace(TRIAL, timing=Timing(wall_s=9.0)),
    "usage.cost_usd": replace(TRIAL, usage=Usage(input_tokens=5, cost_usd=1.0)),
    "stderr_tail": replace(TRIAL, stderr_tail="pid 7"),
    "attempts": replace(TRIAL, attempts=3),
    "cached": replace(TRIAL, cached=True),
    "reused": replace(TRIAL, reused=True),
    "trace_url": replace(TRIAL, trace_url="http://x/1"),
}


def digest(*trials: Trial, grading: str = "g") -> str:
    tally = Tally(grading)
    for trial in trials:
        tally.take(counted(trial))
    return tally.result_digest()


@pytest.mark.parametrize("name", MEASURED_FIELDS)
def test_what_is_measured_is_no_part_of_the_result(name: str) -> None:
    other = MEASURED_OTHERWISE[name]
    assert other != TRIAL
    assert canonical(other) == canonical(TRIAL)


@pytest.mark.parametrize(
    "other",
    [
        replace(TRIAL, answer="no"),
        replace(TRIAL, slot=2),
        replace(TRIAL, side="base"),
        replace(TRIAL, status="timeout"),
        replace(TRIAL, state={"a": 1}),
        replace(TRIAL, usage=Usage(input_tokens=6)),
    ],
)
def test_what_an_agent_did_is(other: Trial) -> None:
    assert digest(other) != digest(TRIAL)


def test_the_digest_knows_no_order_but_knows_grading_and_repetition() -> None:
    other = replace(TRIAL, slot=2)
    assert digest(TRIAL, other) == digest(other, TRIAL)
    assert digest(TRIAL, grading="h") != digest(TRIAL)
    assert digest(TRIAL, TRIAL) != digest(TRIAL)


def test_usage_adds_up_and_the_unknown_stays_unknown() -> None:
    tally = Tally("g")
    for trial in (
        TRIAL,
        replace(TRIAL, usage=Usage()),
        replace(TRIAL, usage=Usage(input_tokens=2, cost_usd=0.5)),
    ):
        tally.take(counted(trial))
    tally.take(counted(replace(TRIAL, side="base", usage=Usage())))
    assert tally.usage == {"head": Usage(input_tokens=7, cost_usd=0.5), "base": Usage()}
    assert tally.wall_s is None
    tally.take(counted(replace(TRIAL, timing=Timing(wall_s=1.5))))
    assert tally.wall_s == pytest.approx(1.5)
