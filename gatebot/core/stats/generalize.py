"""Scope "generalize": are heads worse on cases like these? Cases are the sample, not their trials."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gatebot.core.stats.interval import Limits, variance_of
from gatebot.core.stats.permutation import JointTails, step_down
from gatebot.core.stats.quantiles import t_cdf, t_quantile
from gatebot.core.stats.resampling import PERMUTATIONS
from gatebot.core.stats.strata import FloatArray, Tails

# Fewer cases say too little about cases not seen.
MIN_CASES = 10
# Up to so many cases all sign patterns are gone through.
_EXACT_CASES = 13
_CHUNK = 1000


def sign_flip_tails(
    differences: FloatArray, *, seed: int, permutations: int = PERMUTATIONS
) -> tuple[Tails, bool]:
    """p-values of the mean case difference under random signs, and whether they are exact.

    See `joint_sign_flips`; `differences` holds one number per case, head mean minus base mean.
    """
    joint = joint_sign_flips(differences.reshape(-1, 1), seed=seed, permutations=permutations)
    return joint.raw[0], joint.exact


def joint_sign_flips(differences: FloatArray, *, seed: int, permutations: int = PERMUTATIONS) -> JointTails:
    """Flip the signs of case differences, jointly for all metrics, and adjust by step-down max-T.

    `differences` is cases x metrics; NaN where a metric has no value on a case. If head and base are
    exchangeable, a case's difference is as likely positive as negative (Fisher 1935). The statistic
    is the sum of differences over its standard deviation under flips. All sign patterns for at most
    13 cases, else `permutations` patterns from PCG64(seed). Raises ValueError for no case, or a
    metric without any.
    """
    if differences.ndim != 2 or not differences.size or bool(np.isnan(differences).all(axis=0).any()):
        raise ValueError("a sign-flip test needs at least one case per metric")
    present = np.nan_to_num(differences, nan=0.0)
    norms = np.sqrt(np.sum(present**2, axis=0))
    scaled = present / np.where(norms > 0.0, norms, 1.0)
    scaled = scaled[np.any(scaled != 0.0, axis=1)]
    exact = scaled.shape[0] <= _EXACT_CASES
    signs = _all_signs(scaled.shape[0]) if exact else None
    flipped = signs @ scaled if signs is not None else _drawn(scaled, permutations, seed)
    observed = np.sum(scaled, axis=0)
    upper = step_down(observed, flipped, exact=exact)
    lower = step_down(-observed, -flipped, exact=exact)
    return JointTails(
        raw=tuple(Tails(low, up) for low, up in zip(lower[0], upper[0], strict=True)),
        adjusted=tuple(Tails(low, up) for low, up in zip(lower[1], upper[1], strict=True)),
        exact=exact,
        labelings=flipped.shape[0],
    )


def paired_t_interval(differences: Sequence[float] | FloatArray, confidence: float) -> Limits:
    """Mean case difference plus and minus t * s / sqrt(n), n - 1 degrees of freedom (Student 1908).

    Coinciding limits if all differences are equal. Raises ValueError for fewer than two cases.
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.size < 2:
        raise ValueError("a spread over cases needs at least two cases")
    reach = t_quantile(0.5 + confidence / 2.0, values.size - 1.0) * math.sqrt(
        variance_of(values) / values.size
    )
    center = float(np.mean(values))
    return center - reach, center + reach


def paired_t_tails(differences: Sequence[float] | FloatArray) -> Tails:
    """Both one-sided p-values of the paired t test over cases; 1 and 1 if no difference differs from 0.

    Raises ValueError for fewer than two cases.
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.size < 2:
        raise ValueError("a spread over cases needs at least two cases")
    center = float(np.mean(values))
    error = math.sqrt(variance_of(values) / values.size)
    if error == 0.0:
        return Tails(1.0, 1.0) if center == 0.0 else Tails(float(center > 0.0), float(center < 0.0))
    lower = t_cdf(center / error, values.size - 1.0)
    return Tails(lower, t_cdf(-center / error, values.size - 1.0))


def _all_signs(cases: int) -> FloatArray:
    patterns = np.arange(2**cases, dtype=np.int64)[:, None] >> np.arange(cases, dtype=np.int64)[None, :]
    return np.where(patterns & 1, -1.0, 1.0)


def _drawn(scaled: FloatArray, permutations: int, seed: int) -> FloatArray:
    generator = np.random.Generator(np.random.PCG64(seed))
    sums = np.empty((permutations, scaled.shape[1]))
    for start in range(0, permutations, _CHUNK):
        rows = min(_CHUNK, permutations - start)
        signs = 1.0 - 2.0 * generator.integers(0, 2, size=(rows, scaled.shape[0]), dtype=np.int8)
        sums[start : start + rows] = signs @ scaled
    return sums
