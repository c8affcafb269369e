"""When to look, how small p must be at each look, and how large it may be before giving up."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from gatebot.core.stats.quantiles import normal_quantile, normal_tail
from gatebot.core.stats.strata import FloatArray

ALPHA = 0.05
# Of a pull request's alpha, the share spent on the mean of all cases; the rest goes to single cases.
MEAN_SHARE = 0.7
FUTILITY = (0.5, 0.4, 0.3)
# A cached base may not convict: from this p on, the base is run afresh.
FRESH_BASE_P = 0.20
_SHIPPED_ALPHA = ALPHA * MEAN_SHARE
_SHIPPED: dict[tuple[float, ...], tuple[float, ...]] = {
    (0.3, 0.5, 0.7, 1.0): (0.0032, 0.0070, 0.0127, 0.0270),
    (0.461538, 0.666667, 0.823529, 1.0): (0.0075, 0.0120, 0.0166, 0.0244),
}
_REACH = 9.0
_PANEL = 12

Spending = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Course:
    """Chances, look by look, of stopping for a regression and of stopping for futility."""

    rejected: tuple[float, ...]
    futile: tuple[float, ...]

    def expected(self, costs: Sequence[float]) -> float:
        """The mean cost, if stopping at look r costs `costs[r]` and the last look always stops."""
        stops = [a + b for a, b in zip(self.rejected, self.futile, strict=True)]
        stops[-1] = 1.0 - math.fsum(stops[:-1])
        return math.fsum(stop * cost for stop, cost in zip(stops, costs, strict=True))


def information_fractions(base_trials: Sequence[float], head_trials: Sequence[float]) -> tuple[float, ...]:
    """The share of the final information at each look, from trials per case and side.

    Information is 1 / (1/k_base + 1/k_head). Raises ValueError unless it grows from look to look.
    """
    information = [1.0 / (1.0 / b + 1.0 / h) for b, h in zip(base_trials, head_trials, strict=True)]
    if any(later <= earlier for earlier, later in pairwise(information)):
        raise ValueError("every look needs more information than the one before")
    return tuple(value / information[-1] for value in information)


def look_levels(fractions: Sequence[float], alpha: float = _SHIPPED_ALPHA) -> tuple[float, ...]:
    """How small the one-sided p must be at each look, spending alpha * t^2 (Kim and DeMets 1987).

    For the default alpha of the mean (0.035) and looks after rounds 3, 5, 7, 10 - base fresh, or
    cached with ten trials per case - these are shipped constants; otherwise they are computed.
    """
    key = tuple(round(fraction, 6) for fraction in fractions)
    if math.isclose(alpha, _SHIPPED_ALPHA) and key in _SHIPPED:
        return _SHIPPED[key]
    return _quadratic_levels(tuple(fractions), alpha)


@lru_cache(maxsize=64)
def _quadratic_levels(fractions: tuple[float, ...], alpha: float) -> tuple[float, ...]:
    return nominal_levels(fractions, quadratic_spending(alpha))


def quadratic_spending(alpha: float) -> Spending:
    """Spend alpha * t^2: the power family of Kim and DeMets (Biometrika 1987) with exponent 2."""
    return lambda t: alpha * t * t


def nominal_levels(fractions: Sequence[float], spending: Spending) -> tuple[float, ...]:
    """One-sided p-value limits per look, so that crossing chances add up to what may be spent.

    Under no change the score process is Brownian motion observed at the information fractions t
    (0 < t_1 < ... <= 1). The recursion of Armitage, McPherson and Rowe (JRSS A 1969) carries the
    density of paths that have not crossed from look to look; each limit is solved for so that
    exactly the newly spent alpha crosses it. Raises ValueError for fractions that do not ascend.
    """
    _check_fractions(fractions)
    levels: list[float] = []
    paths = _start()
    before, spent = 0.0, 0.0
    for t in fractions:
        step = math.sqrt(t - before)
        increment = spending(t) - spent
        limit = _limit(paths, step, increment)
        levels.append(normal_tail(limit / math.sqrt(t)))
        paths = paths.moved(step, -_REACH * math.sqrt(t), limit)
        before, spent = t, spending(t)
    return tuple(levels)


def course(
    fractions: Sequence[float], levels: Sequence[float], futility: Sequence[float], drift: float = 0.0
) -> Course:
    """Chances of each way to stop, in the Brownian approximation.

    `levels[r]` is the red limit of p at look r and `futility[r]` the p above which look r gives up
    (one fewer: the last look ends anyway). `drift` is the expected z at the last look, 0 if nothing
    changed. Same recursion as `nominal_levels`, with a floor.
    """
    _check_fractions(fractions)
    rejected: list[float] = []
    futile: list[float] = []
    paths = _start()
    before = 0.0
    for r, t in enumerate(fractions):
        step, shift = math.sqrt(t - before), drift * (t - before)
        limit = -normal_quantile(levels[r]) * math.sqrt(t)
        floor = -normal_quantile(futility[r]) * math.sqrt(t) if r < len(futility) else -math.inf
        rejected.append(paths.beyond(limit - shift, step))
        futile.append(paths.mass() - paths.beyond(floor - shift, step) if r < len(futility) else 0.0)
        paths = paths.moved(step, max(floor, drift * t - _REACH * math.sqrt(t)), limit, shift)
        before = t
    return Course(tuple(rejected), tuple(futile))


@dataclass(frozen=True, slots=True)
class _Paths:
    """The paths still running: places of the score process, and probability at each place."""

    places: FloatArray
    weights: FloatArray

    def mass(self) -> float:
        return float(self.weights.sum())

    def beyond(self, limit: float, step: float) -> float:
        """Chance to be running now and above `limit` after a normal step of this size."""
        tails = [normal_tail((limit - place) / step) for place in self.places.tolist()]
        return float(self.weights @ np.array(tails))

    def moved(self, step: float, low: float, high: float, shift: float = 0.0) -> _Paths:
        """The paths that end between `low` and `high` after a step with mean `shift`."""
        if high <= low:
            return _Paths(np.zeros(1), np.zeros(1))
        # Gauss-Legendre on panels no wider than the step, so that the kernel is resolved.
        nodes, weights = np.polynomial.legendre.leggauss(_PANEL)
        panels = math.ceil((high - low) / step)
        half = (high - low) / panels / 2.0
        centers = low + half * (2.0 * np.arange(panels) + 1.0)
        places = (centers[:, None] + half * nodes[None, :]).ravel()
        gaps = (places[:, None] - self.places[None, :] - shift) / step
        density = np.exp(-0.5 * gaps**2) @ self.weights / (step * math.sqrt(2.0 * math.pi))
        return _Paths(places, density * np.tile(half * weights, panels))


def _start() -> _Paths:
    return _Paths(np.zeros(1), np.ones(1))


def _limit(paths: _Paths, step: float, chance: float) -> float:
    """The place that running paths pass, in the next step, with exactly this chance."""
    low, high = -50.0, 50.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if paths.beyond(middle, step) > chance else (low, middle)
    return high


def _check_fractions(fractions: Sequence[float]) -> None:
    ascending = all(a < b for a, b in pairwise(fractions))
    if not fractions or not ascending or fractions[0] <= 0.0 or fractions[-1] > 1.0 + 1e-12:
        raise ValueError("information fractions must ascend from above 0 to at most 1")
