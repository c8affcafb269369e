"""Boschloo's test against scipy's, against hand values, and against its own promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gatebot.core.stats.boschloo import boschloo_p, boschloo_table, fisher_p
from tests.unit.core.stats.drawn import Case, case_counts, unhurried


@pytest.mark.parametrize("trials", [1, 3, 5, 7])
def test_all_against_none_is_most_likely_at_one_half(trials: int) -> None:
    """(1/2)^(2k), for a coin thrown k times on each side."""
    assert boschloo_p((trials, trials), (0, trials)) == pytest.approx(0.25**trials, rel=1e-9)


@pytest.mark.parametrize(
    ("base", "head", "p"),
    [((3, 3), (0, 3), 1 / 20), ((3, 3), (1, 3), 4 / 20), ((10, 10), (0, 3), 1 / 286), ((2, 2), (2, 2), 1.0)],
)
def test_fisher_by_hand(base: tuple[int, int], head: tuple[int, int], p: float) -> None:
    assert fisher_p(base, head) == pytest.approx(p)


@unhurried
@given(case_counts(8))
def test_fisher_is_scipys(case: Case) -> None:
    (xb, kb), (xh, kh) = case
    table = stats.fisher_exact([[xh, xb], [kh - xh, kb - xb]], alternative="less")
    assert fisher_p((xb, kb), (xh, kh)) == pytest.approx(float(np.asarray(table)[1]), abs=1e-12)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ((7, 7), (2, 7)),
        ((7, 7), (3, 7)),
        ((6, 7), (1, 7)),
        ((5, 7), (0, 7)),
        ((4, 7), (3, 7)),
        ((10, 10), (1, 3)),
        ((18, 20), (5, 10)),
        ((2, 3), (1, 3)),
    ],
)
def test_boschloo_is_scipys(base: tuple[int, int], head: tuple[int, int]) -> None:
    (xb, kb), (xh, kh) = base, head
    expected = stats.boschloo_exact([[xh, xb], [kh - xh, kb - xb]], alternative="less", n=256)
    assert boschloo_p(base, head) == pytest.approx(float(expected.pvalue), abs=1e-5)


@pytest.mark.parametrize(("bases", "heads"), [(3, 3), (7, 7), (10, 3), (20, 10)])
def test_it_is_sharper_than_fisher_and_keeps_its_promise_at_every_rate(bases: int, heads: int) -> None:
    table = boschloo_table(bases, heads)
    fisher = np.array(
        [[fisher_p((b, bases), (h, heads)) for h in range(heads + 1)] for b in range(bases + 1)]
    )
    assert (table <= fisher + 1e-9).all()
    for rate in np.linspace(0.003, 0.997, 143).tolist():
        base = stats.binom.pmf(np.arange(bases + 1), bases, rate)
        head = stats.binom.pmf(np.arange(heads + 1), heads, rate)
        joint = np.outer(base, head)
        for level in (0.0045, 0.015, 0.05, 0.2):
            assert float(joint[table <= level].sum()) <= level + 1e-7


@unhurried
@given(case_counts(9))
def test_fewer_passes_at_the_head_or_more_at_the_base_never_weaken_the_evidence(case: Case) -> None:
    (xb, kb), (xh, kh) = case
    p = boschloo_p((xb, kb), (xh, kh))
    assert 0.0 < p <= 1.0
    assert boschloo_p((xb, kb), (max(xh - 1, 0), kh)) <= p + 1e-9
    assert boschloo_p((min(xb + 1, kb), kb), (xh, kh)) <= p + 1e-9


@unhurried
@given(case_counts(8))
def test_passes_lost_are_failures_gained(case: Case) -> None:
    (xb, kb), (xh, kh) = case
    assert boschloo_p((xb, kb), (xh, kh)) == pytest.approx(boschloo_p((kh - xh, kh), (kb - xb, kb)), abs=1e-8)


@unhurried
@given(st.sampled_from([((4, 3), (0, 3)), ((0, 0), (0, 3)), ((1, 3), (-1, 3))]))
def test_impossible_counts_are_refused(pair: Case) -> None:
    for test in (boschloo_p, fisher_p):
        with pytest.raises(ValueError, match="cannot be"):
            test(*pair)
