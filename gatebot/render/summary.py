"""The run as lines for a terminal: plain text, nothing hidden in it, the same order as the comment."""

from __future__ import annotations

from collections.abc import Sequence

from gatebot.model.report import MetricResult, Report
from gatebot.render.metric_rows import (
    MARGIN_LEAD,
    MetricRow,
    gating_metrics,
    margin_intervals,
    metric_row,
    other_metrics,
    shared_confidence,
    smallest_drop,
)
from gatebot.render.numbers import NOTHING, count, share_between
from gatebot.render.one_side import unsteady_cases
from gatebot.render.phrases import (
    acceptable,
    as_line,
    heading,
    label_of,
    one_sided,
    passes,
    sentence,
    what_happened,
    worse_cases,
)
from gatebot.render.planning import next_run
from gatebot.render.spent import amount_of, cost_of, losses_of, sides_of
from gatebot.render.visible import visible

SHOWN_CASES = 10
SHOWN_METRICS = 40


def terminal_summary(report: Report, report_place: str = "") -> tuple[str, ...]:
    """Lines without line ends: conclusion and reason, metrics, cases worth a look, trials and cost, where the report is."""
    title = f"gatebot · {visible(report.suite, 100)}: {heading(report)}"
    why = [_told(report, words) for words in (report.reason, report.advice) if words.strip()]
    if report.advice.strip() and acceptable(report):
        why[-1] += " To accept it: gatebot accept."
    blocks: list[Sequence[str]] = [
        [title, *why],
        [f"note: {_told(report, alert)}" for alert in report.alerts[:20]],
        _alone(report) if one_sided(report) else _compared(report),
        _cases(report),
        _facts(report, report_place),
    ]
    lines: list[str] = []
    for block in blocks:
        lines += ["", *block] if lines and block else block
    return tuple(lines)


def _told(report: Report, words: str) -> str:
    return visible(sentence(report, words).replace("`", ""), 600)


def _compared(report: Report) -> list[str]:
    metrics = gating_metrics(report)[:SHOWN_METRICS]
    if not metrics:
        return []
    header = ("metric", "base", "head", f"change ({shared_confidence(metrics)})", "threshold", "verdict")
    rows = [_cells(metric_row(metric)) for metric in metrics]
    ahead = next_run(report) if report.conclusion == "inconclusive" else ""
    seen = [_told(report, words) for words in (smallest_drop(report), ahead) if words]
    judged = ", ".join(f"{visible(name, 60)} {reach}" for name, reach in margin_intervals(metrics))
    margins = [f"{MARGIN_LEAD} {judged}."] if judged else []
    return [*_grid([header, *rows], right=(1, 2)), *margins, *seen]


def _cells(row: MetricRow) -> tuple[str, ...]:
    verdict = row.verdict.upper() if row.loud else row.verdict
    return (f"{visible(row.name, 60)} {row.arrow}", row.base, row.head, row.change, row.threshold, verdict)


def _alone(report: Report) -> list[str]:
    chosen: list[MetricResult] = [*gating_metrics(report), *other_metrics(report)][:SHOWN_METRICS]
    rows = [metric_row(metric) for metric in chosen]
    values = [
        (f"{visible(row.name, 60)} {row.arrow}", row.head if row.head != NOTHING else row.base)
        for row in rows
    ]
    return [*_grid([("metric", "value"), *values], right=(1,)), *_pass_k(report)]


def _pass_k(report: Report) -> list[str]:
    found = report.pass_hat_k
    estimates, limits = (
        (found.head, found.head_intervals) if found.head else (found.base, found.base_intervals)
    )
    shown = [
        f"{visible(k, 10)}: {share_between(value, limits.get(k))}"
        for k, value in list((estimates or {}).items())[:SHOWN_METRICS]
    ]
    return [f"pass^k  {'  '.join(shown)}"] if shown else []


def _cases(report: Report) -> list[str]:
    alone = one_sided(report)
    chosen = unsteady_cases(report) if alone else worse_cases(report)
    if not chosen:
        return []
    rows = [
        (visible(case.id, 60), passes(case), "" if alone else label_of(case), as_line(what_happened(case)))
        for case in chosen[:SHOWN_CASES]
    ]
    more = len(chosen) - SHOWN_CASES
    rest = [f"and {count(more, 'more case')}"] if more > 0 else []
    return ["Cases that do not always pass" if alone else "Cases that got worse", *_grid(rows), *rest]


def _facts(report: Report, report_place: str) -> list[str]:
    facts = [as_line(sides_of(report)), amount_of(report), *losses_of(report), *cost_of(report)]
    place = [f"report: {visible(report_place, 500)}"] if report_place else []
    return [" · ".join(fact for fact in facts if fact), *place]


def _grid(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Columns padded to their widest cell, two blanks apart and in; no blanks at the end of a line."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
