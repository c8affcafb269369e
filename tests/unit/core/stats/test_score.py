"""The score test: its rates maximise the likelihood, its variance at 0 is that of label shuffles."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.core.stats.exact import hypergeometric_law
from gatebot.core.stats.score import constrained_rates, score_variance, score_z
from gatebot.core.stats.strata import counts_of
from tests.unit.core.stats.drawn import Case, case_counts, counted, counts_lists, unhurried


def likelihood(case: Case, base: float, head: float) -> float:
    total = 0.0
    for (passes, trials), rate in zip(case, (base, head), strict=True):
        for count, chance in ((passes, rate), (trials - passes, 1.0 - rate)):
            if count:
                total += count * math.log(chance) if chance > 0.0 else -math.inf
    return total


@unhurried
@given(case_counts(12), st.floats(-0.999, 0.999))
def test_no_other_rates_with_this_difference_are_more_likely(case: Case, difference: float) -> None:
    base, head = (
        float(rates[0, 0]) for rates in constrained_rates(counted([case]), np.array([[difference]]))
    )
    assert head - base == pytest.approx(difference, abs=1e-12)
    assert 0.0 <= base <= 1.0
    best = likelihood(case, base, head)
    low, high = max(0.0, -difference), min(1.0, 1.0 - difference)
    for other in np.linspace(low, high, 201).tolist():
        assert likelihood(case, other, min(max(other + difference, 0.0), 1.0)) <= best + 1e-9


@unhurried
@given(counts_lists(5, 8))
def test_at_no_difference_the_variance_is_that_of_label_shuffles(cases: list[Case]) -> None:
    expected = 0.0
    for (xb, kb), (xh, kh) in cases:
        law = hypergeometric_law(kb, kh, xb + xh)
        places = np.arange(law.size)
        spread = float(law @ places**2 - (law @ places) ** 2)
        expected += spread * (1 / kb + 1 / kh) ** 2
    assert score_variance(counted(cases), 0.0) == pytest.approx(expected / len(cases) ** 2, abs=1e-12)


def test_z_is_signed_and_infinite_where_no_variance_is_left() -> None:
    counts = counts_of([(3, 4)], [(1, 4)])
    assert score_z(counts, -0.5) == 0.0
    assert score_z(counts, -0.9) > 0.0 > score_z(counts, 0.2)
    assert score_z(counts, -1.0) == math.inf
    assert score_z(counts_of([(4, 4)], [(0, 4)]), -1.0) == 0.0
