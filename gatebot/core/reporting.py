"""Decision and evidence into the Report: the contract others script against."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gatebot.core.averages import mean, variance
from gatebot.core.cases import case_results, count, worst_first
from gatebot.core.decision import Decision, MetricDecision, listed
from gatebot.core.endings import ending_alerts, never_passing
from gatebot.core.evidence import Evidence, side_values
from gatebot.core.margin import margin_of
from gatebot.core.recordings import recorded_alert, recorded_told
from gatebot.core.stats.reliability import Reliability, pass_at_k, pass_hat_k
from gatebot.core.stats.resampling import PERMUTATIONS
from gatebot.model.config import Gate
from gatebot.model.metric import METRICS, PRIMARY_METRIC, Metric
from gatebot.model.plan import Plan
from gatebot.model.report import (
    Evidence as Method,
)
from gatebot.model.report import (
    FailureShare,
    MetricResult,
    PassHatK,
    Report,
    SeedCounts,
    TrialCounts,
)
from gatebot.model.trajectory import Usage
from gatebot.model.trial import SIDES, Side

if TYPE_CHECKING:
    from gatebot.core.tracing import LookResult

MAX_K = 10


@dataclass(frozen=True, slots=True)
class Context:
    """What the report states beside evidence and decision: all of it given, nothing looked up."""

    plan: Plan
    gate: Gate
    version: str
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    cost: Mapping[Side, Usage] = field(default_factory=dict[Side, Usage])
    wall_s: float | None = None
    result_digest: str = ""


def build_report(evidence: Evidence, decision: Decision, context: Context) -> Report:
    """Write everything down: base against head, or one side alone."""
    report = _plain(evidence, decision, context)
    if not decision.compares:
        return report
    from gatebot.core.compared import with_comparisons

    return with_comparisons(report, decision, context.gate, context.plan)


def _plain(evidence: Evidence, decision: Decision, context: Context) -> Report:
    """The report before the numbers of its comparisons."""
    plan = context.plan
    recorded = recorded_told(plan, evidence.doubt)
    cases = case_results(
        evidence, decision.singles, {notice.case: notice for notice in plan.case_notices}, context.tags
    )
    return Report(
        conclusion=decision.conclusion,
        reason=decision.reason,
        advice=decision.advice,
        suite=plan.suite,
        mode=context.gate.mode,
        base_sha=(plan.base.sha or None) if plan.base else None,
        head_sha=(plan.head.sha or None) if plan.head else None,
        metrics=tuple(_metric_result(d, evidence, context.gate) for d in decision.metrics),
        cases=cases,
        trials=_trial_counts(evidence),
        pass_hat_k=_both_per_k(evidence, all_of=True),
        pass_at_k=_both_per_k(evidence, all_of=False),
        failures=_failures(evidence),
        worst_cases=worst_first(cases),
        evidence=_method(decision),
        base=plan.base,
        head=plan.head,
        alerts=(
            *(() if recorded is None else (recorded_alert(recorded),)),
            *_alerts(evidence, decision, plan),
        ),
        recorded_base=recorded,
        would_have=decision.would_have,
        isolation=plan.isolation,
        cost={str(side): usage for side, usage in context.cost.items()},
        wall_s=context.wall_s,
        result_digest=context.result_digest,
        gatebot_version=context.version,
    )


def _metric_result(decision: MetricDecision, evidence: Evidence, gate: Gate) -> MetricResult:
    metric = METRICS[decision.name]
    metric_gate = gate.metrics.get(decision.name)
    compared = decision.comparison is not None
    base, head = (None if compared else _side_mean(evidence, metric, side) for side in SIDES)
    return MetricResult(
        name=decision.name,
        gating=decision.gating,
        direction=metric.direction,
        scale=metric.scale,
        base=base,
        head=head,
        delta=None,
        interval=None,
        confidence=None,
        p_value=None,
        n_cases=len(decision.sample.cases) or _cases_with(evidence, decision.name),
        seeds=SeedCounts(**{side: _seeds(decision, evidence, side) for side in SIDES}),
        margin=margin_of(metric, metric_gate),
        target=metric_gate.target if metric_gate is not None else None,
        verdict=decision.judged.verdict,
        ungraded=sum(decision.sample.ungraded.values()),
        reason=decision.judged.reason,
        base_sd=_sd(evidence, decision.name, "base"),
        head_sd=_sd(evidence, decision.name, "head"),
        min_effect=metric_gate.min_effect if metric_gate is not None else 0.0,
        target_result=decision.target,
    )


def _seeds(decision: MetricDecision, evidence: Evidence, side: Side) -> int:
    arms = (decision.sample.base if side == "base" else decision.sample.head) or side_values(
        evidence, decision.name, side
    )
    return min((len(values) for values in arms), default=0)


def _cases_with(evidence: Evidence, name: str) -> int:
    return max(len(side_values(evidence, name, side)) for side in SIDES)


def _side_mean(evidence: Evidence, metric: Metric, side: Side) -> float | None:
    means = [mean(values) for values in side_values(evidence, metric.name, side)]
    return mean([one for one in means if one is not None])


def _sd(evidence: Evidence, name: str, side: Side) -> float | None:
    """Standard deviation over seeds: root of the mean within-case variance; None with one seed a case."""
    within = mean([variance(values) for values in side_values(evidence, name, side) if len(values) > 1])
    return None if within is None else math.sqrt(within)


def _trial_counts(evidence: Evidence) -> TrialCounts:
    counts = evidence.status_counts()
    return TrialCounts(
        **{
            name: counts[name]
            for name in ("planned", "completed", "agent_error", "timeout", "infra_error", "missing", "cached")
        },
    )


def _both_per_k(evidence: Evidence, *, all_of: bool) -> PassHatK:
    base, head = (_per_k(evidence, side, all_of=all_of) for side in SIDES)
    return PassHatK(
        base=_estimates(base),
        head=_estimates(head),
        base_intervals=_limits(base),
        head_intervals=_limits(head),
    )


def _estimates(found: dict[str, Reliability] | None) -> dict[str, float] | None:
    return None if found is None else {k: value.estimate for k, value in found.items()}


def _limits(found: dict[str, Reliability] | None) -> dict[str, tuple[float, float]]:
    return {k: value.limits for k, value in (found or {}).items() if value.limits is not None}


def _per_k(evidence: Evidence, side: Side, *, all_of: bool) -> dict[str, Reliability] | None:
    """pass^k or pass@k for k = 1 … the smallest number of trials of a case (at most 10)."""
    arms = side_values(evidence, PRIMARY_METRIC, side)
    if not arms:
        return None
    counts = [(int(sum(values)), len(values)) for values in arms]
    estimate = pass_hat_k if all_of else pass_at_k
    fewest = min(trials for _, trials in counts)
    found = {str(k): estimate(counts, k) for k in range(1, min(MAX_K, fewest) + 1)}
    return {k: value for k, value in found.items() if value is not None}


def _failures(evidence: Evidence) -> tuple[FailureShare, ...]:
    counts: dict[Side, Counter[str]] = {side: Counter() for side in SIDES}
    for case in evidence.rows:
        for side in SIDES:
            counts[side].update(
                row.failure
                for row in evidence.sample_rows(case, side)
                if row.failure is not None and not row.passed
            )
    names = sorted(set(counts["base"]) | set(counts["head"]), key=lambda n: (-counts["head"][n], n))
    return tuple(FailureShare(name, counts["base"][name], counts["head"][name]) for name in names)


def _method(decision: Decision) -> Method:
    look = decision.looks[-1] if decision.looks else None
    comparisons = look.comparisons if look is not None else ()
    exact = all(comparison.exact for comparison in comparisons)
    adjustment = comparisons[0].adjustment if comparisons else "none"
    shuffled = (
        "signs of case differences flipped" if _generalizes(decision) else "labels shuffled within cases"
    )
    if adjustment == "max-T":
        method = f"step-down max-T over {len(comparisons)} gating metrics, {shuffled}"
    else:
        method = f"{'exact ' if exact else ''}permutation test, {shuffled}"
    singles = decision.singles
    if singles.fresh:
        method += f"; {len(singles.fresh)} suspect cases tested on fresh trials (Boschloo, Holm)"
    elif singles.level and len(decision.looks) == 1 and singles.adjusted:
        method += "; single cases by exact min-P"
    return Method(
        method=method,
        alpha=decision.alpha,
        mean_level=look.look.level if look is not None else decision.alpha,
        case_level=singles.level,
        looks=tuple(_look_told(result) for result in decision.looks),
        resamples=PERMUTATIONS if comparisons and (adjustment != "none" or not exact) else None,
    )


def _generalizes(decision: Decision) -> bool:
    return any(c.scope == "generalize" for result in decision.looks for c in result.comparisons)


def _look_told(result: LookResult) -> str:
    limit = "" if result.look.futility is None else f", stop without a sign above {result.look.futility:g}"
    return (
        f"after round {result.look.rounds}: smallest p {result.smallest_p:.2g}, "
        f"red at {result.look.level:.3g} or less{limit} — {result.stop}"
    )


def _alerts(evidence: Evidence, decision: Decision, plan: Plan) -> tuple[str, ...]:
    counts = evidence.status_counts()
    alerts = list(plan.notes)
    if counts["infra_error"]:
        alerts.append(f"{counts['infra_error']} trials ended in infrastructure errors and left the sample.")
    if counts["missing"]:
        alerts.append(f"{counts['missing']} of {counts['planned']} planned trials are missing.")
    alerts.extend(ending_alerts(evidence))
    never = [] if plan.base is None or plan.head is None else never_passing(evidence)
    if never:
        alerts.append(
            f"cases that never pass on either side: {listed(never)}; they say nothing about a pull request"
        )
    for notice in plan.case_notices:
        head = count(evidence, notice.case, "head")
        if notice.kind == "new" and head.passed < head.trials:
            alerts.append(
                f"The new case {notice.case} fails {head.trials - head.passed} of {head.trials} trials."
            )
    if evidence.graders_faulted:
        alerts.append(f"{evidence.graders_faulted} trials scored 0 because a grader failed on their data.")
    for metric in decision.metrics:
        target = metric.target
        if target is None or not metric.gating:
            continue
        if target.verdict in ("missed", "unproven") and target.inherited:
            alerts.append(f"{metric.name} misses its target {target.value:g}, and so did the base.")
        if target.verdict == "below":
            alerts.append(f"{metric.name} is below its target {target.value:g}, but not beyond chance.")
    return tuple(alerts)
