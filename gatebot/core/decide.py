"""The decision: levels, verdicts, targets, conclusion. Made once, here; exit code, check and comment only repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gatebot.core.cases import SingleCases
from gatebot.core.compare import Comparison, agreeing, compare
from gatebot.core.evidence import Evidence, MetricSample, empty_cases, metric_sample, side_values
from gatebot.core.stats.multiplicity import benjamini_hochberg
from gatebot.core.stats.single_case import min_p
from gatebot.core.stats.strata import pass_counts, strata_of
from gatebot.core.target import judge_target
from gatebot.core.verdict import Judged, Levels, judge, without_evidence
from gatebot.model.config import Gate, MetricGate
from gatebot.model.metric import METRICS, PRIMARY_METRIC
from gatebot.model.plan import Plan
from gatebot.model.report import Conclusion, TargetResult
from gatebot.model.trial import SIDES

MEAN_SHARE = 0.7
"""Share of alpha for the means (leg A); the rest is for single cases (leg B). Statistics, item 7."""


@dataclass(frozen=True, slots=True)
class MetricDecision:
    """One metric's verdict; `comparison` None when there was nothing to compare."""

    name: str
    gating: bool
    sample: MetricSample
    comparison: Comparison | None
    judged: Judged
    target: TargetResult | None
    reported_p: float | None


@dataclass(frozen=True, slots=True)
class Decision:
    """Everything decided, before it is written down."""

    conclusion: Conclusion
    reason: str
    advice: str
    metrics: tuple[MetricDecision, ...]
    singles: SingleCases
    levels: Levels
    would_have: Conclusion | None


def decide(evidence: Evidence, gate: Gate, *, stopped: str = "") -> Decision:
    """Decide on base against head with a fixed number of seeds.

    `stopped` says why the run ended early (budget, cancelled); it makes the gate not evaluated unless it failed.
    """
    samples = {name: metric_sample(evidence, name) for name in _names(evidence, gate)}
    lacking = {
        name: reason
        for name, sample in samples.items()
        if (reason := without_evidence(evidence, sample, gating=name in gate.metrics))
    }
    primary = samples.get(PRIMARY_METRIC) if PRIMARY_METRIC in gate.metrics else None
    levels, singles = _single_cases(primary if PRIMARY_METRIC not in lacking else None, gate.alpha)
    usable = [sample for name, sample in samples.items() if name not in lacking]
    gating = compare(
        [s for s in usable if s.metric.name in gate.metrics], confidence=levels.confidence, gating=True
    )
    informing = compare(
        [s for s in usable if s.metric.name not in gate.metrics], confidence=levels.confidence, gating=False
    )
    decided = {
        d.name: d for d in (*_gating(gating, gate, levels, singles), *_informing(informing, gate.alpha))
    }
    metrics = tuple(
        _with_target(decided.get(name) or _unevaluated(sample, lacking[name], gate), evidence, gate)
        for name, sample in samples.items()
    )
    conclusion, reason = _conclude(metrics, evidence, gate, stopped)
    shown: Conclusion = "pass" if gate.mode == "observe" else conclusion
    return Decision(
        conclusion=shown,
        reason=reason,
        advice=_advice(conclusion),
        metrics=metrics,
        singles=singles,
        levels=levels,
        would_have=conclusion if gate.mode == "observe" else None,
    )


def _names(evidence: Evidence, gate: Gate) -> list[str]:
    """Every metric seen, and every gating one even if never seen, in the order of the metric table."""
    seen = set(evidence.metric_names()) | set(gate.metrics)
    return [name for name in METRICS if name in seen]


def _single_cases(primary: MetricSample | None, alpha: float) -> tuple[Levels, SingleCases]:
    """Leg B: exact min-P over cases; its level goes to leg A when no case could reach it, whatever the labels."""
    if primary is None or not primary.cases:
        return Levels(alpha, alpha, 0.0), SingleCases()
    level = (1.0 - MEAN_SHARE) * alpha
    found = min_p(pass_counts(strata_of(primary.base, primary.head)), level=level)
    if not found.reachable:
        return Levels(alpha, alpha, 0.0), SingleCases()
    adjusted = dict(zip(primary.cases, found.adjusted, strict=True))
    regressed = frozenset(case for case, p in adjusted.items() if p <= level)
    return Levels(alpha, MEAN_SHARE * alpha, level), SingleCases(regressed, adjusted)


def _gating(
    comparisons: list[Comparison], gate: Gate, levels: Levels, singles: SingleCases
) -> list[MetricDecision]:
    decisions: list[MetricDecision] = []
    for comparison in comparisons:
        name = comparison.metric.name
        by_case = name == PRIMARY_METRIC and bool(singles.regressed)
        judged = judge(comparison, gate.metrics[name], levels.mean, by_case=by_case)
        shown = agreeing(comparison, rejected=judged.verdict in ("regressed", "improved"))
        decisions.append(MetricDecision(name, True, comparison.sample, shown, judged, None, comparison.worse))
    return decisions


