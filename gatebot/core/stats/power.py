"""What a run can see: the smallest visible drop, and the trials or cases that a drop needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gatebot.core.stats.boschloo import boschloo_p
from gatebot.core.stats.quantiles import beta_quantile, normal_quantile
from gatebot.core.stats.sequential import ALPHA
from gatebot.core.stats.single_case import CONFIRM_TRIALS, SUSPECT_DROP
from gatebot.core.stats.strata import FloatArray, Strata

POWER = 0.80
# What the solver finds, times this, had a power of .80 to .87 in every simulated setting.
QUOTED = 1.1
# The mean of all cases is tested at 0.7 of alpha, which costs this much.
MEAN_SHARE_COST = 1.07
# Reserve on trials and cases, for the lattice and for spreads that are only estimated.
RESERVE = 1.2


@dataclass(frozen=True, slots=True)
class Seeds:
    """Trials per case at base and at head, both at least 1."""

    base: int
    head: int

    @property
    def weight(self) -> float:
        """1/k_base + 1/k_head: the variance of a case's difference, per unit of trial variance."""
        return 1.0 / self.base + 1.0 / self.head


def smallest_drop(
    rates: FloatArray, seeds: Seeds, *, alpha: float = ALPHA, power: float = POWER
) -> float | None:
    """The drop of the mean pass rate that a test at `alpha` sees with about this power, or None.

    `rates` are the cases' true pass rates at base, as far as known. The drop is a common fraction f
    of every case's rate; solved for is

        drop = z_alpha * (standard error if nothing changed, at the rates pooled over both sides)
             + z_power * (standard error at the changed rates) + half a lattice step

    where the lattice step is 1/(n * k_head) (own formula; textbook versions leave out the last term
    and the second variance, and promise twice the power they give). None if even the loss of all
    passes would not be seen. Quote `quoted_drop`.
    """
    z_alpha, z_power = normal_quantile(1.0 - alpha), normal_quantile(power)
    cases = rates.size
    mean = float(np.mean(rates))
    at_base = float(np.mean(rates * (1.0 - rates)))

    def missing(fraction: float) -> float:
        head = rates * (1.0 - fraction)
        pooled = (seeds.base * rates + seeds.head * head) / (seeds.base + seeds.head)
        unchanged = float(np.mean(pooled * (1.0 - pooled))) * seeds.weight
        changed = at_base / seeds.base + float(np.mean(head * (1.0 - head))) / seeds.head
        needed = z_alpha * math.sqrt(unchanged / cases) + z_power * math.sqrt(changed / cases)
        return needed + 0.5 / (cases * seeds.head) - fraction * mean

    if mean == 0.0 or missing(1.0) > 0.0:
        return None
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if missing(middle) > 0.0 else (low, middle)
    return high * mean


def quoted_drop(rates: FloatArray, seeds: Seeds, *, shared_alpha: bool) -> float | None:
    """The drop to promise: `smallest_drop` with its simulated corrections, or None.

    `shared_alpha`: a part of alpha is kept for single cases. None also where the corrected drop is
    more than there is to lose.
    """
    drop = smallest_drop(rates, seeds)
    if drop is None:
        return None
    quoted = drop * QUOTED * (MEAN_SHARE_COST if shared_alpha else 1.0)
    return quoted if quoted <= float(np.mean(rates)) else None


def smallest_shift(
    variance: float, cases: int, seeds: Seeds, *, alpha: float = ALPHA, power: float = POWER
) -> float:
    """The visible shift of a metric that is not pass/fail: (z_alpha + z_power) standard errors.

    `variance` is that between trials of one case, averaged over cases; on the log scale the result
    is the log of a ratio.
    """
    return _z_sum(alpha, power) * math.sqrt(variance * seeds.weight / cases)


def seeds_needed(
    variance: float, cases: int, drop: float, *, alpha: float = ALPHA, power: float = POWER
) -> int:
    """Trials per case and side to see `drop`, with the same number on both sides.

    `variance` between trials of a case: the mean of p(1-p) for pass rates. Two-sample formula with a
    reserve of one fifth. Raises ValueError unless drop > 0.
    """
    step = _standard_error(drop, alpha, power)
    return max(1, math.ceil(2.0 * variance / (cases * step**2) * RESERVE))


