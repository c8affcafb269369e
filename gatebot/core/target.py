"""Absolute targets, judged on the head alone: fail on the interval, warn on the point estimate (statistics §8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from gatebot.model.config import MetricGate
from gatebot.model.metric import Metric
from gatebot.model.report import TargetResult

CONFIDENCE = 0.90

Arm = tuple[tuple[float, ...], ...]
"""One side of a metric: per case the graded values."""


@dataclass(frozen=True, slots=True)
class _Estimate:
    point: float
    interval: tuple[float, float]


def judge_target(
    metric: Metric,
    gate: MetricGate,
    head_arm: Callable[[], Arm],
    base_arm: Callable[[], Arm] = tuple,
) -> TargetResult | None:
    """The head against the target, or None when there is no target; neither side is asked for its values then.

    `inherited` is set when the base misses the target by the same rule.
    """
    if gate.target is None:
        return None
    head, base = head_arm(), base_arm()
    if not head:
        return TargetResult(gate.target, "not_evaluated", None, reason="no graded trial on the head")
    estimate = _estimate(metric, head)
    verdict = _verdict(metric, gate, estimate)
    inherited = bool(base) and _verdict(metric, gate, _estimate(metric, base)) in ("missed", "unproven")
    return TargetResult(gate.target, verdict, estimate.interval, inherited=inherited)


def _verdict(
    metric: Metric, gate: MetricGate, estimate: _Estimate
) -> Literal["met", "missed", "below", "unproven"]:
    target = gate.target if gate.target is not None else 0.0
    sign = 1.0 if metric.direction == "higher" else -1.0
    low, high = sorted(sign * end for end in estimate.interval)
    if high < sign * target:
        return "missed"
    if gate.proof and low < sign * target:
        return "unproven"
    return "below" if sign * estimate.point < sign * target else "met"


def _estimate(metric: Metric, arms: Arm) -> _Estimate:
    """Point and 90 % interval, every case with the same weight: Wilson for binary metrics, stratified t otherwise."""
    # Most suites set no target, and a run of one side needs arrays for nothing else.
    import numpy as np

    from gatebot.core.stats.targets import arm_rate, arm_t_interval, arm_wilson_interval

    arm = [np.asarray(values, dtype=np.float64) for values in arms]
    interval = arm_wilson_interval if metric.scale == "binary" else arm_t_interval
    return _Estimate(arm_rate(arm), interval(arm, CONFIDENCE))
