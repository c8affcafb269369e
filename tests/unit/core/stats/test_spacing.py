"""When the gate looks, worked out before any array is made: the same rounds as the looks themselves have."""

from __future__ import annotations

import pytest

from gatebot.core.looks import look_plan
from gatebot.core.stats.spacing import FULL_ROUNDS, LOOKS, look_rounds
from gatebot.model.config import Gate


def test_a_full_evaluation_looks_where_the_levels_were_worked_out_for() -> None:
    assert look_rounds(FULL_ROUNDS) == LOOKS


@pytest.mark.parametrize("rounds", [10, 11, 17, 40])
def test_the_looks_of_a_plan_lie_there(rounds: int) -> None:
    looks = look_plan(Gate(), rounds, sequential=True).looks
    assert tuple(look.rounds for look in looks) == look_rounds(rounds)
