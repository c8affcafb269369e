"""Mean and standard deviation of a handful of values, for a report; tests and intervals have arrays of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean, summed exactly; None of no values."""
    if len(values) == 1:
        return float(values[0])
    return _over(values, len(values)) if values else None


def variance(values: Sequence[float]) -> float:
    """The sample variance of at least two values, exactly 0 if all are equal; infinite where no number is so large."""
    first = values[0]
    centred = [value - first for value in values]
    middle = _over(centred, len(centred))
    off = [value - middle for value in centred]
    return _over([one * one for one in off], len(off) - 1)


def deviation(values: Sequence[float]) -> float | None:
    """The sample standard deviation; None of fewer than two values."""
    return math.sqrt(variance(values)) if len(values) > 1 else None


def _over(values: Sequence[float], divisor: int) -> float:
    try:
        return math.fsum(values) / divisor
    except OverflowError:
        # An agent may claim that a call took 1e308 seconds: the report is written all the same.
        return sum(value / divisor for value in values)
