"""The decision: verdicts, targets, conclusion. Made once, here; exit code, check and comment only repeat it."""

from __future__ import annotations

from dataclasses import replace

from gatebot.core.compare import agreeing, compare
from gatebot.core.course import Course, Reached, reached
from gatebot.core.decision import (
    ADVICE,
    Decision,
    Judged,
    MetricDecision,
    closes,
    listed,
    observing,
    target_missed,
)
from gatebot.core.endings import nothing_completed
from gatebot.core.evidence import Evidence, empty_cases, side_values
from gatebot.core.outlook import Needed, more_needed, to_exclude
from gatebot.core.stats.interval import confidence_at
from gatebot.core.stats.multiplicity import benjamini_hochberg
from gatebot.core.stats.resampling import INFORMING_PERMUTATIONS
from gatebot.core.target import judge_target
from gatebot.core.verdict import judge, without_evidence
from gatebot.core.view import MetricSample
from gatebot.model.config import Gate, MetricGate
from gatebot.model.metric import MEASURED_METRICS, METRICS, PRIMARY_METRIC, in_table_order
from gatebot.model.report import Conclusion
from gatebot.model.trial import SIDES


def decide(evidence: Evidence, gate: Gate, course: Course, *, stopped: str = "") -> Decision:
    """Decide on base against head.

    `stopped` says why the run ended early (budget, breaker); it makes the gate not evaluated unless it failed.
    """
    state = reached(evidence, gate, course)
    look = state.last.look if state.last is not None else course.looks.looks[0]
    window = course.window(look.rounds)
    names = set(evidence.metric_names()) | set(gate.metrics)
    samples = [evidence.sample(name, window) for name in in_table_order(names)]
    lacking = {s.metric.name: why for s in samples if (why := without_evidence(evidence, s, gate, window))}
    informing = [s for s in samples if s.metric.name not in gate.metrics and s.metric.name not in lacking]
    # What a clock or a price list says is compared apart: it must not move the resampling of what the agent did.
    measured = [s for s in informing if s.metric.name in MEASURED_METRICS]
    caused = [s for s in informing if s.metric.name not in MEASURED_METRICS]
    groups = (_gating(state, gate, course), _informing(caused, gate), _informing(measured, gate))
    decided = {d.name: d for group in groups for d in group}
    metrics = tuple(
        _with_target(decided.get(s.metric.name) or _unevaluated(s, lacking, gate), evidence, gate)
        for s in samples
    )
    conclusion, reason = _conclude(metrics, evidence, gate, state, stopped)
    decision = Decision(
        conclusion=conclusion,
        reason=reason,
        advice=_advice(conclusion, metrics, gate, state, cases=len(evidence.gating_cases)),
        metrics=metrics,
        singles=state.singles,
        alpha=gate.alpha,
        looks=state.results,
    )
    return observing(decision, gate)


def _gating(state: Reached, gate: Gate, course: Course) -> list[MetricDecision]:
    if state.last is None:
        return []
    decisions: list[MetricDecision] = []
    for comparison in state.last.comparisons:
        name = comparison.metric.name
        by_case = name == PRIMARY_METRIC and bool(state.singles.regressed)
        judged = judge(comparison, gate.metrics[name], state.last.look.level, by_case=by_case)
        if course.recorded_base and not by_case and judged.verdict == "regressed":
            judged = Judged(
                "inconclusive",
                "worse than the recorded base; only a base that is run in the same hour can fail it",
            )
        shown = agreeing(comparison, 0.0 if course.recorded_base else state.last.look.level)
        decisions.append(MetricDecision(name, True, comparison.sample, shown, judged))
    return decisions


def _informing(samples: list[MetricSample], gate: Gate) -> list[MetricDecision]:
    """Metrics that inform: Benjamini–Hochberg over each direction's p-values; never red.

    They are not looked at in between: their level is alpha, and so is that of their interval.
    """
    confidence = confidence_at(gate.alpha)
    comparisons = compare(
        samples, confidence=confidence, permutations=INFORMING_PERMUTATIONS, scope=gate.scope
    )
    if not comparisons:
        return []
    worse = benjamini_hochberg([c.worse for c in comparisons])
    better = benjamini_hochberg([c.better for c in comparisons])
    decisions: list[MetricDecision] = []
    for comparison, w, b in zip(comparisons, worse, better, strict=True):
        adjusted = replace(comparison, adjusted_worse=w, adjusted_better=b)
        judged = judge(adjusted, None, gate.alpha)
        shown = agreeing(adjusted, gate.alpha)
        decisions.append(MetricDecision(comparison.metric.name, False, comparison.sample, shown, judged))
    return decisions


