"""Distribution functions: the one door to scipy.special, opened only when it is needed."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import cast

_NORMAL = NormalDist()


def normal_quantile(probability: float) -> float:
    """The z with P(Z <= z) = probability, for a probability strictly between 0 and 1."""
    if not 0.0 < probability < 1.0:
        raise ValueError("a normal quantile needs a probability strictly between 0 and 1")
    return _NORMAL.inv_cdf(probability)


def normal_tail(z: float) -> float:
    """P(Z > z), accurate far out in the tail."""
    return 0.5 * math.erfc(z / math.sqrt(2.0))


def t_quantile(probability: float, degrees: float) -> float:
    """The t with P(T <= t) = probability at `degrees` > 0 degrees of freedom (may be fractional)."""
    return _special("stdtrit")(degrees, probability)


def t_cdf(value: float, degrees: float) -> float:
    """P(T <= value) at `degrees` > 0 degrees of freedom."""
    return _special("stdtr")(degrees, value)


def beta_quantile(probability: float, a: float, b: float) -> float:
    """The x in [0, 1] with P(X <= x) = probability for X ~ Beta(a, b), a and b > 0."""
    special = _special3("betaincinv")
    return special(a, b, probability)


def _special(name: str) -> Callable[[float, float], float]:
    from scipy import special

    function = cast("Callable[[float, float], float]", getattr(special, name))
    return lambda first, second: float(function(first, second))


def _special3(name: str) -> Callable[[float, float, float], float]:
    from scipy import special

    function = cast("Callable[[float, float, float], float]", getattr(special, name))
    return lambda first, second, third: float(function(first, second, third))
