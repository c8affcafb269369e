"""Suspects, their confirmation on fresh trials, and the exact min-P over all cases."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatebot.core.stats.boschloo import boschloo_p, fisher_p
from gatebot.core.stats.exact import hypergeometric_law
from gatebot.core.stats.single_case import confirmed_p, min_p, suspects
from gatebot.core.stats.strata import counts_of
from tests.unit.core.stats.drawn import Case, counted, counts_lists, unhurried


def test_a_case_is_suspect_from_a_drop_of_one_half() -> None:
    counts = counts_of([(3, 3), (2, 3), (3, 6), (1, 1), (10, 10)], [(1, 3), (1, 3), (0, 6), (1, 1), (5, 10)])
    assert suspects(counts) == (0, 2, 4)


@pytest.mark.parametrize(
    ("base", "head", "convicted"),
    [
        (7, 3, True),
        (7, 4, False),
        (6, 1, True),
        (6, 2, False),
        (5, 0, True),
        (5, 1, False),
        (4, 0, True),
        (3, 0, False),
    ],
)
def test_what_convicts_a_lone_suspect(base: int, head: int, convicted: bool) -> None:
    (p,) = confirmed_p(counts_of([(base, 7)], [(head, 7)]))
    assert p == boschloo_p((base, 7), (head, 7))
    assert (p <= 0.015) == convicted


def test_several_suspects_share_the_level_by_holm() -> None:
    first, second = confirmed_p(counts_of([(7, 7), (6, 7)], [(0, 7), (1, 7)]))
    assert first == pytest.approx(2 * boschloo_p((7, 7), (0, 7)))
    assert second == pytest.approx(boschloo_p((6, 7), (1, 7)))
    assert confirmed_p(counts_of([(7, 7)] * 2, [(3, 7)] * 2))[0] > 0.015


def test_three_seeds_can_never_convict_a_single_case_among_many() -> None:
    counts = counts_of([(3, 3)] * 20, [(0, 3)] + [(3, 3)] * 19)
    found = min_p(counts, level=0.015)
    assert found.adjusted[0] == pytest.approx(1 / 20)
    assert not found.reachable


def test_five_seeds_can_among_cases_that_do_not_move() -> None:
    counts = counts_of([(5, 5)] * 20, [(0, 5)] + [(5, 5)] * 19)
    found = min_p(counts, level=0.015)
    assert found.adjusted[0] == pytest.approx(1 / math.comb(10, 5))
    assert found.adjusted[1:] == (1.0,) * 19
    assert found.reachable


def brute_force(cases: list[Case]) -> list[float]:
    """Step-down over all joint outcomes, each with its probability."""
    laws = [hypergeometric_law(kb, kh, xb + xh) for (xb, kb), (xh, kh) in cases]
    tails = [np.cumsum(law) for law in laws]
    observed = [fisher_p(base, head) for base, head in cases]
    order = sorted(range(len(cases)), key=lambda i: observed[i])
    adjusted = [0.0] * len(cases)
    highest = 0.0
    for rank, index in enumerate(order):
        chance = 0.0
        rest = order[rank:]
        for places in itertools.product(*(range(laws[i].size) for i in rest)):
            smallest = min(float(tails[i][x]) for i, x in zip(rest, places, strict=True))
            if smallest <= observed[index] + 1e-12:
                chance += math.prod(float(laws[i][x]) for i, x in zip(rest, places, strict=True))
        highest = max(highest, chance)
        adjusted[index] = highest
    return adjusted


@settings(unhurried, max_examples=60)
@given(counts_lists(4, 4))
def test_min_p_equals_enumeration(cases: list[Case]) -> None:
    found = min_p(counted(cases), level=0.05)
    assert found.raw == pytest.approx([fisher_p(base, head) for base, head in cases])
    assert found.adjusted == pytest.approx(brute_force(cases), abs=1e-10)


@settings(unhurried, max_examples=40)
@given(counts_lists(4, 4))
def test_what_can_be_reached_does_not_depend_on_the_labels(cases: list[Case]) -> None:
    found = min_p(counted(cases), level=0.05)
    best = 1.0
    spans = [range(max(0, xb + xh - kb), min(kh, xb + xh) + 1) for (xb, kb), (xh, kh) in cases]
    for heads in itertools.product(*spans):
        relabelled: list[Case] = [
            ((xb + xh - x, kb), (x, kh)) for ((xb, kb), (xh, kh)), x in zip(cases, heads, strict=True)
        ]
        other = min_p(counted(relabelled), level=0.05)
        assert other.smallest == found.smallest
        best = min(best, *other.adjusted)
    assert found.smallest == pytest.approx(best, abs=1e-12)
    assert found.reachable == (found.smallest <= 0.05)


@unhurried
@given(counts_lists(6, 8), st.data())
def test_the_order_of_cases_does_not_matter(cases: list[Case], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(cases))))
    found, other = (min_p(counted(c), level=0.05) for c in (cases, [cases[i] for i in order]))
    assert other.adjusted == pytest.approx([found.adjusted[i] for i in order], abs=1e-12)


@unhurried
@given(counts_lists(8, 10))
def test_adjusting_never_helps(cases: list[Case]) -> None:
    found = min_p(counted(cases), level=0.05)
    for raw, adjusted in zip(found.raw, found.adjusted, strict=True):
        assert raw - 1e-12 <= adjusted <= 1.0
        assert adjusted >= found.smallest - 1e-12


def test_some_case_is_convicted_wrongly_no_more_often_than_the_level() -> None:
    """Every outcome of three cases with two and three trials, with its probability."""
    rates = (0.6, 0.9, 0.3)
    p_values: list[float] = []
    chances: list[float] = []
    for passes in itertools.product(range(4), range(3), repeat=3):
        pairs = list(zip(passes[::2], passes[1::2], strict=True))
        counts = counts_of([(b, 3) for b, _ in pairs], [(h, 2) for _, h in pairs])
        p_values.append(min(min_p(counts, level=0.05).adjusted))
        chances.append(
            math.prod(
                math.comb(3, b) * r**b * (1 - r) ** (3 - b) * math.comb(2, h) * r**h * (1 - r) ** (2 - h)
                for (b, h), r in zip(pairs, rates, strict=True)
            )
        )
    p, chance = np.array(p_values), np.array(chances)
    for level in np.unique(p):
        assert chance[p <= level + 1e-12].sum() <= level + 1e-9


def test_single_cases_need_whole_passes() -> None:
    counts = counts_of([(0.5, 1)], [(1, 1)])
    with pytest.raises(ValueError, match="whole"):
        min_p(counts, level=0.05)
    with pytest.raises(ValueError, match="whole"):
        confirmed_p(counts)
