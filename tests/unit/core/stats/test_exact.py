"""The exact test against hand counts, literal enumeration, and what any such test must obey."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gatebot.core.stats.exact import exact_tails, hypergeometric_law
from gatebot.core.stats.strata import PassCounts, counts_of
from tests.unit.core.stats.drawn import Case, as_strata, counted, counted_tails, counts_lists, unhurried


@pytest.mark.parametrize(
    ("base", "head", "lower"),
    [
        ([(3, 3)], [(0, 3)], Fraction(1, 20)),
        ([(2, 2), (2, 2)], [(0, 2), (0, 2)], Fraction(1, 36)),
        ([(1, 1)] * 3, [(0, 1)] * 3, Fraction(1, 8)),
        ([(2, 2)], [(1, 2)], Fraction(1, 2)),
        ([(3, 3), (5, 5), (0, 4)], [(3, 3), (5, 5), (0, 4)], Fraction(1)),
        ([(2, 2), (9, 9)], [(0, 1), (9, 9)], Fraction(1, 3)),
    ],
    ids=[
        "1/C(6,3)",
        "two broken cases",
        "all pairs fall",
        "one of four fell",
        "nothing moves",
        "unequal sides",
    ],
)
def test_hand_counts(
    base: list[tuple[float, float]], head: list[tuple[float, float]], lower: Fraction
) -> None:
    assert exact_tails(counts_of(base, head)).lower == pytest.approx(float(lower), abs=1e-14)


@unhurried
@given(counts_lists(3, 3))
def test_equals_literal_enumeration_whatever_the_trial_counts(cases: list[Case]) -> None:
    counts = counted(cases)
    tails = exact_tails(counts)
    lower, upper = counted_tails(as_strata(cases), counts.effect)
    assert tails.lower == pytest.approx(lower, abs=1e-12)
    assert tails.upper == pytest.approx(upper, abs=1e-12)


def test_one_trial_a_side_is_mcnemar() -> None:
    base = [(1, 1)] * 9 + [(0, 1)] * 2 + [(1, 1)] * 5
    head = [(0, 1)] * 9 + [(1, 1)] * 2 + [(1, 1)] * 5
    expected = stats.binomtest(2, 11, 0.5, "less")
    assert exact_tails(counts_of(base, head)).lower == pytest.approx(float(expected.pvalue), abs=1e-14)


@unhurried
@given(counts_lists(), st.data())
def test_the_order_of_cases_does_not_matter(cases: list[Case], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(cases))
    first, second = exact_tails(counted(cases)), exact_tails(counted(shuffled))
    assert first.lower == pytest.approx(second.lower, abs=1e-13)
    assert first.upper == pytest.approx(second.upper, abs=1e-13)


@unhurried
@given(counts_lists(6, 10))
def test_swapping_the_sides_swaps_the_tails(cases: list[Case]) -> None:
    there, back = exact_tails(counted(cases)), exact_tails(counted([(head, base) for base, head in cases]))
    assert there.lower == pytest.approx(back.upper, abs=1e-12)
    assert there.upper == pytest.approx(back.lower, abs=1e-12)


@unhurried
@given(counts_lists(6, 10))
def test_the_tails_overlap_in_what_was_observed(cases: list[Case]) -> None:
    tails = exact_tails(counted(cases))
    assert 0.0 < tails.lower <= 1.0
    assert 0.0 < tails.upper <= 1.0
    assert tails.lower + tails.upper > 1.0 - 1e-12


@unhurried
@given(counts_lists(5, 6), st.data())
def test_one_more_failure_at_the_head_never_weakens_the_evidence(
    cases: list[Case], data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(cases) - 1))
    base, (passes, trials) = cases[index]
    worse = [*cases]
    worse[index] = (base, (max(passes - 1, 0), trials))
    assert exact_tails(counted(worse)).lower <= exact_tails(counted(cases)).lower + 1e-12


@pytest.mark.parametrize("rates", [(0.5, 0.8), (0.95, 0.9), (0.2, 0.99)])
def test_false_alarms_never_exceed_the_level(rates: tuple[float, float]) -> None:
    """No simulation: every outcome of two cases, three trials a side, with its probability."""
    p_values: list[float] = []
    chances: list[float] = []
    for passes in itertools.product(range(4), repeat=4):
        chances.append(
            math.prod(
                math.comb(3, x) * rates[i // 2] ** x * (1 - rates[i // 2]) ** (3 - x)
                for i, x in enumerate(passes)
            )
        )
        counts = counts_of([(passes[0], 3), (passes[2], 3)], [(passes[1], 3), (passes[3], 3)])
        p_values.append(exact_tails(counts).lower)
    p, chance = np.array(p_values), np.array(chances)
    assert chance.sum() == pytest.approx(1.0)
    for level in sorted(set(p_values)):
        assert chance[p <= level + 1e-12].sum() <= level + 1e-9


def large(base_trials: tuple[int, int], head_trials: tuple[int, int], cases: int = 300) -> PassCounts:
    generator = np.random.Generator(np.random.PCG64(5))
    rates = generator.beta(0.5, 0.5, cases)
    bases = generator.integers(*base_trials, size=cases, endpoint=True)
    heads = generator.integers(*head_trials, size=cases, endpoint=True)
    return PassCounts(
        generator.binomial(bases, rates).astype(float),
        bases.astype(float),
        generator.binomial(heads, rates * 0.97).astype(float),
        heads.astype(float),
    )


@pytest.mark.parametrize(
    ("base_trials", "head_trials"),
    [
        ((10, 10), (10, 10)),
        ((9, 10), (9, 10)),
        ((7, 10), (7, 10)),
        ((8, 20), (5, 10)),
        ((90, 120), (90, 120)),
    ],
    ids=[
        "equal",
        "a few lost",
        "many lost",
        "lattice too fine to hold",
        "trial counts without a common lattice",
    ],
)
def test_large_suites_agree_with_the_normal_approximation(
    base_trials: tuple[int, int], head_trials: tuple[int, int]
) -> None:
    """With the permutation variance and the mean of p and p without the observed point (mid-p)."""
    counts = large(base_trials, head_trials, cases=40 if base_trials[1] > 100 else 300)
    trials = counts.base_trials + counts.head_trials
    total = counts.base_passes + counts.head_passes
    variance = (
        total * (trials - total) / (trials * (trials - 1)) * (1 / counts.base_trials + 1 / counts.head_trials)
    )
    z = counts.effect * counts.cases / math.sqrt(float(variance.sum()))
    tails = exact_tails(counts)
    assert (tails.lower + 1 - tails.upper) / 2 == pytest.approx(float(stats.norm.cdf(z)), abs=0.004)


def test_a_coarser_lattice_can_only_raise_p() -> None:
    """The dense path of many trial counts against brute-force simulation of the same law."""
    counts = large((8, 20), (5, 10), cases=200)
    generator = np.random.Generator(np.random.PCG64(8))
    total = (counts.base_passes + counts.head_passes).astype(int)
    heads, bases = counts.head_trials.astype(int), counts.base_trials.astype(int)
    drawn = generator.hypergeometric(total, heads + bases - total, heads, size=(20_000, 200))
    effects = (drawn / heads - (total - drawn) / bases).mean(axis=1)
    share = float(np.mean(effects <= counts.effect + 1e-12))
    assert exact_tails(counts).lower == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 20_000))


def test_tiny_tails_keep_their_relative_accuracy() -> None:
    counts = counts_of([(10, 10)] * 12, [(0, 10)] * 12)
    assert exact_tails(counts).lower == pytest.approx(float(math.comb(20, 10)) ** -12, rel=1e-12)


def test_fractional_passes_are_refused() -> None:
    with pytest.raises(ValueError, match="whole"):
        exact_tails(counts_of([(0.5, 1)], [(1, 1)]))


@settings(unhurried, max_examples=50)
@given(st.integers(1, 20), st.integers(1, 20), st.data())
def test_the_hypergeometric_law_is_scipys(bases: int, heads: int, data: st.DataObject) -> None:
    total = data.draw(st.integers(0, bases + heads))
    law = hypergeometric_law(bases, heads, total)
    support = np.arange(max(0, total - bases), min(heads, total) + 1)
    assert law.tolist() == pytest.approx(stats.hypergeom.pmf(support, bases + heads, total, heads).tolist())
