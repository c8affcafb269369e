"""Levels of looks: the shipped table against the recursion, the recursion against other integrals."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from gatebot.core.stats.sequential import (
    FUTILITY,
    course,
    information_fractions,
    look_levels,
    nominal_levels,
    quadratic_spending,
)
from gatebot.core.stats.spacing import LOOKS
from tests.unit.core.stats.spending import obrien_fleming_spending

FRESH = information_fractions(LOOKS, LOOKS)
CACHED = information_fractions([10] * 4, LOOKS)


def test_information_grows_with_the_smaller_side() -> None:
    assert pytest.approx((0.3, 0.5, 0.7, 1.0)) == FRESH
    assert pytest.approx((6 / 13, 2 / 3, 14 / 17, 1.0)) == CACHED
    with pytest.raises(ValueError, match="more information"):
        information_fractions([3, 3], [3, 3])


@pytest.mark.parametrize("fractions", [FRESH, CACHED], ids=["fresh", "cached"])
def test_the_shipped_levels_are_the_recursions_to_their_digits(fractions: tuple[float, ...]) -> None:
    computed = nominal_levels(fractions, quadratic_spending(0.035))
    assert look_levels(fractions) == pytest.approx(computed, abs=0.00006)


def test_other_looks_and_other_alphas_are_computed() -> None:
    fractions = information_fractions((3, 6), (3, 6))
    assert look_levels(fractions, 0.05) == nominal_levels(fractions, quadratic_spending(0.05))
    assert look_levels((1.0,), 0.035)[0] == pytest.approx(0.035, abs=1e-12)
    assert look_levels(FRESH, 0.05)[0] == pytest.approx(0.05 * 0.09, abs=1e-12)


def test_two_looks_against_a_double_integral() -> None:
    """P(not crossing) = integral over z1 < c1 of phi(z1) * Phi((c2 - z1*sqrt(t)) / sqrt(1-t)) = 1 - alpha."""
    t, alpha = 0.4, 0.05
    first, second = (
        float(stats.norm.isf(level)) for level in nominal_levels((t, 1.0), quadratic_spending(alpha))
    )

    def inside(z: float) -> float:
        return float(stats.norm.pdf(z) * stats.norm.cdf((second - z * math.sqrt(t)) / math.sqrt(1 - t)))

    assert 1 - float(integrate.quad(inside, -12, first)[0]) == pytest.approx(alpha, abs=1e-9)


def test_classical_boundaries_of_obrien_and_fleming_type() -> None:
    """Five equal looks, one-sided .025: the published z values of Lan and DeMets."""
    levels = nominal_levels((0.2, 0.4, 0.6, 0.8, 1.0), obrien_fleming_spending(0.025))
    assert [round(float(stats.norm.isf(p)), 2) for p in levels] == [4.88, 3.36, 2.68, 2.29, 2.03]


def test_levels_grow_and_stay_between_what_is_spent_and_alpha() -> None:
    """What each look spends, by itself, holds whatever the looks' dependence; knowing it can only add to that."""
    spend = quadratic_spending(0.035)
    levels = nominal_levels(FRESH, spend)
    spent = [after - before for before, after in pairwise([0.0, *map(spend, FRESH)])]
    assert list(levels) == sorted(levels)
    assert all(a <= b + 1e-12 <= 0.035 + 1e-9 for a, b in zip(spent, levels, strict=True))


@pytest.mark.parametrize("fractions", [(), (0.5, 0.5), (0.7, 0.3), (0.0, 1.0), (0.5, 1.5)])
def test_fractions_that_do_not_ascend_are_refused(fractions: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="ascend"):
        nominal_levels(fractions, quadratic_spending(0.05))


def test_the_whole_course_spends_alpha_and_less_with_futility() -> None:
    levels = nominal_levels(FRESH, quadratic_spending(0.035))
    assert math.fsum(course(FRESH, levels, ()).rejected) == pytest.approx(0.035, abs=1e-9)
    stopped = course(FRESH, levels, FUTILITY)
    assert stopped.futile[0] == pytest.approx(0.5)
    assert math.fsum(stopped.rejected) < 0.035


@pytest.mark.parametrize("drift", [0.0, 1.5, 3.0])
def test_the_course_agrees_with_simulated_paths(drift: float) -> None:
    levels, draws = look_levels(FRESH), 40_000
    generator = np.random.Generator(np.random.PCG64(4))
    steps = np.diff(np.array([0.0, *FRESH]))
    paths = np.cumsum(generator.normal(drift * steps, np.sqrt(steps), size=(draws, 4)), axis=1)
    p = stats.norm.sf(paths / np.sqrt(np.array(FRESH)))
    running = np.ones(draws, dtype=bool)
    found = course(FRESH, levels, FUTILITY, drift)
    for look in range(4):
        red = running & (p[:, look] <= levels[look])
        futile = running & (p[:, look] > (*FUTILITY, 2.0)[look])
        for share, expected in ((red, found.rejected[look]), (futile, found.futile[look])):
            assert float(share.mean()) == pytest.approx(expected, abs=4.5 * math.sqrt(0.25 / draws))
        running &= ~(red | futile)


def test_expected_cost_weighs_the_looks_and_stops_early_if_nothing_changed() -> None:
    found = course(FRESH, look_levels(FRESH), FUTILITY)
    cost = found.expected([0.3, 0.5, 0.7, 1.0])
    assert 0.45 < cost < 0.6
    assert course(FRESH, look_levels(FRESH), (), 0.0).expected([0.3, 0.5, 0.7, 1.0]) > 0.98
    assert course(FRESH, look_levels(FRESH), FUTILITY, 8.0).expected([0.3, 0.5, 0.7, 1.0]) < 0.4
