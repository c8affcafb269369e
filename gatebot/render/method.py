"""How the decision was made, in one collapsed paragraph: the test, the level, the looks, the seeds behind a number."""

from __future__ import annotations

from gatebot.model.report import MetricResult, Report
from gatebot.render.markdown import Markdown, code, prose, stack, text
from gatebot.render.metric_rows import gating_metrics, proven_side
from gatebot.render.numbers import change_of, count, interval_of, p_value, percent, value_of
from gatebot.render.phrases import sentence
from gatebot.render.planning import next_run

MAX_METRICS = 40


def method_paragraph(report: Report) -> Markdown:
    """The method, then one sentence per gating metric with its numbers, p-value, cases and seeds."""
    evidence = report.evidence
    levels = (
        f"A pull request that changes nothing is blocked for a drop with a probability of at most {percent(evidence.alpha)}: "
        f"{percent(evidence.alpha - evidence.case_level, 2)} for the metrics over all looks, "
        f"{percent(evidence.case_level, 2)} for single cases."
    )
    looks = f"Looks: {'; '.join(look.rstrip('.') for look in evidence.looks[:10])}." if evidence.looks else ""
    resamples = f"{evidence.resamples:,} resamples." if evidence.resamples else ""
    lead = " ".join(
        said for said in (sentence(report, evidence.method), levels, looks, resamples, _mode(report)) if said
    )
    return stack(
        prose(lead, 3000),
        *(_metric_sentence(report, metric) for metric in gating_metrics(report)[:MAX_METRICS]),
        prose(next_run(report)),
    )


def _mode(report: Report) -> str:
    modes = {
        "detect": "Mode `detect`: only a proven regression or a missed target blocks.",
        "prove": "Mode `prove`: every gating metric has to be shown no worse than its margin.",
        "observe": "Mode `observe`: nothing blocks.",
    }
    return modes.get(report.mode, "")


def _metric_sentence(report: Report, metric: MetricResult) -> Markdown:
    base, head = (value_of(metric.name, metric.scale, value) for value in (metric.base, metric.head))
    said = [f"{base} → {head}"]
    reach = interval_of(metric.scale, metric.interval, proven=proven_side(metric))
    if metric.delta is not None:
        level = f"{percent(metric.confidence)} " if metric.confidence is not None else ""
        said.append(
            f"{change_of(metric.scale, metric.delta)}{f' ({level}interval {reach})' if reach else ''}"
        )
    if metric.p_adjusted is not None:
        said.append(f"{p_value(metric.p_adjusted)} over all gating metrics")
    elif metric.p_value is not None:
        said.append(p_value(metric.p_value))
    seeds = metric.seeds
    trials = str(seeds.head) if seeds.base == seeds.head else f"{seeds.base} (base) and {seeds.head} (head)"
    said.append(f"{count(metric.n_cases, 'case')} × {trials} trials")
    if metric.ungraded:
        said.append(f"{count(metric.ungraded, 'trial')} ungraded")
    told_above = metric.verdict in ("inconclusive", "not_evaluated")
    tail = f" {prose(sentence(report, metric.reason), 400)}" if metric.reason and not told_above else ""
    return Markdown(f"{code(metric.name, 60)}: {text('; '.join(said))}.{tail}")
