"""Cases as the sample: sign flips and the paired t, against scipy and by hand."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gatebot.core.stats.generalize import joint_sign_flips, paired_t_interval, paired_t_tails, sign_flip_tails
from gatebot.core.stats.strata import FloatArray
from tests.unit.core.stats.drawn import unhurried

EIGHTHS = st.lists(st.integers(-8, 8).map(lambda i: i / 8), min_size=2, max_size=9)


def differences(*values: float) -> FloatArray:
    return np.array(values, dtype=np.float64)


@pytest.mark.parametrize(
    ("values", "lower"),
    [
        ((-1, -2, -3), 1 / 8),
        ((-1, -2, 3), 5 / 8),
        ((-1, 0, 0), 1 / 2),
        ((0, 0), 1.0),
        ((-5, -5, -5, -5), 1 / 16),
    ],
)
def test_by_hand(values: tuple[float, ...], lower: float) -> None:
    tails, exact = sign_flip_tails(differences(*values), seed=1)
    assert exact
    assert tails.lower == pytest.approx(lower)


@unhurried
@given(EIGHTHS)
def test_equals_scipys_enumeration(values: list[float]) -> None:
    tails, _ = sign_flip_tails(differences(*values), seed=1)
    for p, alternative in ((tails.lower, "less"), (tails.upper, "greater")):
        expected = stats.permutation_test(
            (values,),
            np.sum,
            permutation_type="samples",
            n_resamples=10_000,
            alternative=alternative,
        )
        assert p == pytest.approx(float(expected.pvalue))


def test_many_cases_are_drawn_repeatably_and_agree_with_the_normal_law() -> None:
    values = np.random.Generator(np.random.PCG64(1)).normal(-0.15, 1.0, 60)
    tails, exact = sign_flip_tails(values, seed=5)
    assert not exact
    assert sign_flip_tails(values, seed=5)[0] == tails
    expected = float(stats.norm.cdf(values.sum() / math.sqrt(float(np.sum(values**2)))))
    assert tails.lower == pytest.approx(expected, abs=0.02)


def test_several_metrics_share_their_flips_and_may_lack_cases() -> None:
    generator = np.random.Generator(np.random.PCG64(2))
    table = generator.normal(0, 1, (12, 3))
    table[:, 0] -= 1.0
    table[:4, 2] = np.nan
    found = joint_sign_flips(table, seed=3)
    alone, _ = sign_flip_tails(table[:, 0], seed=3)
    assert found.exact
    assert found.raw[0] == alone
    assert found.raw[2].lower == pytest.approx(sign_flip_tails(table[4:, 2], seed=3)[0].lower)
    assert found.raw[0].lower < found.adjusted[0].lower <= 3 * found.raw[0].lower


@unhurried
@given(EIGHTHS)
def test_turning_the_differences_turns_the_tails(values: list[float]) -> None:
    there, _ = sign_flip_tails(differences(*values), seed=1)
    back, _ = sign_flip_tails(-differences(*values), seed=1)
    assert (there.lower, there.upper) == pytest.approx((back.upper, back.lower))


@unhurried
@given(EIGHTHS)
def test_over_all_signs_p_is_super_uniform(values: list[float]) -> None:
    sizes = np.abs(differences(*values))[:6]
    signs = itertools.product((-1.0, 1.0), repeat=sizes.size)
    p_values = np.array([sign_flip_tails(sizes * np.array(row), seed=1)[0].lower for row in signs])
    for level in np.unique(p_values):
        assert np.mean(p_values <= level + 1e-12) <= level + 1e-9


def test_the_paired_t_is_scipys() -> None:
    values = [-0.2, 0.0, -0.2, -0.1, 0.1, -0.3]
    p = float(np.asarray(stats.ttest_1samp(values, 0.0, alternative="less"))[1])
    assert paired_t_tails(values).lower == pytest.approx(p)
    assert paired_t_tails(values).upper == pytest.approx(1 - p)
    limits = stats.ttest_1samp(values, 0.0).confidence_interval(0.90)
    assert paired_t_interval(values, 0.90) == pytest.approx((float(limits.low), float(limits.high)))


def test_equal_differences_leave_nothing_to_estimate() -> None:
    assert paired_t_interval([0.5, 0.5, 0.5], 0.90) == (0.5, 0.5)
    assert paired_t_tails([0.0, 0.0]).lower == 1.0
    assert paired_t_tails([-1.0, -1.0]).lower == 0.0


def test_what_has_no_spread_is_refused() -> None:
    for function in (lambda: paired_t_interval([1.0], 0.9), lambda: paired_t_tails([1.0])):
        with pytest.raises(ValueError, match="two cases"):
            function()
    with pytest.raises(ValueError, match="one case"):
        joint_sign_flips(np.full((3, 1), np.nan), seed=1)
