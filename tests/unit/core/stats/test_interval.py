"""Intervals: known values, coverage of D, width where nothing varied, and agreement with the test."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gatebot.core.stats.interval import (
    NEXT_TO_ZERO,
    Beyond,
    Limits,
    agreeing_with,
    confidence_at,
    effect_interval,
    ratio_interval,
    score_interval,
    welch_interval,
)
from gatebot.core.stats.score import score_z
from gatebot.core.stats.strata import Strata, counts_of, effect, fractional_counts, strata_of
from tests.unit.core.stats.drawn import Case, as_strata, counted, counts_lists, strata_lists, unhurried

Z90 = 1.6448536269514722


@pytest.mark.parametrize(("cases", "trials"), [(10, 3), (1, 1), (500, 10)])
def test_all_pass_has_the_closed_form_of_the_rule_of_three(cases: int, trials: int) -> None:
    full = [(float(trials), float(trials))] * cases
    factor = Z90**2 * 2 * trials / (2 * trials - 1)
    limit = factor / (cases * trials + factor)
    assert score_interval(counts_of(full, full), 0.90) == pytest.approx((-limit, limit), abs=1e-12)


def test_the_textbook_example_of_two_rates() -> None:
    """48/80 and 56/70: limits .0528 and .3382, as printed for the score interval (Newcombe 1998, method 5 family)."""
    low, high = score_interval(counts_of([(48, 80)], [(56, 70)]), 0.95)
    assert (round(low, 4), round(high, 4)) == (0.0528, 0.3382)


@pytest.mark.parametrize(
    ("base", "head"), [((4, 5), (1, 5)), ((5, 5), (1, 5)), ((6, 10), (2, 10)), ((20, 50), (30, 50))]
)
def test_limits_are_where_the_score_test_turns(base: tuple[int, int], head: tuple[int, int]) -> None:
    """Also for tables on which another implementation breaks down."""
    counts = counts_of([base], [head])
    low, high = score_interval(counts, 0.90)
    assert score_z(counts, low) == pytest.approx(Z90, abs=1e-9)
    assert score_z(counts, high) == pytest.approx(-Z90, abs=1e-9)


@unhurried
@given(counts_lists(5, 6), st.sampled_from([0.5, 0.9, 0.986, 0.9936]))
def test_the_score_interval_holds_d_has_width_and_stays_inside(cases: list[Case], confidence: float) -> None:
    counts = counted(cases)
    low, high = score_interval(counts, confidence)
    assert -1.0 <= low <= counts.effect + 1e-12
    assert counts.effect - 1e-12 <= high <= 1.0
    assert high - low > 0.01


@settings(unhurried, max_examples=60)
@given(counts_lists(5, 6))
def test_no_difference_outside_the_limits_is_kept_and_the_limits_are(cases: list[Case]) -> None:
    counts = counted(cases)
    limits = score_interval(counts, 0.90)
    for difference in np.linspace(-0.99, 0.99, 67).tolist():
        if difference < limits[0] - 1e-9 or difference > limits[1] + 1e-9:
            assert abs(score_z(counts, difference)) > Z90
    for limit in limits:
        if abs(limit) < 1.0:
            assert abs(score_z(counts, limit)) == pytest.approx(Z90, abs=1e-6)


def test_a_gap_in_what_the_score_test_accepts_is_bridged() -> None:
    """Two tiny cases: a drop of .03 is refused, larger ones are not, because their variance is larger."""
    counts = counts_of([(0, 1), (0, 3)], [(0, 1), (3, 4)])
    assert score_z(counts, -0.03) > Z90 > score_z(counts, -0.12)
    assert score_interval(counts, 0.90)[0] < -0.18


@unhurried
@given(counts_lists(5, 6))
def test_swapping_the_sides_mirrors_the_limits_and_confidence_nests_them(cases: list[Case]) -> None:
    low, high = score_interval(counted(cases), 0.90)
    mirrored = score_interval(counted([(head, base) for base, head in cases]), 0.90)
    assert mirrored == pytest.approx((-high, -low), abs=1e-10)
    wide = score_interval(counted(cases), 0.99)
    assert wide[0] <= low + 1e-12
    assert high - 1e-12 <= wide[1]


def test_one_case_of_real_numbers_is_welchs_interval() -> None:
    base, head = [1.2, 0.7, 1.9, 1.4], [2.2, 1.7, 2.0]
    expected = stats.ttest_ind(head, base, equal_var=False).confidence_interval(0.90)
    assert welch_interval(strata_of([base], [head]), 0.90) == pytest.approx(
        (float(expected.low), float(expected.high))
    )


def test_two_equal_cases_by_hand() -> None:
    """Variance 1 on every side of two trials: four parts of 1/2, so 4 degrees and an error of sqrt(2)/2."""
    base, head = [0.0, math.sqrt(2)], [1.0, 1.0 + math.sqrt(2)]
    reach = float(stats.t.ppf(0.95, 4)) * math.sqrt(2) / 2
    limits = welch_interval(strata_of([base, base], [head, head]), 0.90)
    assert limits == pytest.approx((1 - reach, 1 + reach))


@unhurried
@given(strata_lists())
def test_the_t_interval_holds_d_and_has_width_unless_nothing_at_all_varies(strata: Strata) -> None:
    low, high = welch_interval(strata, 0.90)
    assert low <= effect(strata) <= high
    varies = any(np.ptp(np.concatenate(sides)) > 0 for sides in zip(strata.base, strata.head, strict=True))
    assert (high > low) == varies


def test_a_difference_without_noise_is_given_a_width_by_the_trials_taken_together() -> None:
    """Per case the values 0, 0, 1, 1: variance 1/3, times (1/2 + 1/2); 3 degrees each, 9 over three cases."""
    limits = welch_interval(strata_of([[5, 5]] * 3, [[6, 6]] * 3), 0.90)
    reach = float(stats.t.ppf(0.95, 9)) * math.sqrt(3 / 3) / 3
    assert limits == pytest.approx((1 - reach, 1 + reach))


@unhurried
@given(counts_lists())
def test_passes_get_the_score_interval(cases: list[Case]) -> None:
    assert effect_interval(as_strata(cases), 0.90) == score_interval(counted(cases), 0.90)


def test_constant_scores_on_the_unit_scale_are_read_as_fractions_of_passes() -> None:
    strata = strata_of([[0.5] * 3] * 4, [[0.75] * 3] * 4)
    limits = effect_interval(strata, 0.90)
    assert limits == score_interval(fractional_counts(strata), 0.90)
    assert limits[0] < 0.25 < limits[1]


def test_scores_on_the_unit_scale_are_cut_at_its_ends_and_others_are_not() -> None:
    strata = strata_of([[0.9, 0.0]], [[0.0, 0.95]])
    assert effect_interval(strata, 0.90) == (-1.0, 1.0)
    free = strata_of([[9.0, 0.0]], [[0.0, 9.5]])
    assert effect_interval(free, 0.90) == welch_interval(free, 0.90)


@pytest.mark.parametrize(
    ("limits", "told", "shown"),
    [
        ((-0.3, -0.1), "below", (-0.3, -0.1)),
        ((-0.3, -0.1), "neither", (-0.3, 0.0)),
        ((0.1, 0.3), "neither", (0.0, 0.3)),
        ((-0.1, 0.3), "neither", (-0.1, 0.3)),
        ((-0.3, 0.1), "below", (-0.3, -NEXT_TO_ZERO)),
        ((-0.1, 0.3), "above", (NEXT_TO_ZERO, 0.3)),
    ],
)
def test_an_interval_agrees_with_the_test(limits: Limits, told: Beyond, shown: Limits) -> None:
    assert agreeing_with(limits, told) == shown


def test_log_limits_become_ratios_and_a_level_its_confidence() -> None:
    assert ratio_interval((0.0, math.log(1.25))) == pytest.approx((1.0, 1.25))
    assert confidence_at(0.0127) == pytest.approx(0.9746)
    for level in (0.0, 0.5):
        with pytest.raises(ValueError, match="level"):
            confidence_at(level)


def test_a_confidence_beyond_the_open_unit_interval_is_refused() -> None:
    strata = strata_of([[1.0, 0.5]], [[1.0, 0.0]])
    for confidence in (0.0, 1.0):
        with pytest.raises(ValueError, match="confidence"):
            effect_interval(strata, confidence)


def test_coverage_of_the_score_interval_on_a_mature_suite() -> None:
    """Ten cases at rate .95, three trials a side, D = 0: nominal 90 %, and no interval of zero width."""
    generator = np.random.Generator(np.random.PCG64(2))
    held = 0
    for _ in range(300):
        base, head = generator.binomial(3, 0.95, size=(2, 10)).astype(float)
        low, high = score_interval(counts_of([(x, 3) for x in base], [(x, 3) for x in head]), 0.90)
        held += low <= 0.0 <= high
    assert held / 300 >= 0.87
