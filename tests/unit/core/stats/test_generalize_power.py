"""Planning when cases are the sample."""

import math

import numpy as np
import pytest

from gatebot.core.stats.generalize_power import (
    between_variance,
    general_cases_needed,
    smallest_general_drop,
)
from gatebot.core.stats.power import Seeds, smallest_shift
from gatebot.core.stats.strata import strata_of


def test_without_spread_over_cases_both_scopes_see_the_same() -> None:
    assert smallest_general_drop(0.0, 0.1, 20, Seeds(5, 5)) == pytest.approx(
        smallest_shift(0.1, 20, Seeds(5, 5))
    )


def test_by_hand() -> None:
    drop = smallest_general_drop(0.02, 0.1, 25, Seeds(10, 5))
    assert drop == pytest.approx(2.48647 * math.sqrt((0.02 + 0.01 + 0.02) / 25), abs=1e-4)
    assert general_cases_needed(0.02, 0.1, Seeds(10, 5), drop + 1e-9) == 25


def test_the_spread_over_cases_is_freed_from_trial_noise() -> None:
    generator = np.random.Generator(np.random.PCG64(1))
    shifts = generator.normal(0, 2.0, 800)
    base = [generator.normal(0, 1, 4).tolist() for _ in shifts]
    head = [generator.normal(shift, 1, 4).tolist() for shift in shifts.tolist()]
    assert between_variance(strata_of(base, head)) == pytest.approx(4.0, rel=0.15)
    assert between_variance(strata_of([[0, 9], [5, 1]], [[4, 6], [2, 9]])) == 0.0
    with pytest.raises(ValueError, match="two cases"):
        between_variance(strata_of([[1, 2]], [[3, 4]]))
