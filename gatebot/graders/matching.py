"""One-to-one matching: the largest one, and the one of greatest weight. Never greedy."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence

UNMATCHED = -1


def maximum_matching(edges: Sequence[Sequence[int]], order: Sequence[int] | None = None) -> list[int]:
    """For each left vertex the right vertex it is matched with, or -1; as many pairs as possible.

    `edges[left]` lists the right vertices it may take, preferred ones first. Left vertices are served in `order`
    (default: as they come); one that is served stays served, so the set of those served early is as large as
    possible too. Augmenting paths (Kuhn), breadth first, without recursion: O(left × edges).
    """
    partner = [UNMATCHED] * len(edges)
    owner: dict[int, int] = {}
    for left in range(len(edges)) if order is None else order:
        for right in edges[left]:
            if right not in owner:
                partner[left] = right
                owner[right] = left
                break
        else:
            _augment(left, edges, partner, owner)
    return partner


def _augment(start: int, edges: Sequence[Sequence[int]], partner: list[int], owner: dict[int, int]) -> None:
    """Serve `start` by moving others along the shortest alternating path, if there is one."""
    reached_from: dict[int, int] = {}
    queue = deque([start])
    while queue:
        left = queue.popleft()
        for right in edges[left]:
            if right in reached_from:
                continue
            reached_from[right] = left
            if right not in owner:
                _shift(start, right, reached_from, partner, owner)
                return
            queue.append(owner[right])


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
    return sorted((row, kept[column]) for row, column in _cheapest(costs))


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
