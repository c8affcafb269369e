"""Accepted cases are judged against another commit than the rest, and still it is one promise: one alpha in all."""

from __future__ import annotations

import pytest

from gatebot.core.accepted import alpha_shares
from gatebot.core.playing import Arm, Arms
from gatebot.core.stats.drawing import Difficulty
from gatebot.model.config import Gate
from tests.calibration.pull_requests import GATE, gated, pull_request

PULL_REQUESTS = 1_000


def _part(arms: Arms, cases: slice) -> Arms:
    def of(arm: Arm) -> Arm:
        assert arm.fresh is not None
        return Arm({name: values[cases] for name, values in arm.values.items()}, arm.fresh[cases])

    return Arms(of(arms.base), of(arms.head))


def _reds(difficulty: Difficulty, accepted: int, *, shared: bool) -> float:
    """How often an unchanged pull request of 20 cases is red, of which so many have been accepted before."""
    counts = (20 - accepted, accepted)
    shares = alpha_shares(counts) if shared else (1.0, 1.0)
    gates: list[Gate] = [GATE.model_copy(update={"alpha": GATE.alpha * share}) for share in shares]
    places = (slice(None, counts[0]), slice(counts[0], None))
    red = 0
    for number in range(PULL_REQUESTS):
        arms = pull_request(20, difficulty, number)
        red += any(gated(_part(arms, place), gate).red for place, gate in zip(places, gates, strict=True))
    return red / PULL_REQUESTS


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("difficulty", ["U", "mature"])
@pytest.mark.parametrize("accepted", [1, 8])
def test_a_pull_request_with_accepted_cases_keeps_the_promise(difficulty: Difficulty, accepted: int) -> None:
    assert _reds(difficulty, accepted, shared=True) <= 0.05


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_evaluations_at_the_whole_alpha_would_cry_wolf_more_often() -> None:
    assert _reds("U", 8, shared=False) > 1.3 * _reds("U", 8, shared=True)
