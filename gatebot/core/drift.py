"""Has the world changed? Fresh trials of an unchanged agent against its stored results, in both directions."""

from __future__ import annotations

from gatebot.core.decision import Decision
from gatebot.model.drift import PROVEN_ALPHA, Drift
from gatebot.model.gate import Gate, MetricGate
from gatebot.model.metric import is_judge_metric

GONE_ALPHA = 0.05
"""Per direction: a change that was proven counts as gone once nothing points to it any more at this level."""


def drift_gate(gate: Gate, alpha: float = PROVEN_ALPHA) -> Gate | None:
    """The gate a drift is judged by: the suite's metrics at `alpha`, without targets, which no past can change.

    None when only a judge's metrics gate: no judge is asked on a schedule.
    """
    metrics = {
        name: MetricGate(margin=one.margin, min_effect=one.min_effect)
        for name, one in gate.metrics.items()
        if not is_judge_metric(name)
    }
    if not metrics:
        return None
    return gate.model_copy(update={"mode": "detect", "alpha": alpha, "metrics": metrics})


def drift_of(proven: Decision, loose: Decision) -> Drift:
    """The drift, from one comparison decided at `PROVEN_ALPHA` and at `GONE_ALPHA`."""
    worse, better, cases = _changes(proven)
    if worse or better or cases:
        return Drift("changed", _sentence(worse, better, cases), worse, better, cases)
    if proven.conclusion == "not_evaluated":
        return Drift("not_evaluated", proven.reason)
    worse, better, cases = _changes(loose)
    if worse or better or cases:
        told = _sentence(worse, better, cases)
        return Drift("unclear", f"no change is proven, and none is excluded: {told}, but this may be chance")
    return Drift("same", "no gating metric differs from the stored results beyond chance")


def _changes(decision: Decision) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    gating = [one for one in decision.metrics if one.gating]
    return (
        tuple(one.name for one in gating if one.judged.verdict == "regressed"),
        tuple(one.name for one in gating if one.judged.verdict == "improved"),
        tuple(sorted(decision.singles.regressed)),
    )


def _sentence(worse: tuple[str, ...], better: tuple[str, ...], cases: tuple[str, ...]) -> str:
    said = [
        f"{', '.join(names)} got {word}" for names, word in ((worse, "worse"), (better, "better")) if names
    ]
    if cases and not worse:
        said.append(f"single cases got worse ({', '.join(cases[:5])}{' …' if len(cases) > 5 else ''})")
    return " and ".join(said)
