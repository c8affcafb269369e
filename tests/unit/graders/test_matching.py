"""Largest and heaviest matchings equal exhaustive search; long chains need no recursion."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.graders.matching import UNMATCHED, heaviest_assignment, maximum_matching

EDGES = st.lists(st.lists(st.integers(0, 5), unique=True, max_size=6), max_size=5)
WEIGHTS = st.integers(1, 5).flatmap(
    lambda columns: st.lists(
        st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=columns, max_size=columns),
        min_size=1,
        max_size=5,
    )
)


def served_sets(edges: list[list[int]]) -> list[set[int]]:
    """Every set of left vertices that can be served at once."""
    lefts = range(len(edges))
    found: list[set[int]] = []
    for size in range(len(edges) + 1):
        for chosen in itertools.combinations(lefts, size):
            choices = itertools.product(*(edges[left] for left in chosen))
            if any(len(set(choice)) == size for choice in choices):
                found.append(set(chosen))
    return found


@given(EDGES)
def test_no_matching_is_larger(edges: list[list[int]]) -> None:
    partner = maximum_matching(edges)
    taken = [right for right in partner if right != UNMATCHED]
    assert all(right in edges[left] for left, right in enumerate(partner) if right != UNMATCHED)
    assert len(set(taken)) == len(taken) == max(len(served) for served in served_sets(edges))


@given(EDGES, st.data())
def test_those_served_first_are_served_as_far_as_possible(
    edges: list[list[int]], data: st.DataObject
) -> None:
    first = data.draw(st.sets(st.sampled_from(range(len(edges)))) if edges else st.just(set[int]()))
    order = [*sorted(first), *(left for left in range(len(edges)) if left not in first)]
    partner = maximum_matching(edges, order)
    served = {left for left, right in enumerate(partner) if right != UNMATCHED}
    assert len(served & first) == max(len(option & first) for option in served_sets(edges))
    assert len(served) == max(len(option) for option in served_sets(edges))


def test_a_long_alternating_chain_is_followed_to_its_end() -> None:
    length = 3_000
    edges = [[left, left + 1] for left in range(length)]
    edges.append([0])
    assert sorted(maximum_matching(edges)) == list(range(length + 1))


@given(WEIGHTS)
def test_no_assignment_is_heavier(weights: list[list[float]]) -> None:
    rows, columns = len(weights), len(weights[0])
    pairs = heaviest_assignment(weights)
    assert len(pairs) == min(rows, columns)
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
    if rows <= columns:
        totals = (
            sum(weights[row][column] for row, column in enumerate(chosen))
            for chosen in itertools.permutations(range(columns), rows)
        )
    else:
        totals = (
            sum(weights[row][column] for column, row in enumerate(chosen))
            for chosen in itertools.permutations(range(rows), columns)
        )
    assert sum(weights[row][column] for row, column in pairs) == pytest.approx(max(totals))


def test_many_columns_are_thinned_without_loss() -> None:
    weights = [[(7 * column * (row + 3)) % 101 / 101 for column in range(200)] for row in range(3)]
    best = max(
        weights[0][a] + weights[1][b] + weights[2][c]
        for a, b, c in itertools.permutations(
            sorted({i for row in weights for i in sorted(range(200), key=lambda k, w=row: -w[k])[:6]}), 3
        )
    )
    assert sum(weights[row][column] for row, column in heaviest_assignment(weights)) == pytest.approx(best)


def test_nothing_to_assign() -> None:
    assert heaviest_assignment([]) == []
    assert heaviest_assignment([[]]) == []
    assert maximum_matching([]) == []