def _informing(comparisons: list[Comparison], alpha: float) -> list[MetricDecision]:
    """Metrics that inform: Benjamini–Hochberg over both directions' p-values; never red."""
    worse = benjamini_hochberg([c.worse for c in comparisons]) if comparisons else []
    better = benjamini_hochberg([c.better for c in comparisons]) if comparisons else []
    decisions: list[MetricDecision] = []
    for comparison, w, b in zip(comparisons, worse, better, strict=True):
        adjusted = replace(comparison, adjusted_worse=w, adjusted_better=b)
        judged = judge(adjusted, None, alpha)
        shown = agreeing(adjusted, rejected=judged.verdict in ("regressed", "improved"))
        decisions.append(
            MetricDecision(
                comparison.metric.name, False, comparison.sample, shown, judged, None, comparison.worse
            )
        )
    return decisions


def _unevaluated(sample: MetricSample, reason: str, gate: Gate) -> MetricDecision:
    name = sample.metric.name
    judged = Judged("not_evaluated", reason)
    return MetricDecision(name, name in gate.metrics, sample, None, judged, None, None)


def _with_target(decision: MetricDecision, evidence: Evidence, gate: Gate) -> MetricDecision:
    metric_gate = gate.metrics.get(decision.name, MetricGate())
    target = judge_target(
        METRICS[decision.name],
        metric_gate,
        side_values(evidence, decision.name, "head"),
        side_values(evidence, decision.name, "base"),
    )
    return replace(decision, target=target)


def _conclude(
    metrics: tuple[MetricDecision, ...], evidence: Evidence, gate: Gate, stopped: str
) -> tuple[Conclusion, str]:
    """Precedence: fail, then not_evaluated, then inconclusive, then pass (architecture)."""
    gating = [decision for decision in metrics if decision.gating]
    regressed = [d.name for d in gating if d.judged.verdict == "regressed"]
    missed = [d.name for d in gating if d.target is not None and closes(d.target, gate.metrics[d.name])]
    if regressed or missed:
        return "fail", _because(regressed, missed)
    for side in SIDES:
        empty = empty_cases(evidence, side)
        if empty:
            return "not_evaluated", f"no completed trial on the {side} for {_listed(empty)}"
    lacking = [d for d in gating if d.judged.verdict == "not_evaluated"]
    if lacking:
        return "not_evaluated", f"{lacking[0].name} could not be evaluated: {lacking[0].judged.reason}"
    unjudged = [d.name for d in gating if d.target is not None and d.target.verdict == "not_evaluated"]
    if unjudged:
        return "not_evaluated", f"the target of {_listed(unjudged)} could not be judged"
    if stopped:
        return "not_evaluated", stopped
    open_ = [d.name for d in gating if d.judged.verdict == "inconclusive"]
    if open_:
        reason = f"no sign of a drop, but one of the margin is not excluded for {_listed(open_)}"
        return ("fail" if gate.mode == "prove" else "inconclusive"), reason
    return "pass", "no gating metric got worse, and drops of the margin are excluded"


def closes(target: TargetResult, gate: MetricGate) -> bool:
    """A missed target closes the gate, unless the base missed it already and that is only to warn."""
    if target.verdict not in ("missed", "unproven"):
        return False
    return not (target.inherited and gate.inherited == "warn")


def _because(regressed: list[str], missed: list[str]) -> str:
    parts: list[str] = []
    if regressed:
        parts.append(f"{_listed(regressed)} regressed")
    if missed:
        parts.append(f"the target of {_listed(missed)} is missed")
    return "; ".join(parts)


def _advice(conclusion: Conclusion) -> str:
    return {
        "pass": "Nothing to do.",
        "fail": "Fix the cases below or, if the new behaviour is intended, have a maintainer accept it.",
        "inconclusive": "Run more seeds to exclude the margin, or widen the margin.",
        "not_evaluated": "Remove the cause named above and run again; this is not a pass.",
    }[conclusion]


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"



def decided_without_trials(plan: Plan) -> tuple[Conclusion, str] | None:
    """What a plan settles by itself: a side that does not install, or the same agent on both sides."""
    broken = {
        side: info.setup_reason
        for side, info in (("head", plan.head), ("base", plan.base))
        if info is not None and info.setup == "failed"
    }
    if set(broken) == {"head", "base"}:
        return "not_evaluated", f"neither side installs: {broken['head']}"
    if "head" in broken:
        return "fail", f"the head does not install: {broken['head']}"
    if "base" in broken:
        return "not_evaluated", f"base broken: it does not install: {broken['base']}"
    if plan.same_agent:
        return "pass", "base and head hold the same agent: nothing to run"
    return None


def settled(conclusion: Conclusion, reason: str, gate: Gate) -> Decision:
    """The decision for an evaluation that needed no trials."""
    return Decision(
        conclusion="pass" if gate.mode == "observe" else conclusion,
        reason=reason,
        advice=_advice(conclusion),
        metrics=(),
        singles=SingleCases(),
        levels=Levels(gate.alpha, gate.alpha, 0.0),
        would_have=conclusion if gate.mode == "observe" else None,
    )
