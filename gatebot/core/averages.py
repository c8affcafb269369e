"""Mean and standard deviation of a handful of values, for a report; tests and intervals have arrays of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean, summed exactly; None of no values."""
    if len(values) == 1:
        return float(values[0])
    return math.fsum(values) / len(values) if values else None


def variance(values: Sequence[float]) -> float:
    """The sample variance of at least two values, exactly 0 if all are equal."""
    first = values[0]
    centred = [value - first for value in values]
    middle = math.fsum(centred) / len(centred)
    return math.fsum((value - middle) ** 2 for value in centred) / (len(centred) - 1)


def deviation(values: Sequence[float]) -> float | None:
    """The sample standard deviation; None of fewer than two values."""
    return math.sqrt(variance(values)) if len(values) > 1 else None
