"""Intervals of one side alone."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gatebot.core.stats.strata import FloatArray
from gatebot.core.stats.targets import (
    arm_rate,
    arm_t_interval,
    arm_wilson_interval,
    clopper_pearson_interval,
    wilson_interval,
)
from tests.unit.core.stats.drawn import unhurried

ONE_SIDE = st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=5), min_size=1, max_size=5)


def arrays(values: list[list[float]]) -> list[FloatArray]:
    return [np.array(case) for case in values]


@pytest.mark.parametrize(("passes", "trials"), [(0, 7), (1, 9), (17, 20), (74, 100), (30, 30)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_both_are_scipys(passes: int, trials: int, confidence: float) -> None:
    result = stats.binomtest(passes, trials)
    for ours, method in ((wilson_interval, "wilson"), (clopper_pearson_interval, "exact")):
        expected = result.proportion_ci(confidence, method=method)
        limits = ours(passes, trials, confidence)
        assert limits == pytest.approx((float(expected.low), float(expected.high)), abs=1e-12)


def test_wilson_by_hand() -> None:
    """No pass of n: the upper limit is z^2 / (n + z^2)."""
    z = 1.6448536269514722
    assert wilson_interval(0, 10, 0.90) == pytest.approx((0.0, z**2 / (10 + z**2)))


@unhurried
@given(st.integers(1, 60), st.data())
def test_limits_hold_the_rate_mirror_and_widen(trials: int, data: st.DataObject) -> None:
    passes = data.draw(st.integers(0, trials))
    for interval in (wilson_interval, clopper_pearson_interval):
        low, high = interval(passes, trials, 0.90)
        assert 0.0 <= low <= passes / trials <= high <= 1.0
        assert high - low > 0.0
        assert interval(trials - passes, trials, 0.90) == pytest.approx((1 - high, 1 - low), abs=1e-9)
        assert interval(passes, trials, 0.99)[0] <= low
        assert interval(passes, trials, 0.99)[1] >= high


@pytest.mark.parametrize(
    ("passes", "trials", "confidence"), [(3, 2, 0.9), (-1, 2, 0.9), (0, 0, 0.9), (1, 2, 1.0)]
)
def test_impossible_arguments_are_refused(passes: float, trials: float, confidence: float) -> None:
    for interval in (wilson_interval, clopper_pearson_interval):
        with pytest.raises(ValueError, match=r"cannot be|confidence"):
            interval(passes, trials, confidence)


def test_equal_trial_counts_give_wilson_on_all_trials() -> None:
    side = arrays([[1, 1, 0], [1, 0, 0], [1, 1, 1]])
    assert arm_wilson_interval(side, 0.90) == pytest.approx(wilson_interval(6, 9, 0.90))


def test_unequal_trial_counts_keep_the_weight_of_every_case() -> None:
    """Rates 1 and 0 from 1 and 9 trials: the mean is .5, worth 4 / (1 + 1/9) = 3.6 trials."""
    side = arrays([[1], [0] * 9])
    assert arm_wilson_interval(side, 0.90) == pytest.approx(wilson_interval(1.8, 3.6, 0.90))


def test_one_case_of_real_numbers_is_students_interval() -> None:
    values = [1.2, 0.7, 1.9, 1.4]
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.90)
    assert arm_t_interval(arrays([values]), 0.90) == pytest.approx(
        (float(expected.low), float(expected.high))
    )


def test_a_case_with_one_trial_borrows_the_spread_of_the_others() -> None:
    """Variances 2, and 2 borrowed: sqrt(2/2 + 2)/2 ... with two parts on one degree of freedom each."""
    limits = arm_t_interval(arrays([[3.0, 5.0], [8.0]]), 0.90)
    degrees = 3.0**2 / (1.0**2 + 2.0**2)
    reach = float(stats.t.ppf(0.95, degrees)) * math.sqrt(3.0) / 2
    assert limits == pytest.approx((6.0 - reach, 6.0 + reach))


@unhurried
@given(ONE_SIDE)
def test_on_the_unit_scale_the_interval_holds_the_mean_and_has_width(side: list[list[float]]) -> None:
    for interval in (arm_t_interval, arm_wilson_interval):
        low, high = interval(arrays(side), 0.90)
        assert low - 1e-12 <= arm_rate(arrays(side)) <= high + 1e-12
        assert high > low


def test_without_any_spread_the_scale_decides() -> None:
    assert arm_t_interval(arrays([[1, 1], [1, 1]]), 0.90) == wilson_interval(4, 4, 0.90)
    assert arm_t_interval(arrays([[5, 5], [7]]), 0.90) == (6.0, 6.0)


def test_what_has_no_mean_is_refused() -> None:
    for bad in ([], [np.array([])]):
        with pytest.raises(ValueError, match="cases"):
            arm_t_interval(bad, 0.90)
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        arm_wilson_interval(arrays([[2.0]]), 0.90)
