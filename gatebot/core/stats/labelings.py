"""Drawing and counting the ways to choose which trials of a case are called "head"."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from gatebot.core.stats.strata import FloatArray, IntArray

MaskArray = NDArray[np.uint16]

# Up to this many trials a choice is a number that can be unranked; beyond it, sort random keys.
_RANKED_TRIALS = 40
_BLOCK = 10
_TABLE_LIMIT = 2**18


def labelings(trials: int, heads: int) -> int:
    """How many ways there are to call `heads` of `trials` trials head."""
    return math.comb(trials, heads)


def rankable(trials: int) -> bool:
    """Whether choices among so many trials can be numbered (needed to enumerate them)."""
    return trials <= _RANKED_TRIALS


def ranked_sums(values: FloatArray, heads: int, ranks: IntArray) -> Iterator[FloatArray]:
    """Terms that add up, for every labeling named by `ranks`, to the sum over its head trials.

    `values` is trials x metrics; `ranks` holds numbers in [0, labelings(trials, heads)). Yields
    arrays of len(ranks) x metrics, to be added by the caller. Own construction: a labeling is a
    bit mask, cut into blocks of at most ten bits; a block's sums over all its subsets form a small
    table, so that one look-up per block replaces a sum over the trials.
    """
    start = 0
    for size, masks in zip(_sizes(values.shape[0]), _masks(values.shape[0], heads, ranks), strict=True):
        yield np.take(_subset_sums(values[start : start + size]), masks, axis=0, mode="clip")
        start += size


def drawn_sums(
    values: FloatArray, heads: int, draws: int, generator: np.random.Generator
) -> Iterator[FloatArray]:
    """As `ranked_sums`, for `draws` labelings drawn uniformly and independently."""
    trials = values.shape[0]
    if rankable(trials):
        ranks = generator.integers(0, labelings(trials, heads), size=draws, dtype=np.int64)
        yield from ranked_sums(values, heads, ranks)
        return
    keys = generator.random((draws, trials))
    chosen = np.argpartition(keys, heads - 1, axis=1)[:, :heads]
    indicator = np.zeros((draws, trials))
    np.put_along_axis(indicator, chosen, 1.0, axis=1)
    yield indicator @ values


def _sizes(trials: int) -> list[int]:
    blocks = -(-trials // _BLOCK)
    return [trials // blocks + (1 if i < trials % blocks else 0) for i in range(blocks)]


def _masks(trials: int, heads: int, ranks: IntArray) -> list[MaskArray]:
    if labelings(trials, heads) > _TABLE_LIMIT:
        return _unranked(trials, heads, ranks)
    return [np.take(table, ranks) for table in _all_masks(trials, heads)]


@lru_cache(maxsize=64)
def _all_masks(trials: int, heads: int) -> tuple[MaskArray, ...]:
    everything = np.arange(labelings(trials, heads), dtype=np.int64)
    return tuple(_unranked(trials, heads, everything))


def _unranked(trials: int, heads: int, ranks: IntArray) -> list[MaskArray]:
    """The labelings with these numbers, as one array of bit masks per block.

    Numbers run first over how the head trials spread over the blocks, then, as digits of a mixed
    radix, over the subsets of every block with the right size: a bijection, so that uniform
    numbers give uniform labelings.
    """
    sizes = _sizes(trials)
    spread = _spreads(trials, heads)
    which = np.searchsorted(spread.ends, ranks, side="right")
    remainder: IntArray = ranks - np.take(spread.starts, which)
    masks: list[MaskArray] = []
    for block, size in enumerate(sizes):
        taken = spread.taken[which, block]
        subsets = _subsets(size)
        radix = subsets.counts[taken]
        masks.append(np.take(subsets.masks, np.take(subsets.starts, taken) + remainder % radix))
        remainder = np.floor_divide(remainder, radix)
    return masks


@dataclass(frozen=True, slots=True)
class _Spreads:
    """All ways to spread head trials over blocks; numbers starts[i] to ends[i]-1 use taken[i]."""

    taken: IntArray
    starts: IntArray
    ends: IntArray


@lru_cache(maxsize=256)
def _spreads(trials: int, heads: int) -> _Spreads:
    sizes = _sizes(trials)
    rows = [
        row
        for row in product(*(range(size + 1) for size in sizes[:-1]))
        if 0 <= heads - sum(row) <= sizes[-1]
    ]
    taken = [(*row, heads - sum(row)) for row in rows]
    ways = [
        math.prod(math.comb(size, count) for size, count in zip(sizes, row, strict=True)) for row in taken
    ]
    ends = np.cumsum(np.array(ways, dtype=np.int64))
    return _Spreads(np.array(taken, dtype=np.int64), ends - np.array(ways, dtype=np.int64), ends)


@dataclass(frozen=True, slots=True)
class _Subsets:
    """All bit masks of a block, grouped by how many bits are set."""

    masks: MaskArray
    counts: IntArray
    starts: IntArray


@lru_cache(maxsize=_BLOCK)
def _subsets(size: int) -> _Subsets:
    masks = sorted(range(2**size), key=lambda mask: (mask.bit_count(), mask))
    counts = np.array([math.comb(size, bits) for bits in range(size + 1)], dtype=np.int64)
    return _Subsets(np.array(masks, dtype=np.uint16), counts, np.cumsum(counts) - counts)


def _subset_sums(values: FloatArray) -> FloatArray:
    sums = np.zeros((1 << values.shape[0], values.shape[1]))
    for bit, row in enumerate(values):
        width = 1 << bit
        np.add(sums[:width], row, out=sums[width : 2 * width])
    return sums
