"""F30: killed at forty random moments, by the same script as in bench/, with fewer kills."""

from __future__ import annotations

import random

import pytest

from bench.kill9 import kill_and_go_on

KILLS = 40


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_at_random_moments_nothing_is_paid_for_twice_and_the_result_is_the_same() -> None:
    outcome = kill_and_go_on(KILLS, random.Random(7))
    assert outcome.kills == KILLS
    assert (outcome.twice, outcome.different) == (0, 0)
    assert outcome.trials >= 36
