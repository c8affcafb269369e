"""Evidence for one metric: for every case, the values seen at base and at head."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Strata:
    """One metric's values, case by case; position i of `base` and of `head` is the same case.

    Every entry is a non-empty 1-D array of finite floats, one float per trial; the two sides of a
    case may have different lengths. Cases without a value on one side are the caller's to leave
    out. Raises ValueError where any of this does not hold.
    """

    base: tuple[FloatArray, ...]
    head: tuple[FloatArray, ...]

    def __post_init__(self) -> None:
        if len(self.base) != len(self.head):
            raise ValueError(f"{len(self.base)} cases at base but {len(self.head)} at head")
        if not self.base:
            raise ValueError("no case: an empty comparison has no effect and no test")
        for side, arrays in (("base", self.base), ("head", self.head)):
            for index, values in enumerate(arrays):
                if values.ndim != 1 or values.size == 0:
                    raise ValueError(f"case {index} has no list of values at {side}")
            finite = np.isfinite(np.concatenate(arrays))
            if not bool(finite.all()):
                ends = np.cumsum([values.size for values in arrays])
                index = int(np.searchsorted(ends, int(np.argmin(finite)), side="right"))
                raise ValueError(f"case {index} has a value at {side} that is not finite")

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return len(self.base)


@dataclass(frozen=True, slots=True)
class PassCounts:
    """Passes and trials per case and side, as four float arrays of one length.

    Passes may be fractional where a [0, 1] score stands in for a pass (see `fractional_counts`).
    Raises ValueError if a side has no trial or more passes than trials.
    """

    base_passes: FloatArray
    base_trials: FloatArray
    head_passes: FloatArray
    head_trials: FloatArray

    def __post_init__(self) -> None:
        sizes = {
            array.shape for array in (self.base_passes, self.base_trials, self.head_passes, self.head_trials)
        }
        if len(sizes) != 1 or self.base_passes.ndim != 1 or self.base_passes.size == 0:
            raise ValueError("counts must be four lists of the same, non-zero number of cases")
        for passes, trials in (
            (self.base_passes, self.base_trials),
            (self.head_passes, self.head_trials),
        ):
            if bool((trials < 1).any()) or bool((trials != np.floor(trials)).any()):
                raise ValueError("every case needs a whole number of trials, at least one a side")
            if not bool(((passes >= 0) & (passes <= trials)).all()):
                raise ValueError("passes must lie between 0 and the number of trials")

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return int(self.base_passes.size)

    @property
    def effect(self) -> float:
        """Mean over cases of (head rate - base rate), every case with the same weight."""
        head = self.head_passes / self.head_trials
        return float(np.mean(head - self.base_passes / self.base_trials))

    @property
    def whole(self) -> bool:
        """Whether all passes are whole numbers, as a test of pass or fail requires."""
        passes = np.concatenate((self.base_passes, self.head_passes))
        return bool((passes == np.floor(passes)).all())


@dataclass(frozen=True, slots=True)
class Tails:
    """One-sided p-values of one statistic, D = head minus base.

    `lower` is the chance of a D this small or smaller when labels mean nothing, `upper` of a D this
    large or larger.
    """

    lower: float
    upper: float

    def worse(self, *, higher_is_better: bool) -> float:
        """The p-value against "head is no worse than base"."""
        return self.lower if higher_is_better else self.upper

    def better(self, *, higher_is_better: bool) -> float:
        """The p-value against "head is no better than base"."""
        return self.upper if higher_is_better else self.lower


def strata_of(base: Iterable[Sequence[float]], head: Iterable[Sequence[float]]) -> Strata:
    """Build `Strata` from plain lists of numbers, one list per case and side."""
    return Strata(
        base=tuple(np.asarray(values, dtype=np.float64) for values in base),
        head=tuple(np.asarray(values, dtype=np.float64) for values in head),
    )


def counts_of(base: Sequence[tuple[float, float]], head: Sequence[tuple[float, float]]) -> PassCounts:
    """Build `PassCounts` from one (passes, trials) pair per case and side."""
    base_pairs = np.asarray(base, dtype=np.float64).reshape(-1, 2)
    head_pairs = np.asarray(head, dtype=np.float64).reshape(-1, 2)
    return PassCounts(base_pairs[:, 0], base_pairs[:, 1], head_pairs[:, 0], head_pairs[:, 1])


def case_differences(strata: Strata) -> FloatArray:
    """Head mean minus base mean, one number per case."""
    return case_means(strata.head) - case_means(strata.base)


def case_means(arm: Sequence[FloatArray]) -> FloatArray:
    """The mean of each case of one side; the mean of equal values is exactly that value."""
    sizes, starts = _places(arm)
    values = np.concatenate(arm)
    first = values[starts]
    return first + np.add.reduceat(values - np.repeat(first, sizes), starts) / sizes


def effect(strata: Strata) -> float:
    """D: the mean over cases of (head mean - base mean), every case with the same weight."""
    return float(np.mean(case_differences(strata)))


def is_binary(strata: Strata) -> bool:
    """Whether every value is exactly 0 or 1."""
    values = _all_values(strata)
    return bool(((values == 0.0) | (values == 1.0)).all())


def is_unit(strata: Strata) -> bool:
    """Whether every value lies in [0, 1]."""
    values = _all_values(strata)
    return bool(((values >= 0.0) & (values <= 1.0)).all())


def is_constant(strata: Strata) -> bool:
    """Whether, within every case and side, all trials gave the same value."""
    arms = strata.base + strata.head
    sizes, starts = _places(arms)
    values = np.concatenate(arms)
    return bool((values == np.repeat(values[starts], sizes)).all())


def pass_counts(strata: Strata) -> PassCounts:
    """Count passes of a binary metric. Raises ValueError if a value is neither 0 nor 1."""
    if not is_binary(strata):
        raise ValueError("only values 0 and 1 can be counted as passes")
    base, head = _passes(strata.base), _passes(strata.head)
    return PassCounts(base[0], base[1], head[0], head[1])


def fractional_counts(strata: Strata) -> PassCounts:
    """Sum the values of a [0, 1] metric as if they were passes.

    A variable in [0, 1] with mean p has at most the variance p(1-p) of a pass/fail variable, so
    reading sums as passes can only widen an interval. Raises ValueError outside [0, 1].
    """
    if not is_unit(strata):
        raise ValueError("only values in [0, 1] can be read as fractions of a pass")
    return PassCounts(
        base_passes=np.array([_bounded_sum(values) for values in strata.base]),
        base_trials=np.array([float(values.size) for values in strata.base]),
        head_passes=np.array([_bounded_sum(values) for values in strata.head]),
        head_trials=np.array([float(values.size) for values in strata.head]),
    )


def _passes(arm: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
    sizes, starts = _places(arm)
    return np.add.reduceat(np.concatenate(arm), starts), sizes.astype(np.float64)


def _places(arm: Sequence[FloatArray]) -> tuple[IntArray, IntArray]:
    """How many values each case has, and where its first one is when all are put in a row."""
    sizes: IntArray = np.array([values.size for values in arm], dtype=np.int64)
    return sizes, np.cumsum(sizes, dtype=np.int64) - sizes


def _all_values(strata: Strata) -> FloatArray:
    return np.concatenate(strata.base + strata.head)


def _bounded_sum(values: FloatArray) -> float:
    # fsum is exact up to one rounding, so ten times 0.1 is 1 and never exceeds the trial count.
    return min(math.fsum(values.tolist()), float(values.size))


def log_strata(strata: Strata, *, floor: float) -> Strata:
    """Natural logarithms of a positive quantity, so that D becomes the log of a ratio.

    Values below `floor` (> 0, in the metric's own unit) count as `floor`: a trial with zero tool
    calls must not turn the ratio into 0 or infinity. Raises ValueError for a floor <= 0.
    """
    if not floor > 0.0:
        raise ValueError("the floor of a log scale must be positive")
    return Strata(
        base=tuple(np.log(np.maximum(values, floor)) for values in strata.base),
        head=tuple(np.log(np.maximum(values, floor)) for values in strata.head),
    )
