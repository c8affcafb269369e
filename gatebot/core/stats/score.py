"""The score test of a difference of pass rates, case by case: best-fitting rates and their variance."""

from __future__ import annotations

import math

import numpy as np

from gatebot.core.stats.strata import FloatArray, PassCounts


def score_z(counts: PassCounts, difference: float) -> float:
    """How many standard errors D lies above `difference`, by the score test (negative: below).

    Infinite where D differs from a `difference` that leaves no variance (-1 and 1).
    """
    gap = counts.effect - difference
    error = math.sqrt(score_variance(counts, difference))
    if error == 0.0:
        return 0.0 if gap == 0.0 else math.copysign(math.inf, gap)
    return gap / error


def score_variance(counts: PassCounts, difference: float) -> float:
    """The variance of D if every case's true difference were `difference`, in [-1, 1]."""
    return float(score_variances(counts, np.array([difference]))[0])


def score_variances(counts: PassCounts, differences: FloatArray) -> FloatArray:
    """`score_variance` for each of many differences."""
    base, head = constrained_rates(counts, differences[:, None])
    trials = counts.base_trials + counts.head_trials
    variance = head * (1.0 - head) / counts.head_trials
    variance += base * (1.0 - base) / counts.base_trials
    variance *= trials / (trials - 1.0)
    return np.sum(variance, axis=1) / counts.cases**2


def constrained_rates(counts: PassCounts, d: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The most likely (base rate, head rate) per case among those that differ by d.

    `d` is a column of differences; the result has a row for each and a column per case.

    The score equation is a cubic in the base rate; its admissible root is found in closed form
    (Miettinen and Nurminen 1985; Farrington and Manning, Statist. Med. 1990) and then polished by
    a Newton step, as the trigonometric form loses half the digits near a double root.
    """
    heads, bases = counts.head_trials, counts.base_trials
    passes = counts.head_passes + counts.base_passes
    trials = heads + bases
    # Coefficients of trials*b^3 + l2*b^2 + l1*b + l0 = 0 for the base rate b; head rate b + d.
    l2 = (heads + 2.0 * bases) * d - trials - passes
    l1 = (bases * d - trials - 2.0 * counts.base_passes) * d + passes
    l0 = counts.base_passes * d * (1.0 - d)
    third = l2 / (3.0 * trials)
    q = third**3 - l1 * l2 / (6.0 * trials**2) + l0 / (2.0 * trials)
    radius = np.sqrt(np.maximum(third**2 - l1 / (3.0 * trials), 0.0))
    p = np.where(q > 0.0, radius, -radius)
    cosine = np.clip(q / np.where(p == 0.0, 1.0, p**3), -1.0, 1.0)
    root = 2.0 * p * np.cos((math.pi + np.arccos(cosine)) / 3.0) - third
    low, high = np.maximum(0.0, -d), np.minimum(1.0, 1.0 - d)
    base = np.clip(root, low, high)
    value = ((trials * base + l2) * base + l1) * base + l0
    slope = (3.0 * trials * base + 2.0 * l2) * base + l1
    steep = np.abs(slope) > 1e-6 * trials
    base = np.clip(base - np.where(steep, value, 0.0) / np.where(steep, slope, 1.0), low, high)
    # With no pass, or no failure, on either side the answer is an end of the range, exactly.
    base = np.where(passes == 0.0, low, np.where(passes == trials, high, base))
    return base, np.clip(base + d, 0.0, 1.0)