def _unevaluated(sample: MetricSample, lacking: dict[str, str], gate: Gate) -> MetricDecision:
    name = sample.metric.name
    judged = Judged("not_evaluated", lacking.get(name, "no look was reached"))
    return MetricDecision(name, name in gate.metrics, sample, None, judged)


def _with_target(decision: MetricDecision, evidence: Evidence, gate: Gate) -> MetricDecision:
    target = judge_target(
        METRICS[decision.name],
        gate.metrics.get(decision.name, MetricGate()),
        lambda: side_values(evidence, decision.name, "head"),
        lambda: side_values(evidence, decision.name, "base"),
    )
    return replace(decision, target=target)


def _conclude(
    metrics: tuple[MetricDecision, ...], evidence: Evidence, gate: Gate, state: Reached, stopped: str
) -> tuple[Conclusion, str]:
    """Precedence: fail, then not_evaluated, then inconclusive, then pass (architecture)."""
    gating = [decision for decision in metrics if decision.gating]
    regressed = [d.name for d in gating if d.judged.verdict == "regressed"]
    missed = [d.name for d in gating if d.target is not None and closes(d.target, gate.metrics[d.name])]
    if regressed or missed:
        return "fail", _because(regressed, missed)
    lacking = stopped or _not_evaluated(gating, evidence) or state.unfinished
    if lacking:
        return "not_evaluated", lacking
    open_ = [d.name for d in gating if d.judged.verdict == "inconclusive"]
    if open_:
        reason = f"no drop is proven, but one of the margin is not excluded for {listed(open_)}"
        return ("fail" if gate.mode == "prove" else "inconclusive"), reason
    return "pass", "no gating metric got worse, and drops of the margin are excluded"


def _not_evaluated(gating: list[MetricDecision], evidence: Evidence) -> str:
    """What had to be measured and was not, or an empty string."""
    broken = nothing_completed(evidence)
    if broken:
        return broken
    if not evidence.gating_cases:
        return "no case gates: every one is new or in quarantine"
    for side in SIDES:
        empty = empty_cases(evidence, side)
        if empty:
            return f"no completed trial on the {side} for {listed(empty)}"
    lacking = [d for d in gating if d.judged.verdict == "not_evaluated"]
    if lacking:
        return f"{lacking[0].name} could not be evaluated: {lacking[0].judged.reason}"
    unjudged = [d.name for d in gating if d.target is not None and d.target.verdict == "not_evaluated"]
    return f"the target of {listed(unjudged)} could not be judged" if unjudged else ""


def _because(regressed: list[str], missed: list[str]) -> str:
    parts: list[str] = []
    if regressed:
        parts.append(f"{listed(regressed)} regressed")
    if missed:
        parts.append(target_missed(missed))
    return "; ".join(parts)


def _advice(
    conclusion: Conclusion, metrics: tuple[MetricDecision, ...], gate: Gate, state: Reached, *, cases: int
) -> str:
    """What to do now; of an inconclusive evaluation of `cases` gating cases how much more it takes."""
    open_ = [d for d in metrics if d.gating and d.judged.verdict == "inconclusive"]
    asked = [to_exclude(d.comparison, gate.metrics[d.name]) for d in open_ if d.comparison is not None]
    if state.last is None or not asked or conclusion in ("pass", "not_evaluated"):
        return ADVICE[conclusion]
    if any(_regressed(d) for d in metrics):
        return ADVICE[conclusion]
    first = "Run it again: it goes on where it stopped. " if state.last.look.futility is not None else ""
    needed = Needed(_largest([one.seeds for one in asked]), _largest([one.cases for one in asked]))
    return first + more_needed(needed, seeds=state.last.look.rounds, cases=cases)


def _regressed(decision: MetricDecision) -> bool:
    return decision.gating and decision.judged.verdict == "regressed"


def _largest(numbers: list[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return max(known) if len(known) == len(numbers) else None
