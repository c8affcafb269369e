"""How large a loss has to be before it counts: the margin of a metric, the user's or its scale's own."""

from __future__ import annotations

import math

from gatebot.model.config import MetricGate
from gatebot.model.metric import Metric

DEFAULT_MARGIN = 0.10
DEFAULT_RATIO_MARGIN = 1.25


def margin_of(metric: Metric, gate: MetricGate | None) -> float:
    """The margin that applies: the user's, or the default of the metric's scale."""
    if gate is not None and gate.margin is not None:
        return gate.margin
    return DEFAULT_RATIO_MARGIN if metric.scale == "ratio" else DEFAULT_MARGIN


def margin_on_scale(metric: Metric, margin: float) -> float:
    """A margin on the scale that the comparison is made on."""
    return math.log(margin) if metric.scale == "ratio" else margin
