"""What a run can see: the promise against simulated power, and the formulas against each other."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.core.stats.exact import exact_tails
from gatebot.core.stats.power import (
    Seeds,
    assumed_rates,
    cases_needed,
    confirm_power,
    estimated_rates,
    quoted_drop,
    seeds_needed,
    smallest_drop,
    smallest_shift,
    within_variance,
)
from gatebot.core.stats.strata import FloatArray, PassCounts, strata_of
from tests.unit.core.stats.drawn import unhurried


def simulated_power(rates: FloatArray, drop: float, seeds: Seeds, runs: int) -> float:
    generator = np.random.Generator(np.random.PCG64(6))
    changed = rates * (1.0 - drop / rates.mean())
    trials = np.full(rates.size, 1.0)
    red = 0
    for _ in range(runs):
        counts = PassCounts(
            generator.binomial(seeds.base, rates).astype(float),
            trials * seeds.base,
            generator.binomial(seeds.head, changed).astype(float),
            trials * seeds.head,
        )
        red += exact_tails(counts).lower <= 0.05
    return red / runs


@pytest.mark.parametrize(
    ("cases", "a", "b", "seeds"),
    [
        (10, 0.5, 0.5, Seeds(3, 3)),
        (20, 5, 0.5, Seeds(5, 5)),
        (20, 0.5, 0.5, Seeds(10, 3)),
        (50, 5, 0.5, Seeds(10, 10)),
    ],
)
def test_the_quoted_drop_is_seen_four_times_out_of_five(cases: int, a: float, b: float, seeds: Seeds) -> None:
    """The margin is three standard errors of 500 runs around the band that a larger simulation gave."""
    rates = assumed_rates(cases, a, b)
    quoted = quoted_drop(rates, seeds, shared_alpha=False)
    assert quoted is not None
    assert 0.75 <= simulated_power(rates, quoted, seeds, 500) <= 0.92


def test_the_drop_solves_its_equation_by_hand() -> None:
    """One rate for all: p = .8 at base, .8 - d at head, ten cases of five trials a side."""
    drop = smallest_drop(np.full(10, 0.8), Seeds(5, 5))
    assert drop is not None
    pooled, head = 0.8 - drop / 2, 0.8 - drop
    unchanged = math.sqrt(pooled * (1 - pooled) * 0.4 / 10)
    changed = math.sqrt((0.8 * 0.2 / 5 + head * (1 - head) / 5) / 10)
    assert drop == pytest.approx(1.6448536 * unchanged + 0.8416212 * changed + 1 / 100, abs=1e-6)


def test_more_seeds_and_more_cases_see_more() -> None:
    drops = [
        smallest_drop(assumed_rates(n), Seeds(k, k))
        for n, k in ((10, 3), (10, 5), (20, 5), (20, 10), (200, 10))
    ]
    assert all(drop is not None for drop in drops)
    assert drops == sorted((d for d in drops if d is not None), reverse=True)


def test_a_drop_larger_than_all_there_is_cannot_be_promised() -> None:
    assert smallest_drop(np.full(2, 0.3), Seeds(1, 1)) is None
    assert smallest_drop(np.zeros(10), Seeds(10, 10)) is None
    assert quoted_drop(np.full(2, 0.3), Seeds(1, 1), shared_alpha=True) is None


def test_sharing_alpha_costs_a_little() -> None:
    whole = quoted_drop(assumed_rates(20), Seeds(10, 10), shared_alpha=False)
    shared = quoted_drop(assumed_rates(20), Seeds(10, 10), shared_alpha=True)
    assert whole is not None
    assert shared == pytest.approx(whole * 1.07)


def test_needs_by_hand() -> None:
    """(1.645 + .842)^2 = 6.1826. Variance .09, 20 cases, a drop of .1: 2*.09*6.1826/(20*.01) = 5.56, times 1.2."""
    assert seeds_needed(0.09, 20, 0.1) == 7
    assert cases_needed(0.09, Seeds(5, 5), 0.1) == math.ceil(0.09 * 0.4 * 6.18256 / 0.01 * 1.2)
    assert smallest_shift(0.09, 20, Seeds(5, 5)) == pytest.approx(
        2.48647 * math.sqrt(0.09 * 0.4 / 20), abs=1e-4
    )


@unhurried
@given(st.floats(0.01, 0.25), st.integers(5, 200), st.floats(0.02, 0.4))
def test_what_is_needed_suffices(variance: float, cases: int, drop: float) -> None:
    seeds = seeds_needed(variance, cases, drop)
    assert smallest_shift(variance, cases, Seeds(seeds, seeds)) <= drop
    assert seeds_needed(variance, cases, drop / 2) >= seeds


def test_no_drop_needs_no_answer() -> None:
    with pytest.raises(ValueError, match="larger than 0"):
        seeds_needed(0.1, 10, 0.0)


def test_a_broken_case_is_convicted_if_seven_fresh_runs_show_it() -> None:
    assert confirm_power(1.0, 0.0, rounds=3, level=0.015) == pytest.approx(1.0)
    assert confirm_power(0.5, 0.5, rounds=3, level=0.015) < 0.015
    generator = np.random.Generator(np.random.PCG64(1))
    base, head = generator.random((20_000, 10)) < 0.85, generator.random((20_000, 10)) < 0.1
    drop = base[:, :3].sum(axis=1) - head[:, :3].sum(axis=1)
    fresh = list(zip(base[:, 3:].sum(axis=1).tolist(), head[:, 3:].sum(axis=1).tolist(), strict=True))
    convicting = {(7, x) for x in range(4)} | {(6, 0), (6, 1), (5, 0), (4, 0)}
    share = np.mean([d >= 2 and pair in convicting for d, pair in zip(drop.tolist(), fresh, strict=True)])
    assert confirm_power(0.85, 0.1, rounds=3, level=0.015) == pytest.approx(float(share), abs=0.015)


def test_spread_within_cases_pools_the_sides_and_skips_single_trials() -> None:
    strata = strata_of([[1, 3], [5]], [[2, 4, 6], [9]])
    assert within_variance(strata) == pytest.approx((2 + 8) / 3)
    assert within_variance(strata_of([[1]], [[5]])) == 0.0


def test_rates_assumed_and_rates_estimated() -> None:
    assert float(assumed_rates(200).mean()) == pytest.approx(5 / 5.5, abs=0.005)
    assert assumed_rates(10, 0.5, 0.5).tolist() == sorted(assumed_rates(10, 0.5, 0.5).tolist())
    estimated = estimated_rates(np.array([3.0, 3.0, 0.0, 1.0]), np.full(4, 3.0))
    assert (estimated > 0.0).all()
    assert (estimated < 1.0).all()
    assert estimated[0] == estimated[1] > estimated[3] > estimated[2]
    flat = estimated_rates(np.full(6, 9.0), np.full(6, 10.0))
    assert flat.tolist() == pytest.approx([0.9] * 6, abs=0.02)


@unhurried
@given(st.lists(st.tuples(st.integers(0, 10), st.just(10)), min_size=1, max_size=12))
def test_estimated_rates_lie_between_the_case_and_the_mean(pairs: list[tuple[int, int]]) -> None:
    passes, trials = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    center = (passes.sum() + 0.5) / (trials.sum() + 1)
    for rate, seen in zip(estimated_rates(passes, trials).tolist(), (passes / trials).tolist(), strict=True):
        assert min(seen, center) - 1e-12 <= rate <= max(seen, center) + 1e-12
        assert 0.0 < rate < 1.0
