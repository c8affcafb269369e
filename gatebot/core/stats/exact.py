"""The exact within-case test of a pass/fail metric: no resampling, a sum of hypergeometrics."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gatebot.core.stats.strata import FloatArray, IntArray, PassCounts, Tails

# Where trial counts differ much between cases the lattice of possible sums becomes fine: up to this
# many pairs of values are added one by one, beyond it on a dense lattice of at most so many cells.
_PAIRS_LIMIT = 2**18
_CELLS_LIMIT = 2**18
_NEGLIGIBLE = 1e-15
_LATTICE_LIMIT = 2**40


@dataclass(frozen=True, slots=True)
class _Sum:
    """A random integer: its possible values (ascending) and their probabilities.

    The true value lies up to `rounding` above the one listed; `lost` is the probability of values
    left out. Both are 0 unless the lattice was too fine to hold, and can only raise a p-value.
    """

    values: IntArray
    weights: FloatArray
    rounding: int = 0
    lost: float = 0.0


def exact_tails(counts: PassCounts) -> Tails:
    """Both one-sided p-values of D when, within each case, labels are shuffled.

    Given a case's pooled passes, the passes that fall to the head are hypergeometric (Fisher), and
    cases are independent, so the law of n*D is the convolution of the cases' laws: the exact
    conditional test of stratified 2x2 tables (Mantel-Haenszel, exact form; at one trial a side it
    is exact McNemar). Trial counts may differ between cases: a pass at the head moves D by
    1/k_head + 1/k_base, and all these steps are whole multiples of 1/lcm(trial counts). Cases whose
    trials all agree cannot move and drop out by themselves. Should the lattice become too fine to
    hold, it is coarsened so that the p-values can only grow.

    Raises ValueError for fractional passes.
    """
    if not counts.whole:
        raise ValueError("the exact test needs whole passes")
    base_trials = [int(k) for k in counts.base_trials]
    head_trials = [int(k) for k in counts.head_trials]
    head_passes = [int(x) for x in counts.head_passes]
    totals = [int(x) for x in counts.base_passes + counts.head_passes]
    moving = [i for i, total in enumerate(totals) if 0 < total < base_trials[i] + head_trials[i]]
    if not moving:
        return Tails(1.0, 1.0)
    scale, rounding = _lattice([base_trials[i] for i in moving] + [head_trials[i] for i in moving])
    groups: dict[int, Counter[tuple[int, int, int]]] = {}
    observed = 0
    slack = 0
    for i in moving:
        step = scale // base_trials[i] + scale // head_trials[i]
        groups.setdefault(step, Counter())[(base_trials[i], head_trials[i], totals[i])] += 1
        observed += step * head_passes[i]
        slack += rounding * min(head_trials[i], totals[i])
    laws = [_scaled(_group_law(groups[step]), step) for step in sorted(groups)]
    return _tails(laws, observed, slack)


def _lattice(trial_counts: list[int]) -> tuple[int, int]:
    """The number of lattice cells per unit of rate, and how far a step may be rounded down."""
    scale = math.lcm(*set(trial_counts))
    if scale <= _LATTICE_LIMIT:
        return scale, 0
    return _LATTICE_LIMIT, 2


def _tails(laws: list[_Sum], observed: int, slack: int) -> Tails:
    ordered = sorted(laws, key=lambda law: law.values.size)
    largest = ordered.pop()
    rest = _Sum(np.zeros(1, dtype=np.int64), np.ones(1))
    for law in ordered:
        rest = _added(rest, law)
    # Rounded steps move the observed sum and its law by up to `slack` each, always downwards.
    below = np.concatenate((np.zeros(1), np.cumsum(largest.weights)))
    above = np.concatenate((np.cumsum(largest.weights[::-1])[::-1], np.zeros(1)))
    at_most = np.searchsorted(largest.values, observed + slack - rest.values, side="right")
    least = observed - slack - rest.rounding - rest.values
    at_least = np.searchsorted(largest.values, least, side="left")
    lower = float(rest.weights @ below[at_most]) + rest.lost
    upper = float(rest.weights @ above[at_least]) + rest.lost
    return Tails(min(lower, 1.0), min(upper, 1.0))


def _added(first: _Sum, second: _Sum) -> _Sum:
    rounding = first.rounding + second.rounding
    lost = first.lost + second.lost
    if first.values.size * second.values.size <= _PAIRS_LIMIT:
        values = np.add.outer(first.values, second.values).ravel()
        weights = np.multiply.outer(first.weights, second.weights).ravel()
        unique, index = np.unique(values, return_inverse=True)
        return _Sum(unique, _summed(index.ravel(), weights), rounding, lost)
    first, second = _trimmed(first), _trimmed(second)
    span = int(np.ptp(first.values)) + int(np.ptp(second.values))
    cell = span // _CELLS_LIMIT + 1
    start_first, dense_first = _dense(first, cell)
    start_second, dense_second = _dense(second, cell)
    size = dense_first.size + dense_second.size - 1
    padded = 1 << (size - 1).bit_length()
    product = np.fft.rfft(dense_first, padded) * np.fft.rfft(dense_second, padded)
    weights = np.maximum(np.fft.irfft(product, padded)[:size], 0.0)
    values = (np.arange(size, dtype=np.int64) + start_first + start_second) * cell
    return _Sum(values, weights, rounding + 2 * (cell - 1), first.lost + second.lost)


def _trimmed(law: _Sum) -> _Sum:
    """Leave out the far ends, of negligible probability, which is kept in the books as lost."""
    cumulated = np.cumsum(law.weights)
    low = int(np.searchsorted(cumulated, _NEGLIGIBLE, side="right"))
    high = int(np.searchsorted(cumulated, cumulated[-1] - _NEGLIGIBLE, side="left")) + 1
    return _Sum(law.values[low:high], law.weights[low:high], law.rounding, law.lost + 2 * _NEGLIGIBLE)


def _dense(law: _Sum, cell: int) -> tuple[int, FloatArray]:
    cells = law.values // cell
    start = int(cells[0])
    return start, _summed(cells - start, law.weights)


def _summed(places: NDArray[np.intp], weights: FloatArray) -> FloatArray:
    """Weights added up per place; places are 0, 1, 2, ..."""
    return np.bincount(places, weights=weights).astype(np.float64)


def _scaled(law: tuple[int, FloatArray], step: int) -> _Sum:
    offset, weights = law
    values = (np.arange(weights.size, dtype=np.int64) + offset) * step
    return _Sum(values, weights)


def _group_law(cases: Counter[tuple[int, int, int]]) -> tuple[int, FloatArray]:
    """The law of the summed head passes of many cases: smallest value and probabilities.

    All terms are positive and multiplied out directly, so that even tiny tails keep their relative
    accuracy, which a fast Fourier transform would lose. The shortest laws are joined first.
    """
    offset = 0
    queue: list[tuple[int, int, FloatArray]] = []
    for order, (shape, count) in enumerate(sorted(cases.items())):
        base_trials, head_trials, total = shape
        law = hypergeometric_law(base_trials, head_trials, total)
        offset += count * max(0, total - base_trials)
        powered = _power(law, count)
        queue.append((powered.size, order, powered))
    heapq.heapify(queue)
    order = len(queue)
    while len(queue) > 1:
        joined = np.convolve(heapq.heappop(queue)[2], heapq.heappop(queue)[2])
        heapq.heappush(queue, (joined.size, order, joined))
        order += 1
    return offset, queue[0][2]


def _power(law: FloatArray, exponent: int) -> FloatArray:
    result = np.ones(1)
    square = law
    while exponent:
        if exponent & 1:
            result = np.convolve(result, square)
        exponent >>= 1
        if exponent:
            square = np.convolve(square, square)
    return result


@lru_cache(maxsize=4096)
def hypergeometric_law(base_trials: int, head_trials: int, total: int) -> FloatArray:
    """P(head passes = x) for x from max(0, total - base_trials) to min(head_trials, total).

    `total` passes are spread at random over base_trials + head_trials trials. Read-only.
    """
    low = max(0, total - base_trials)
    high = min(head_trials, total)
    ways = [math.comb(head_trials, x) * math.comb(base_trials, total - x) for x in range(low, high + 1)]
    everything = math.comb(base_trials + head_trials, total)
    law = np.array([way / everything for way in ways])
    law.setflags(write=False)
    return law
