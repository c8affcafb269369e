"""One-to-one matching: the largest one, and the one of greatest weight. Never greedy."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNMATCHED = -1
MANY_STEPS = 3_000_000


def maximum_matching(edges: Sequence[Sequence[int]], order: Sequence[int] | None = None) -> list[int]:
    """For each left vertex the right vertex it is matched with, or -1; as many pairs as possible.

    `edges[left]` lists the right vertices it may take, preferred ones first. Left vertices are served in `order`
    (default: as they come); one that is served stays served, so the set of those served early is as large as
    possible too. Augmenting paths (Kuhn), breadth first, without recursion: O(left × edges), and linear where left
    vertices share their list of edges.
    """
    growing = _Growing(edges)
    owner, partner = growing.owner, growing.partner
    for left in range(len(edges)) if order is None else order:
        mine = edges[left]
        if mine and mine[0] not in owner:  # nearly every call of nearly every trial ends here
            partner[left] = mine[0]
            owner[mine[0]] = left
        elif not growing.take_free(left):
            growing.augment(left)
    return partner


class _Growing:
    """A matching that only grows: a right vertex that is taken stays taken, and what a search in vain has reached
    can be left out of every later search (Hungarian trees, Lawler 1976, section 5.5).
    """

    def __init__(self, edges: Sequence[Sequence[int]]) -> None:
        self._edges = edges
        self.owner: dict[int, int] = {}
        self._taken_up_to: dict[int, int] = {}
        self._dead: set[int] = set()
        self._dead_lists: set[int] = set()
        self.partner = [UNMATCHED] * len(edges)

    def take_free(self, left: int) -> bool:
        """Give `left` the first of its right vertices that is free, if there is one."""
        mine, owner = self._edges[left], self.owner
        start = self._taken_up_to.get(id(mine), 0)
        for place in range(start, len(mine)):
            if mine[place] not in owner:
                self.partner[left] = mine[place]
                owner[mine[place]] = left
                self._taken_up_to[id(mine)] = place + 1
                return True
        self._taken_up_to[id(mine)] = len(mine)
        return False

    def augment(self, start: int) -> None:
        """Serve `start` by moving others along the shortest alternating path, if there is one."""
        reached_from: dict[int, int] = {}
        searched: set[int] = set()
        queue = deque([start])
        while queue:
            left = queue.popleft()
            mine = self._edges[left]
            if id(mine) in searched or id(mine) in self._dead_lists:
                continue
            searched.add(id(mine))
            for right in mine:
                if right in reached_from or right in self._dead:
                    continue
                reached_from[right] = left
                if right not in self.owner:
                    _shift(start, right, reached_from, self.partner, self.owner)
                    return
                queue.append(self.owner[right])
        self._dead.update(reached_from)
        self._dead_lists |= searched


def _shift(
    start: int, free: int, reached_from: dict[int, int], partner: list[int], owner: dict[int, int]
) -> None:
    """Give every left vertex on the path back from `free` to `start` the right vertex it reached."""
    right = free
    while True:
        left = reached_from[right]
        freed = partner[left]
        partner[left] = right
        owner[right] = left
        if left == start:
            return
        right = freed


def heaviest_assignment(weights: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pairs (row, column) of a largest assignment with the greatest total weight, sorted by row.

    `weights`: rows of equal length, finite values. min(rows, columns) pairs. Exact: shortest augmenting paths
    with potentials (Jonker-Volgenant, as in Burkard, Dell'Amico, Martello, Assignment Problems, 2009, ch. 4).
    Some best assignment gives every row one of its `rows` heaviest columns, so that others are left out first.
    """
    rows = len(weights)
    columns = len(weights[0]) if rows else 0
    if not rows or not columns:
        return []
    if rows > columns:
        turned = [[weights[row][column] for row in range(rows)] for column in range(columns)]
        return sorted((row, column) for column, row in heaviest_assignment(turned))
    if rows == 1:
        return [(0, max(range(columns), key=weights[0].__getitem__))]
    kept: Sequence[int] = range(columns)
    if columns > rows * rows:
        candidates = (
            heapq.nsmallest(rows, range(columns), key=lambda c, w=row: (-w[c], c)) for row in weights
        )
        kept = sorted({column for best in candidates for column in best})
    costs = [[-row[column] for column in kept] for row in weights]
    found = _cheapest(costs) if rows * rows * len(kept) < MANY_STEPS else _cheapest_of_many(costs)
    return sorted((row, kept[column]) for row, column in found)


def _cheapest_of_many(costs: list[list[float]]) -> list[tuple[int, int]]:
    """The same by scipy, whose import takes longer than a small assignment."""
    import scipy.optimize

    rows, columns = cast(
        "tuple[NDArray[np.intp], NDArray[np.intp]]", scipy.optimize.linear_sum_assignment(costs)
    )
    return list(zip(map(int, rows), map(int, columns), strict=True))


def _cheapest(costs: list[list[float]]) -> list[tuple[int, int]]:
    """The cheapest assignment of every row to a column of its own; rows ≤ columns."""
    rows, columns = len(costs), len(costs[0])
    row_price = [0.0] * (rows + 1)
    column_price = [0.0] * (columns + 1)
    row_of = [0] * (columns + 1)
    came_from = [0] * (columns + 1)
    for row in range(1, rows + 1):
        row_of[0] = row
        column = 0
        slack = [float("inf")] * (columns + 1)
        done = [False] * (columns + 1)
        while row_of[column]:
            done[column] = True
            current = row_of[column]
            step, nearest = float("inf"), 0
            for other in range(1, columns + 1):
                if done[other]:
                    continue
                reduced = costs[current - 1][other - 1] - row_price[current] - column_price[other]
                if reduced < slack[other]:
                    slack[other] = reduced
                    came_from[other] = column
                if slack[other] < step:
                    step, nearest = slack[other], other
            for other in range(columns + 1):
                if done[other]:
                    row_price[row_of[other]] += step
                    column_price[other] -= step
                else:
                    slack[other] -= step
            column = nearest
        while column:
            previous = came_from[column]
            row_of[column] = row_of[previous]
            column = previous
    return [(row_of[column] - 1, column - 1) for column in range(1, columns + 1) if row_of[column]]
