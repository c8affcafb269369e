"""How well judgements agree: Cohen's kappa for two raters, Krippendorff's alpha for any number. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Literal

Level = Literal["nominal", "interval"]


def cohens_kappa(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Agreement of two raters on categories beyond chance, in [-1, 1].

    (po − pe) / (1 − pe), Cohen 1960. None when there is nothing to rate, or both gave one and the same category to
    everything. Raises ValueError for lists of different lengths.
    """
    pairs = list(zip(one, other, strict=True))
    if not pairs:
        return None
    n = len(pairs)
    observed = sum(a == b for a, b in pairs) / n
    first, second = Counter(one), Counter(other)
    expected = sum(first[category] * second[category] for category in first) / n**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def krippendorffs_alpha(units: Sequence[Sequence[float | None]], level: Level) -> float | None:
    """Agreement of any number of raters, in (-∞, 1]; a unit is what was rated, its values in any order, None = missing.

    1 − Do/De (Krippendorff, Content Analysis, ch. 12): observed over expected disagreement among pairable values, by
    equality (`nominal`) or squared difference (`interval`). None when fewer than two values can be paired, or all are
    equal: then there is nothing to disagree on.
    """
    rated = [[value for value in unit if value is not None] for unit in units]
    pairable = [values for values in rated if len(values) > 1]
    every = [value for values in pairable for value in values]
    n = len(every)
    if n < 2:
        return None
    expected = 2 * sum(_distance(a, b, level) for a, b in combinations(every, 2)) / (n * (n - 1))
    if expected == 0:
        return None
    observed = sum(
        2 * sum(_distance(a, b, level) for a, b in combinations(values, 2)) / (len(values) - 1)
        for values in pairable
    )
    return 1 - observed / n / expected


def _distance(one: float, other: float, level: Level) -> float:
    return float(one != other) if level == "nominal" else (one - other) ** 2
