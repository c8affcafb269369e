"""What a run can see when cases are the sample: more seeds help only up to a point."""

from __future__ import annotations

import math

import numpy as np

from gatebot.core.stats.power import POWER, Seeds, within_variance
from gatebot.core.stats.quantiles import normal_quantile
from gatebot.core.stats.sequential import ALPHA
from gatebot.core.stats.strata import Strata, case_differences


def between_variance(strata: Strata) -> float:
    """How much true case differences vary over cases: spread of the seen ones minus trial noise.

    Moments, at least 0. Raises ValueError for fewer than two cases.
    """
    if strata.cases < 2:
        raise ValueError("a spread over cases needs at least two cases")
    weights = [1.0 / b.size + 1.0 / h.size for b, h in zip(strata.base, strata.head, strict=True)]
    noise = within_variance(strata) * float(np.mean(weights))
    return max(float(np.var(case_differences(strata), ddof=1)) - noise, 0.0)


def smallest_general_drop(
    between: float, within: float, cases: int, seeds: Seeds, *, alpha: float = ALPHA
) -> float:
    """The drop seen with power .80: (z_alpha + z_power) * sqrt((between + within*(1/kb + 1/kh)) / n).

    Miller, Adding Error Bars to Evals (2024).
    """
    z = normal_quantile(1.0 - alpha) + normal_quantile(POWER)
    return z * math.sqrt((between + within * seeds.weight) / cases)


def general_cases_needed(
    between: float, within: float, seeds: Seeds, drop: float, *, alpha: float = ALPHA
) -> int:
    """Cases that make `drop` (> 0) visible at these seeds; the formula above, solved for n."""
    one_case = smallest_general_drop(between, within, 1, seeds, alpha=alpha)
    return max(2, math.ceil((one_case / drop) ** 2))
