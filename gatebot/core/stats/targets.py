"""Intervals for one side alone, by which absolute targets are judged."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gatebot.core.stats.interval import Limits, error_and_degrees, variance_of
from gatebot.core.stats.quantiles import beta_quantile, normal_quantile, t_quantile
from gatebot.core.stats.strata import FloatArray


def wilson_interval(passes: float, trials: float, confidence: float) -> Limits:
    """Wilson's score interval for a pass rate (JASA 1927), two-sided; passes may be fractional.

    Raises ValueError unless 0 <= passes <= trials and trials > 0.
    """
    _check(passes, trials, confidence)
    z = normal_quantile(0.5 + confidence / 2.0)
    rate = passes / trials
    weight = z * z / trials
    center = (rate + weight / 2.0) / (1.0 + weight)
    reach = math.sqrt(weight * (rate * (1.0 - rate) + weight / 4.0)) / (1.0 + weight)
    # At the ends the limit is known without rounding.
    low = 0.0 if passes == 0.0 else max(center - reach, 0.0)
    high = 1.0 if passes == trials else min(center + reach, 1.0)
    return low, high


def clopper_pearson_interval(passes: float, trials: float, confidence: float) -> Limits:
    """The exact binomial interval for a pass rate (Clopper and Pearson, Biometrika 1934).

    Never covers less than it says, hence wider than Wilson's. Raises ValueError as that one does.
    """
    _check(passes, trials, confidence)
    tail = (1.0 - confidence) / 2.0
    low = 0.0 if passes == 0.0 else beta_quantile(tail, passes, trials - passes + 1.0)
    high = 1.0 if passes == trials else beta_quantile(1.0 - tail, passes + 1.0, trials - passes)
    return low, high


def arm_rate(arm: Sequence[FloatArray]) -> float:
    """Mean over cases of the case means of one side, every case with the same weight."""
    return float(np.mean([float(np.mean(values)) for values in arm]))


def arm_wilson_interval(arm: Sequence[FloatArray], confidence: float) -> Limits:
    """Wilson's interval for one side of a [0, 1] metric, every case with the same weight.

    With the same number of trials in every case this is Wilson on all trials. Otherwise it is
    Wilson at the mean of the case rates, with the number of trials that has the same variance:
    n^2 / sum(1 / k_i) (own derivation). Raises ValueError for no case or values outside [0, 1].
    """
    if not arm or any(bool(((values < 0.0) | (values > 1.0)).any()) for values in arm):
        raise ValueError("a pass rate needs cases with values in [0, 1]")
    trials = len(arm) ** 2 / math.fsum(1.0 / values.size for values in arm)
    passes = math.fsum(math.fsum(values.tolist()) / values.size for values in arm) / len(arm) * trials
    return wilson_interval(min(passes, trials), trials, confidence)


def arm_t_interval(arm: Sequence[FloatArray], confidence: float) -> Limits:
    """The stratified t interval for the mean of one side, every case with the same weight.

    Mean plus and minus t * sqrt(sum of s_i^2/k_i) / n, Satterthwaite's degrees of freedom over the
    cases. A case with one trial uses the mean variance of the others. If no case varies: values in
    [0, 1] are read as fractions of passes (Wilson), others give coinciding limits, as nothing is
    known of their spread. Raises ValueError for no case or a case without values.
    """
    if not arm or any(values.size == 0 for values in arm):
        raise ValueError("a mean needs cases with values")
    repeated = [values for values in arm if values.size > 1]
    if not any(variance_of(values) for values in repeated):
        inside = all(bool(((values >= 0.0) & (values <= 1.0)).all()) for values in arm)
        return arm_wilson_interval(arm, confidence) if inside else (arm_rate(arm), arm_rate(arm))
    parts = [(variance_of(values) / values.size, values.size - 1.0) for values in repeated]
    borrowed = float(np.mean([variance_of(values) for values in repeated]))
    freedom = math.fsum(values.size - 1.0 for values in repeated)
    parts += [(borrowed, freedom)] * (len(arm) - len(repeated))
    error, degrees = error_and_degrees(parts)
    reach = t_quantile(0.5 + confidence / 2.0, degrees) * error / len(arm)
    center = arm_rate(arm)
    return center - reach, center + reach


def _check(passes: float, trials: float, confidence: float) -> None:
    if not trials > 0.0 or not 0.0 <= passes <= trials:
        raise ValueError(f"{passes} passes of {trials} trials cannot be")
    if not 0.0 < confidence < 1.0:
        raise ValueError("a confidence lies strictly between 0 and 1")
