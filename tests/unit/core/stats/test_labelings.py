"""Numbers name labelings one to one, and block sums are the sums they stand for."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.core.stats.labelings import drawn_sums, labelings, rankable, ranked_sums
from gatebot.core.stats.strata import FloatArray
from tests.unit.core.stats.drawn import unhurried


def powers_of_two(trials: int) -> FloatArray:
    """Values whose sums tell which trials were added."""
    return np.exp2(np.arange(trials, dtype=np.float64)).reshape(-1, 1)


def sums_of(values: FloatArray, heads: int, ranks: list[int]) -> FloatArray:
    parts = list(ranked_sums(values, heads, np.array(ranks, dtype=np.int64)))
    return np.sum(np.stack(parts), axis=0)


@unhurried
@given(st.integers(2, 14), st.data())
def test_all_numbers_together_name_every_choice_once(trials: int, data: st.DataObject) -> None:
    heads = data.draw(st.integers(1, trials - 1))
    powers = powers_of_two(trials)
    everything = list(range(labelings(trials, heads)))
    named = sorted(sums_of(powers, heads, everything)[:, 0].tolist())
    expected = sorted(float(sum(2**i for i in c)) for c in itertools.combinations(range(trials), heads))
    assert named == expected


@pytest.mark.parametrize(("trials", "heads"), [(21, 3), (25, 22), (31, 2), (40, 38)])
def test_also_where_trials_fill_several_blocks(trials: int, heads: int) -> None:
    powers = powers_of_two(trials)
    everything = list(range(labelings(trials, heads)))
    named = sums_of(powers, heads, everything)[:, 0].astype(np.int64).tolist()
    assert len(set(named)) == len(everything)
    assert {mask.bit_count() for mask in named} == {heads}


@pytest.mark.parametrize(("trials", "heads"), [(20, 10), (30, 10), (40, 20)])
def test_numbers_far_apart_in_a_large_set(trials: int, heads: int) -> None:
    powers = powers_of_two(trials)
    last = labelings(trials, heads) - 1
    ranks = [0, 1, last // 3, last // 2, last - 1, last]
    masks = sums_of(powers, heads, ranks)[:, 0].astype(np.int64).tolist()
    assert len(set(masks)) == len(ranks)
    assert {mask.bit_count() for mask in masks} == {heads}


@pytest.mark.parametrize(
    ("trials", "heads"), [(6, 2), (24, 9), (50, 20)], ids=["table", "unranked", "sorted keys"]
)
def test_every_trial_is_head_equally_often(trials: int, heads: int) -> None:
    draws = 20_000
    generator = np.random.Generator(np.random.PCG64(1))
    picked = np.sum(
        np.stack(list(drawn_sums(np.eye(trials, dtype=np.float64), heads, draws, generator))), axis=0
    )
    assert picked.sum(axis=1).tolist() == pytest.approx([heads] * draws)
    share = heads / trials
    error = (share * (1 - share) / draws) ** 0.5
    assert np.abs(picked.mean(axis=0) - share).max() < 4.5 * error
    together = picked[:, 0] @ picked[:, -1] / draws
    expected = share * (heads - 1) / (trials - 1)
    assert together == pytest.approx(expected, abs=4.5 * (expected / draws) ** 0.5)
    assert rankable(trials) == (trials <= 40)
