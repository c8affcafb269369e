"""A metric as a row of words, the same for Markdown and terminal: base, head, change, threshold, verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gatebot.model.report import MetricResult, Report, TargetResult
from gatebot.render.numbers import NOTHING, change_of, interval_of, percent, size_of, value_of

MARGIN_LEAD = "The margin is judged by the 90% interval:"
_ORDER = {"regressed": 0, "not_evaluated": 1, "inconclusive": 2, "improved": 3, "unchanged": 4}


@dataclass(frozen=True, slots=True)
class MetricRow:
    """Words of one metric. `name` comes from the report; `loud` marks a verdict that closes the gate."""

    name: str
    arrow: str
    base: str
    head: str
    change: str
    threshold: str
    verdict: str
    loud: bool


def gating_metrics(report: Report) -> tuple[MetricResult, ...]:
    """Metrics that can close the gate, regressions and missed targets first."""
    return _sorted(metric for metric in report.metrics if metric.gating)


def other_metrics(report: Report) -> tuple[MetricResult, ...]:
    """Metrics that inform, those with a value on some side; changes first."""
    return _sorted(
        metric
        for metric in report.metrics
        if not metric.gating and (metric.base is not None or metric.head is not None)
    )


def _sorted(metrics: Iterable[MetricResult]) -> tuple[MetricResult, ...]:
    """Stable: equal ranks keep the report's order, which is the configuration's."""
    return tuple(sorted(metrics, key=lambda metric: (not _is_loud(metric), _ORDER[metric.verdict])))


def _is_loud(metric: MetricResult) -> bool:
    missed = metric.target_result is not None and metric.target_result.verdict == "missed"
    return metric.gating and (metric.verdict == "regressed" or missed)


def metric_row(metric: MetricResult) -> MetricRow:
    """The row of one metric."""
    return MetricRow(
        name=metric.name,
        arrow="↑" if metric.direction == "higher" else "↓",
        base=value_of(metric.name, metric.scale, metric.base),
        head=value_of(metric.name, metric.scale, metric.head),
        change=_change(metric),
        threshold=_threshold(metric),
        verdict=_verdict(metric),
        loud=_is_loud(metric),
    )


def shared_confidence(metrics: Sequence[MetricResult]) -> str:
    """`98.6% interval` when all intervals have one confidence, else `interval`."""
    levels = {metric.confidence for metric in metrics if metric.interval is not None}
    only = levels.pop() if len(levels) == 1 else None
    return f"{percent(only)} interval" if only is not None else "interval"


def _change(metric: MetricResult) -> str:
    """A change beyond chance with its interval; else the words "not significant" and how far it may reach."""
    reach = interval_of(metric.scale, metric.interval, proven=proven_side(metric))
    if metric.verdict in ("regressed", "improved"):
        size = change_of(metric.scale, metric.delta)
        return f"{size} ({reach})" if reach else size
    if metric.verdict == "not_evaluated" or metric.delta is None:
        return NOTHING
    return f"not significant ({reach})" if reach else "not significant"


def margin_intervals(metrics: Sequence[MetricResult]) -> list[tuple[str, str]]:
    """Name and 90% interval of each gating metric whose margin is judged by another interval than its row shows."""
    told = [(m.name, interval_of(m.scale, m.margin_interval)) for m in metrics if m.gating]
    return [(name, reach) for name, reach in told if reach]


def proven_side(metric: MetricResult) -> int:
    """−1 or 1: the change is below or above none beyond chance at the interval's level; 0 where that is not proven.

    A metric may have regressed by its single cases alone; its p-value then says whether the mean moved too.
    """
    p = metric.p_adjusted if metric.p_adjusted is not None else metric.p_value
    if metric.delta is None or metric.confidence is None or metric.verdict not in ("regressed", "improved"):
        return 0
    if metric.verdict == "regressed" and (p is None or p > (1 - metric.confidence) / 2 + 1e-12):
        return 0
    none = 1.0 if metric.scale == "ratio" else 0.0
    return (metric.delta > none) - (metric.delta < none)


def _threshold(metric: MetricResult) -> str:
    said: list[str] = []
    if metric.margin is not None:
        said.append(f"margin {_short_size(metric.scale, metric.margin)}")
    if metric.min_effect:
        said.append(f"red from {_short_size(metric.scale, metric.min_effect)}")
    if metric.target is not None:
        said.append(f"target {target_bound(metric)}")
    return ", ".join(said) or NOTHING


def target_bound(metric: MetricResult) -> str:
    """The target with its sign: ≥ 80%; an en dash without one."""
    sign = "≥" if metric.direction == "higher" else "≤"
    return (
        NOTHING if metric.target is None else f"{sign} {value_of(metric.name, metric.scale, metric.target)}"
    )


def _short_size(scale: str, size: float) -> str:
    return size_of(scale, size).replace("points", "pts").replace("point", "pt")


def _verdict(metric: MetricResult) -> str:
    words = {"not_evaluated": "not evaluated", "inconclusive": "not proven"}
    if not metric.gating:
        # Nobody chose a margin for it, and its interval may be wide: nothing says that it is unchanged.
        words["unchanged"] = "no change shown"
    told = metric.target_result
    # Beside a regression a target that is met would only be noise; the threshold is in the row all the same.
    silent = told is None or (told.verdict == "met" and metric.verdict == "regressed")
    target = target_words(told) if told is not None and not silent else ""
    return "; ".join(said for said in (words.get(metric.verdict, metric.verdict), target) if said)


def target_words(target: TargetResult) -> str:
    """What the target says of the head, in words."""
    words = {
        "met": "target met",
        "missed": "target missed",
        "below": "misses target, may be chance",
        "unproven": "target not proven",
        "not_evaluated": "target not evaluated",
    }
    return f"{words[target.verdict]}{' (base too)' if target.inherited else ''}"


def smallest_drop(report: Report) -> str:
    """One sentence: the smallest worsening this run could have seen, for the first gating metric that knows it.

    Nothing beside a metric that regressed: what was seen needs no word on what could have been.
    """
    known = [metric for metric in report.metrics if metric.gating and metric.smallest_drop is not None]
    if not known:
        return ""
    metric = next((metric for metric in known if metric.name == "pass_rate"), known[0])
    if metric.verdict == "regressed":
        return ""
    seen = metric.smallest_drop
    word = "drop" if metric.direction == "higher" else "rise"
    if seen is None or seen.drop is None:
        return f"The trials of this run are too few to see any {word} of `{metric.name}` reliably."
    size, chance = size_of(metric.scale, seen.drop), percent(seen.power, 0)
    return (
        f"The smallest {word} of `{metric.name}` this run could have seen with {chance} probability: {size}."
    )
