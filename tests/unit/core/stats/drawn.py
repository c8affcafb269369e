"""Small evidence for property tests, and literal counting to check clever code against."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from gatebot.core.stats.strata import FloatArray, PassCounts, Strata, counts_of, strata_of

# The machine may be busy, and the same commit must get the same answer.
unhurried = settings(deadline=None, derandomize=True)

Case = tuple[tuple[int, int], tuple[int, int]]


@st.composite
def case_counts(draw: st.DrawFn, most: int = 4) -> Case:
    """(passes, trials) at base and at head."""
    bases, heads = draw(st.integers(1, most)), draw(st.integers(1, most))
    return (draw(st.integers(0, bases)), bases), (draw(st.integers(0, heads)), heads)


def counts_lists(most_cases: int = 4, most_trials: int = 4) -> st.SearchStrategy[list[Case]]:
    """Counts of a few cases."""
    return st.lists(case_counts(most_trials), min_size=1, max_size=most_cases)


def strata_lists(most_cases: int = 3, most_trials: int = 4) -> st.SearchStrategy[Strata]:
    """Values on a grid of eighths, so that ties occur and sums are exact."""
    side = st.lists(st.integers(-8, 8).map(lambda i: i / 8), min_size=1, max_size=most_trials)
    return st.lists(st.tuples(side, side), min_size=1, max_size=most_cases).map(
        lambda cases: strata_of([base for base, _ in cases], [head for _, head in cases])
    )


def counted(cases: list[Case]) -> PassCounts:
    """The counts as the package takes them."""
    return counts_of([base for base, _ in cases], [head for _, head in cases])


def as_strata(cases: list[Case]) -> Strata:
    """The same counts as lists of zeros and ones."""

    def values(pair: tuple[int, int]) -> list[float]:
        return [1.0] * pair[0] + [0.0] * (pair[1] - pair[0])

    return strata_of([values(base) for base, _ in cases], [values(head) for _, head in cases])


def every_effect(strata: Strata) -> Iterator[float]:
    """D for every way to choose the head trials within each case, one labeling at a time."""
    per_case: list[list[float]] = []
    for base, head in zip(strata.base, strata.head, strict=True):
        pooled = np.concatenate((base, head))
        per_case.append(
            [_difference(pooled, chosen) for chosen in itertools.combinations(range(pooled.size), head.size)]
        )
    for differences in itertools.product(*per_case):
        yield sum(differences) / len(differences)


def counted_tails(strata: Strata, observed: float) -> tuple[float, float]:
    """The shares of labelings with a D at most, and at least, the observed one."""
    effects = np.array(list(every_effect(strata)))
    return float(np.mean(effects <= observed + 1e-9)), float(np.mean(effects >= observed - 1e-9))


def _difference(pooled: FloatArray, chosen: tuple[int, ...]) -> float:
    head = np.zeros(pooled.size, dtype=bool)
    head[list(chosen)] = True
    return float(pooled[head].mean() - pooled[~head].mean())
