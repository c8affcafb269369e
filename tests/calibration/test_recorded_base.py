"""A base from recordings spares trials and convicts nobody, whatever the provider did meanwhile (statistics, item 15)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatebot.core.playing import Arms
from gatebot.core.stats.drawing import Difficulty, drawn_rates, generator_of
from tests.calibration.pull_requests import Tally, arms_of, tally

CASES = 20
RECORDED = 10
PULL_REQUESTS = 400


def _drifted(difficulty: Difficulty, drift: float, number: int) -> Arms:
    """The same agent on both sides; since the base was recorded, live runs lost this share of their successes."""
    generator = generator_of(number, round(100 * drift), len(difficulty))
    recorded = drawn_rates(difficulty, CASES, generator)
    live = recorded * (1.0 - drift)
    return arms_of(live, live, generator, recorded_rates=recorded, recorded=RECORDED)


def _trusting(arms: Arms) -> Arms:
    """The negative control: recordings taken for a base that was run."""
    assert arms.recorded is not None
    return replace(arms, base=arms.recorded, recorded=None)


def _tally(difficulty: Difficulty, drift: float, *, guarded: bool = True) -> Tally:
    pull_requests = (_drifted(difficulty, drift, number) for number in range(PULL_REQUESTS))
    return tally(pull_requests if guarded else map(_trusting, pull_requests))


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("difficulty", ["U", "mature"])
@pytest.mark.parametrize("drift", [0.05, 0.10, 0.20])
def test_a_provider_that_drifts_closes_no_gate(difficulty: Difficulty, drift: float) -> None:
    assert _tally(difficulty, drift).red <= 0.065


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_without_the_guard_it_would() -> None:
    assert _tally("U", 0.10, guarded=False).red > 0.10
    assert _tally("mature", 0.10, guarded=False).red > 0.30


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("difficulty", ["U", "mature"])
def test_an_unchanged_agent_costs_a_third_of_fixed_seeds(difficulty: Difficulty) -> None:
    cell = _tally(difficulty, 0.0)
    assert cell.runs <= 0.32
    assert cell.red <= 0.065