def cases_needed(
    variance: float, seeds: Seeds, drop: float, *, alpha: float = ALPHA, power: float = POWER
) -> int:
    """Cases to see `drop` at these trials per case; same formula and reserve as `seeds_needed`."""
    step = _standard_error(drop, alpha, power)
    return max(1, math.ceil(variance * seeds.weight / step**2 * RESERVE))


def confirm_power(base_rate: float, head_rate: float, *, rounds: int, level: float) -> float:
    """The chance to convict a lone case: suspect after `rounds` rounds, then confirmed on fresh trials.

    `base_rate` and `head_rate` are its true pass rates; `level` is that of the single-case test. Exact
    sums of binomial chances.
    """
    suspect = suspect_chance(base_rate, head_rate, rounds)
    confirmed = _chance(
        base_rate,
        head_rate,
        CONFIRM_TRIALS,
        lambda xb, xh: boschloo_p((xb, CONFIRM_TRIALS), (xh, CONFIRM_TRIALS)) <= level,
    )
    return suspect * confirmed


def suspect_chance(base_rate: float, head_rate: float, rounds: int) -> float:
    """The chance that a case with these true pass rates is suspect after `rounds` rounds."""
    return _chance(base_rate, head_rate, rounds, lambda xb, xh: (xb - xh) / rounds >= SUSPECT_DROP - 1e-9)


def within_variance(strata: Strata) -> float:
    """The variance between trials of one case and side, averaged over cases; 0 if it cannot be known.

    Sides with a single trial say nothing and are left out.
    """
    per_case: list[float] = []
    for base, head in zip(strata.base, strata.head, strict=True):
        freedom = base.size + head.size - 2
        if freedom > 0:
            squares = float(np.sum((base - np.mean(base)) ** 2) + np.sum((head - np.mean(head)) ** 2))
            per_case.append(squares / freedom)
    return float(np.mean(per_case)) if per_case else 0.0


def assumed_rates(cases: int, a: float = 5.0, b: float = 0.5) -> FloatArray:
    """Pass rates to plan with before anything was run: evenly spaced quantiles of Beta(a, b).

    The default is a mature suite, mean rate .91; a = b = .5 is one where every difficulty occurs.
    """
    return np.array([beta_quantile((i + 0.5) / cases, a, b) for i in range(cases)])


def estimated_rates(passes: FloatArray, trials: FloatArray) -> FloatArray:
    """Pass rates to plan with, from trials of one side: each case drawn towards the mean of all.

    Posterior means under a beta prior fitted by moments (empirical Bayes, Kleinman JASA 1973): three
    passes of three do not mean a rate of 1 when other cases fail now and then.
    """
    center = (float(np.sum(passes)) + 0.5) / (float(np.sum(trials)) + 1.0)
    rates = passes / trials
    noise = center * (1.0 - center) * float(np.mean(1.0 / trials))
    between = float(np.mean((rates - center) ** 2)) - noise
    most = center * (1.0 - center) * (1.0 - float(np.mean(1.0 / trials)))
    share = min(max(between / most, 0.01), 0.99) if most > 0.0 else 0.5
    strength = 1.0 / share - 1.0
    return (passes + strength * center) / (trials + strength)


def _chance(base_rate: float, head_rate: float, trials: int, event: Callable[[int, int], bool]) -> float:
    return math.fsum(
        _binomial(xb, trials, base_rate) * _binomial(xh, trials, head_rate)
        for xb in range(trials + 1)
        for xh in range(trials + 1)
        if event(xb, xh)
    )


def _binomial(passes: int, trials: int, rate: float) -> float:
    return math.comb(trials, passes) * rate**passes * (1.0 - rate) ** (trials - passes)


def _standard_error(drop: float, alpha: float, power: float) -> float:
    if not drop > 0.0:
        raise ValueError("a drop to be seen must be larger than 0")
    return drop / _z_sum(alpha, power)


def _z_sum(alpha: float, power: float) -> float:
    return normal_quantile(1.0 - alpha) + normal_quantile(power)
