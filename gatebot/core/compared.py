"""What only a comparison puts into the report: difference, interval, p-values, what it could see, and the next run."""

from __future__ import annotations

import math
from dataclasses import replace

from gatebot.core.compare import MARGIN_CONFIDENCE
from gatebot.core.decision import Decision, MetricDecision
from gatebot.core.planning import next_run, smallest_drop
from gatebot.core.stats.interval import Limits, ratio_interval
from gatebot.model.config import Gate
from gatebot.model.metric import Metric
from gatebot.model.plan import Plan
from gatebot.model.report import MetricResult, Report

_SAME = 1e-9
"""Two confidences that differ by less are one: 1 − 2α is rounded."""


def with_comparisons(report: Report, decision: Decision, gate: Gate, plan: Plan) -> Report:
    """The report with the numbers of every comparison; its metrics stand in the order of the decision's."""
    return replace(
        report,
        metrics=tuple(
            _compared(result, metric, gate)
            for result, metric in zip(report.metrics, decision.metrics, strict=True)
        ),
        next_run=next_run(decision.metrics, gate, plan),
    )


def _compared(result: MetricResult, decision: MetricDecision, gate: Gate) -> MetricResult:
    comparison = decision.comparison
    if comparison is None:
        return result
    metric = comparison.metric
    return replace(
        result,
        base=comparison.base,
        head=comparison.head,
        delta=math.exp(comparison.delta) if metric.scale == "ratio" else comparison.delta,
        interval=_shown(comparison.interval, metric),
        confidence=comparison.confidence,
        p_value=comparison.worse,
        p_adjusted=comparison.adjusted_worse,
        smallest_drop=smallest_drop(decision, gate),
        margin_interval=_shown(comparison.margin_interval, metric) if _by_margin(decision) else None,
    )


def _by_margin(decision: MetricDecision) -> bool:
    """Whether the verdict rests on an interval beside the one that is shown: that of the margin."""
    comparison = decision.comparison
    judged = decision.judged.verdict in ("unchanged", "inconclusive")
    return (
        comparison is not None
        and decision.gating
        and judged
        and abs(comparison.confidence - MARGIN_CONFIDENCE) > _SAME
    )


def _shown(limits: Limits, metric: Metric) -> Limits:
    return ratio_interval(limits) if metric.scale == "ratio" else limits
