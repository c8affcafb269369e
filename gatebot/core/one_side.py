"""One side alone: nothing is compared; targets may still be judged, and the first pull request gates nothing."""

from __future__ import annotations

from typing import Literal

from gatebot.core.decision import (
    ADVICE,
    Decision,
    Judged,
    MetricDecision,
    SingleCases,
    closes,
    listed,
    observing,
    target_missed,
)
from gatebot.core.endings import never_passing, nothing_completed
from gatebot.core.evidence import Evidence, empty_cases, side_values
from gatebot.core.target import judge_target
from gatebot.model.config import Gate, MetricGate
from gatebot.model.metric import METRICS, in_table_order
from gatebot.model.report import Conclusion, TargetResult
from gatebot.model.trial import Side

NO_BASELINE = "no baseline"


def decide_one_side(
    evidence: Evidence,
    gate: Gate,
    *,
    side: Side,
    no_baseline: str = "",
    on_missing_base: Literal["pass", "fail"] = "pass",
    stopped: str = "",
) -> Decision:
    """Decide on one side: a missed target fails, too little evidence is not evaluated, else pass.

    With `no_baseline` (the pull request that adds gatebot) nothing gates, and the reason says so; `on_missing_base` is
    the conclusion then.
    """
    names = set(evidence.metric_names()) | set(gate.metrics)
    why = no_baseline or "one side alone: nothing to compare with"
    metrics = tuple(
        MetricDecision(
            name=name,
            gating=name in gate.metrics,
            sample=evidence.sample(name),
            comparison=None,
            judged=Judged("not_evaluated", why),
            target=None if no_baseline else _target(evidence, gate, name, side),
        )
        for name in in_table_order(names)
    )
    conclusion, reason = _conclude(
        metrics, evidence, gate, side=side, no_baseline=no_baseline, stopped=stopped
    )
    if no_baseline and conclusion == "pass" and on_missing_base == "fail":
        conclusion, reason = "fail", f"{no_baseline}, and `on_missing_base: fail` demands one"
    advice = _advice(
        conclusion,
        no_baseline,
        failing=any(row.passed is False for row in evidence.all_rows()),
        never=never_passing(evidence, (side,)),
    )
    return observing(Decision(conclusion, reason, advice, metrics, SingleCases(), gate.alpha), gate)


def _target(evidence: Evidence, gate: Gate, name: str, side: Side) -> TargetResult | None:
    metric_gate = gate.metrics.get(name, MetricGate())
    return judge_target(METRICS[name], metric_gate, lambda: side_values(evidence, name, side))


def _conclude(
    metrics: tuple[MetricDecision, ...],
    evidence: Evidence,
    gate: Gate,
    *,
    side: Side,
    no_baseline: str,
    stopped: str,
) -> tuple[Conclusion, str]:
    missed = [
        d.name
        for d in metrics
        if d.target is not None and d.gating and closes(d.target, gate.metrics[d.name])
    ]
    if missed:
        return "fail", target_missed(missed)
    broken = nothing_completed(evidence)
    if broken:
        return "not_evaluated", broken
    empty = empty_cases(evidence, side)
    if empty:
        shown = ", ".join(empty[:5]) + (" and more" if len(empty) > 5 else "")
        return "not_evaluated", f"no completed trial for {shown}"
    if stopped:
        return "not_evaluated", stopped
    if no_baseline:
        return "pass", f"{no_baseline}: nothing is gated yet"
    return "pass", "one side alone: no target is missed"


def _advice(conclusion: Conclusion, no_baseline: str, *, failing: bool, never: list[str]) -> str:
    broken = (
        "A case that never passes says nothing about a pull request: "
        f"correct the case or the agent ({listed(never)})."
        if never
        else ""
    )
    if no_baseline:
        compared = "The next pull request will be compared with this one once it is merged."
        return f"{compared} {broken}".strip()
    steady = (
        "Look at the cases that do not always pass before you gate on this suite."
        if failing
        else "Nothing to do."
    )
    return {
        **ADVICE,
        "pass": broken or steady,
        "fail": "Fix the cases below, or lower the target.",
        "inconclusive": "Run more seeds.",
    }[conclusion]
