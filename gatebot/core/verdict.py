"""From a comparison to a verdict, in the order statistics.md fixes: regressed, improved, unchanged, inconclusive."""

from __future__ import annotations

import math

from gatebot.core.compare import Comparison, strata
from gatebot.core.decision import Judged
from gatebot.core.evidence import MISSING_SHARE as LIMIT
from gatebot.core.margin import margin_of, margin_on_scale
from gatebot.core.stats.generalize import MIN_CASES
from gatebot.core.stats.interval import confidence_at
from gatebot.core.stats.strata import is_constant
from gatebot.core.view import EvidenceView, MetricSample, Window
from gatebot.model.config import Gate, MetricGate
from gatebot.model.metric import Metric
from gatebot.model.trial import SIDES


def without_evidence(
    evidence: EvidenceView, sample: MetricSample, gate: Gate, window: Window | None = None
) -> str:
    """Why a metric has no evidence (architecture: too much missing), or an empty string."""
    if not sample.cases:
        return "no case is graded on both sides"
    if sample.metric.name not in gate.metrics:
        return ""
    if gate.scope == "generalize" and len(sample.cases) < MIN_CASES:
        return f"`scope: generalize` needs at least {MIN_CASES} cases; {len(sample.cases)} are graded"
    for side in SIDES:
        lost = evidence.lost_share(side, window)
        if lost > LIMIT:
            return f"{lost:.0%} of the {side}'s planned trials are missing or ended in infrastructure errors"
        graded = sum(len(v) for v in (sample.base if side == "base" else sample.head))
        missing = sample.unexplained[side]
        if missing and missing / (graded + missing) > LIMIT:
            return f"ungraded in {missing} of the {side}'s {graded + missing} trials"
    return ""


def judge(comparison: Comparison, gate: MetricGate | None, level: float, *, by_case: bool = False) -> Judged:
    """The verdict on one comparison at one level; `by_case`: leg B convicted a single case on this metric."""
    margin = margin_of(comparison.metric, gate)
    red = is_red(comparison, gate, level)
    worse = f"worse beyond chance (p = {comparison.adjusted_worse:.2g} ≤ {level:.3g})"
    if by_case:
        single = "single cases dropped beyond chance"
        return Judged("regressed", f"{worse}, and {single}" if red else single)
    if red:
        return Judged("regressed", worse)
    if comparison.adjusted_better <= level and comparison.loss < 0:
        return Judged(
            "improved", f"better beyond chance (p = {comparison.adjusted_better:.2g} ≤ {level:.3g})"
        )
    constant = _no_variation(comparison)
    if constant and comparison.metric.scale in ("count", "ratio"):
        return Judged("unchanged", "no variation and no difference")
    small = is_red(comparison, None, level)
    change = "worse beyond chance by less than min_effect" if small else "no significant change"
    change = "no variation and no difference" if constant else change
    if comparison.worst_loss < margin_on_scale(comparison.metric, margin):
        return Judged("unchanged", f"{change}, and the interval excludes the margin")
    return Judged("inconclusive", f"{change}, but a drop of the margin is not excluded")


def is_red(comparison: Comparison, gate: MetricGate | None, level: float) -> bool:
    """Whether the head is worse beyond chance at `level`, and by at least `min_effect`."""
    min_effect = gate.min_effect if gate is not None else 0.0
    significant = comparison.adjusted_worse <= level and comparison.loss > 0
    return significant and comparison.loss >= _on_scale(comparison.metric, min_effect)


def non_inferior(comparison: Comparison, gate: MetricGate | None, level: float) -> bool:
    """Whether the interval at the look's level excludes a loss as large as the margin."""
    margin = margin_on_scale(comparison.metric, margin_of(comparison.metric, gate))
    return comparison.worst_loss_at(confidence_at(level)) < margin


def _on_scale(metric: Metric, change: float) -> float:
    return math.log1p(change) if metric.scale == "ratio" else change


def _no_variation(comparison: Comparison) -> bool:
    """Whether every case shows one and the same value on both sides."""
    values = strata(comparison.sample)
    same = all(base[0] == head[0] for base, head in zip(values.base, values.head, strict=True))
    return same and is_constant(values)
