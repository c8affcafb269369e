"""Confidence intervals for D, chosen so that they agree with the test."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from gatebot.core.stats.quantiles import normal_quantile, t_quantile
from gatebot.core.stats.score import score_variance, score_variances
from gatebot.core.stats.strata import (
    FloatArray,
    PassCounts,
    Strata,
    effect,
    fractional_counts,
    is_binary,
    is_constant,
    is_unit,
)

Limits: TypeAlias = tuple[float, float]
Beyond = Literal["below", "above", "neither"]
"""What a test of D = 0 said: D lies below 0, above it, or may be 0."""
NEXT_TO_ZERO = 1e-9
"""Where an interval ends that excludes 0 by the test alone: smaller than any difference that a suite can show."""

_TOLERANCE = 1e-14
_NUDGE = 1e-9
_SCAN = 24


def confidence_at(level: float) -> float:
    """The two-sided confidence, 1 - 2*level, that goes with a one-sided test at `level` in (0, 0.5)."""
    if not 0.0 < level < 0.5:
        raise ValueError("a one-sided level lies strictly between 0 and 0.5")
    return 1.0 - 2.0 * level


def effect_interval(strata: Strata, confidence: float) -> Limits:
    """The interval for D that suits the values.

    Pass/fail values get the stratified score interval. So do values in [0, 1] that are constant
    within every case and side, read as fractions of passes, because a variance of 0 that was merely
    observed would give an interval of zero width. Everything else gets the stratified t interval,
    cut at -1 and 1 if all values lie in [0, 1].
    """
    if is_binary(strata) or (is_unit(strata) and is_constant(strata)):
        return score_interval(fractional_counts(strata), confidence)
    low, high = welch_interval(strata, confidence)
    return (max(low, -1.0), min(high, 1.0)) if is_unit(strata) else (low, high)


def score_interval(counts: PassCounts, confidence: float) -> Limits:
    """The differences d of pass rates that the score test does not refuse, at two-sided `confidence`.

    All d with |D - d| <= z * sqrt(variance of D if every case differed by d): Miettinen and
    Nurminen (Statist. Med. 1985), with the weight 1/n for every case. At d = 0 that variance is the
    one over label shuffles, so the interval is the large-sample companion of the exact test. With
    very few trials these d may leave a gap; the interval then runs from the lowest to the highest.
    It contains D, lies in [-1, 1] and never has zero width. Passes may be fractional.
    """
    z = normal_quantile(0.5 + _checked(confidence) / 2.0)
    return _score_limit(counts, z, -1.0), _score_limit(counts, z, 1.0)


def _score_limit(counts: PassCounts, z: float, end: float) -> float:
    """The accepted difference nearest to `end` (-1 or 1): found by a scan, then refined."""
    center = counts.effect
    scanned = np.linspace(end, center, _SCAN)
    excess = np.abs(center - scanned) - z * np.sqrt(score_variances(counts, scanned))
    # The last scanned point is D itself, which is always accepted.
    first = int(np.argmax(np.append(excess[:-1] <= 0.0, True)))
    if first == 0:
        return end

    def refused_by(difference: float) -> float:
        return abs(center - difference) - z * math.sqrt(score_variance(counts, difference))

    return _root(refused_by, float(scanned[first - 1]), float(scanned[first]))


def welch_interval(strata: Strata, confidence: float) -> Limits:
    """D plus and minus t * sqrt(sum over cases of (s_b^2/k_b + s_h^2/k_h)) / n.

    Degrees of freedom by Welch (Biometrika 1947) and Satterthwaite (1946), over all cases and sides.
    A side with a single trial shows no spread; its case then uses the variance of all its trials
    together, which a true difference can only make larger. The same is done for all cases if no
    side of any case varies, so that a difference without noise still has a width. Only where every
    case shows one and the same value throughout do the limits coincide (with D = 0).
    """
    _checked(confidence)
    center = effect(strata)
    parts = _variance_parts(strata, pooled=False)
    if not any(variance for variance, _ in parts):
        parts = _variance_parts(strata, pooled=True)
    error, degrees = error_and_degrees(parts)
    if error == 0.0:
        return center, center
    reach = t_quantile(0.5 + confidence / 2.0, degrees) * error / strata.cases
    return center - reach, center + reach


def error_and_degrees(parts: list[tuple[float, float]]) -> tuple[float, float]:
    """Standard error of a sum of independent parts, and Satterthwaite's degrees of freedom.

    `parts` are (variance, degrees of freedom) pairs. Without any variance: (0, infinity).
    """
    total = math.fsum(variance for variance, _ in parts)
    if total == 0.0:
        return 0.0, math.inf
    shares = math.fsum((variance / total) ** 2 / degrees for variance, degrees in parts)
    return math.sqrt(total), 1.0 / shares


def variance_of(values: FloatArray) -> float:
    """The sample variance of at least two values; exactly 0 if all are equal."""
    return float(np.var(values - values[0], ddof=1))


def agreeing_with(limits: Limits, told: Beyond) -> Limits:
    """The interval made to agree with the test of D = 0, which said where D lies, or that it may be 0.

    Without a rejection the interval includes 0; after one it does not: it ends at the number next to 0 on the side
    that the test found. Still a confidence set: the value 0 is merely judged by the exact test instead of the
    approximate one. A rejection beside an interval that holds 0 takes scores of few trials that hardly vary, whose
    interval is made wide on purpose.
    """
    low, high = limits
    if told == "below":
        return min(low, -NEXT_TO_ZERO), min(high, -NEXT_TO_ZERO)
    if told == "above":
        return max(low, NEXT_TO_ZERO), max(high, NEXT_TO_ZERO)
    return min(low, 0.0), max(high, 0.0)


def ratio_interval(limits: Limits) -> Limits:
    """An interval for a difference of logarithms, turned into one for the ratio head / base."""
    return math.exp(limits[0]), math.exp(limits[1])


def _variance_parts(strata: Strata, *, pooled: bool) -> list[tuple[float, float]]:
    """Independent (variance, degrees of freedom) parts whose sum is the variance of n*D."""
    parts: list[tuple[float, float]] = []
    for base, head in zip(strata.base, strata.head, strict=True):
        if pooled or base.size == 1 or head.size == 1:
            together = np.concatenate((base, head))
            weight = 1.0 / base.size + 1.0 / head.size
            parts.append((variance_of(together) * weight, together.size - 1.0))
        else:
            parts.append((variance_of(base) / base.size, base.size - 1.0))
            parts.append((variance_of(head) / head.size, head.size - 1.0))
    return parts


def _checked(confidence: float) -> float:
    if not 0.0 < confidence < 1.0:
        raise ValueError("a confidence lies strictly between 0 and 1")
    return confidence


def _root(function: Callable[[float], float], outside: float, inside: float) -> float:
    """Where `function` changes sign between `outside` (>= 0) and `inside` (<= 0).

    Inverse quadratic interpolation guarded by bisection (Chandrupatla, Adv. Eng. Software 1997).
    Where no case varied, the variance at `inside` itself is 0 and the sign shows only beside it.
    """
    b, a = outside, inside + (outside - inside) * _NUDGE
    fb, fa = function(b), function(a)
    if fa >= 0.0:
        return inside
    c, fc, t = a, fa, 0.5
    while True:
        x = a + t * (b - a)
        fx = function(x)
        if (fx > 0.0) == (fa > 0.0):
            c, fc = a, fa
        else:
            c, b, fc, fb = b, a, fb, fa
        a, fa = x, fx
        best = a if abs(fa) < abs(fb) else b
        limit = _TOLERANCE / abs(b - c) if b != c else 1.0
        if limit > 0.5 or fa == 0.0 or fb == 0.0:
            return best
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
        t = 0.5
        if phi**2 < xi and (1.0 - phi) ** 2 < 1.0 - xi:
            t = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        t = min(max(t, limit), 1.0 - limit)
