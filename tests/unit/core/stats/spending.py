"""A spending function whose limits are published: what the recursion is checked against."""

from __future__ import annotations

import math

from scipy import stats

from gatebot.core.stats.sequential import Spending


def obrien_fleming_spending(alpha: float) -> Spending:
    """Spend 2 * (1 - Phi(z_(1-alpha/2) / sqrt(t))): O'Brien-Fleming type, Lan and DeMets (1983); its limits are published."""
    z = float(stats.norm.isf(alpha / 2.0))
    return lambda t: 2.0 * float(stats.norm.sf(z / math.sqrt(t)))
