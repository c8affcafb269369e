"""Holm and Benjamini-Hochberg against hand values and statsmodels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.core.stats.multiplicity import benjamini_hochberg, holm
from tests.unit.core.stats.drawn import unhurried

P_VALUES = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12)


def test_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert benjamini_hochberg([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.04, 0.04])


def test_nothing_in_nothing_out() -> None:
    assert (holm([]), benjamini_hochberg([])) == ([], [])


def test_equals_statsmodels() -> None:
    from statsmodels.stats import multitest

    generator = np.random.Generator(np.random.PCG64(1))
    for size in range(1, 40):
        p_values: list[float] = (generator.integers(0, 30, size) / 40).tolist()
        for ours, name in ((holm, "holm"), (benjamini_hochberg, "fdr_bh")):
            expected = [float(p) for p in np.asarray(multitest.multipletests(p_values, method=name)[1])]
            assert ours(p_values) == pytest.approx(expected, abs=1e-12)


@unhurried
@given(P_VALUES)
def test_adjusting_only_raises_and_holm_raises_more(p_values: list[float]) -> None:
    for p, fdr, fwer in zip(p_values, benjamini_hochberg(p_values), holm(p_values), strict=True):
        assert p <= fdr * (1 + 1e-12)
        assert fdr <= fwer * (1 + 1e-12)
        assert fwer <= 1.0


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.5, bad])
