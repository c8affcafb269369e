"""The blocks of the comment, each a whole that is shown or left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gatebot.model.config import Accept
from gatebot.model.report import CaseResult, MetricResult, PassHatK, Report
from gatebot.render.markdown import (
    Markdown,
    bullets,
    code,
    details,
    fence,
    html_text,
    join,
    prose,
    stack,
    table,
    text,
)
from gatebot.render.metric_rows import (
    MARGIN_LEAD,
    margin_intervals,
    metric_row,
    shared_confidence,
    target_bound,
    target_words,
)
from gatebot.render.numbers import NOTHING, count, share_between
from gatebot.render.phrases import (
    Phrase,
    Quoted,
    as_html,
    as_markdown,
    label_of,
    others_of,
    passes,
    sentence,
    step_of,
    what_happened,
)

if TYPE_CHECKING:
    from gatebot.render.diff import CaseDiff, DiffLine

EMPTY = Markdown("")
MAX_METRICS = 40
OPEN_CASES = 10
LISTED_CASES = 30

_MARKS = {"title": "@@ ", "same": "  ", "missing": "- ", "extra": "+ ", "note": "  "}


def metrics_table(
    metrics: Sequence[MetricResult], limit: int = MAX_METRICS, *, gating: bool = True
) -> Markdown:
    """Base, head, change, threshold and verdict of each metric; what closes the gate in bold.

    With `gating` False there is no threshold to show.
    """
    if not metrics:
        return EMPTY
    threshold = ("threshold",) if gating else ()
    change = f"change ({shared_confidence(metrics)})"
    header = [text(word) for word in ("metric", "base", "head", change, *threshold, "verdict")]
    rows = [_metric_cells(metric, gating=gating) for metric in metrics[:limit]]
    more = len(metrics) - limit
    return stack(
        table(header, rows, ("left", "right", "right")),
        text(f"{count(more, 'further metric')} left out here.") if more > 0 else EMPTY,
        _margin_line(metrics[:limit]),
    )


def _margin_line(metrics: Sequence[MetricResult]) -> Markdown:
    """What `unchanged` and "not proven" rest on, where the rows show the wider interval of a look."""
    told = [Markdown(f"{code(name, 60)} {text(reach)}") for name, reach in margin_intervals(metrics)]
    return Markdown(f"<sub>{text(MARGIN_LEAD)} {', '.join(told)}.</sub>") if told else EMPTY


def _metric_cells(metric: MetricResult, *, gating: bool) -> list[Markdown]:
    row = metric_row(metric)
    verdict, change = text(row.verdict), text(row.change)
    if row.loud:
        verdict = Markdown(f"**{verdict}**")
        change = Markdown(f"**{change}**") if metric.verdict == "regressed" else change
    name = join([code(row.name, 60), text(row.arrow)])
    threshold = (text(row.threshold),) if gating else ()
    return [name, text(row.base), text(row.head), change, *threshold, verdict]


def head_table(metrics: Sequence[MetricResult], limit: int = MAX_METRICS) -> Markdown:
    """One side alone: value, target and what the target says. For a run with nothing to compare with."""
    if not metrics:
        return EMPTY
    header = [text(word) for word in ("metric", "value", "target", "verdict")]
    rows: list[list[Markdown]] = []
    for metric in metrics[:limit]:
        row = metric_row(metric)
        value = row.head if metric.head is not None else row.base
        said = target_words(metric.target_result) if metric.target_result is not None else NOTHING
        shown = Markdown(f"**{text(said)}**") if row.loud else text(said)
        target = target_bound(metric)
        rows.append([join([code(row.name, 60), text(row.arrow)]), text(value), text(target), shown])
    more = len(metrics) - limit
    rest = text(f"{count(more, 'further metric')} left out here.") if more > 0 else EMPTY
    return stack(table(header, rows, ("left", "right")), rest)


def metric_reasons(report: Report, metrics: Sequence[MetricResult]) -> Markdown:
    """Why a gating metric could not be judged, one line each."""
    unclear = [
        metric for metric in metrics if metric.verdict in ("inconclusive", "not_evaluated") and metric.reason
    ]
    return bullets(
        Markdown(f"{code(metric.name, 60)}: {prose(sentence(report, metric.reason, starts=False), 300)}")
        for metric in unclear[:MAX_METRICS]
    )


def cases_table(cases: Sequence[CaseResult], limit: int = OPEN_CASES, *, labels: bool = True) -> Markdown:
    """Passed trials on both sides, the label, and what happened first; beyond `limit` they are counted."""
    header = [text(word) for word in ("case", "passed", *(("label",) if labels else ()), "first difference")]
    rows = [
        [
            code(case.id, 100),
            Markdown(f"**{text(passes(case))}**"),
            *((text(label_of(case)),) if labels else ()),
            as_markdown(what_happened(case)),
        ]
        for case in cases[:limit]
    ]
    more = len(cases) - limit
    rest = text(f"and {count(more, 'more case')}.") if more > 0 else EMPTY
    return stack(table(header, rows), rest)


def case_diff(case: CaseResult, diff: CaseDiff, max_lines: int) -> Markdown:
    """One case's diff, collapsed; the summary says how the case fared."""
    summary: Phrase = [Quoted(case.id), passes(case), f"· {label_of(case)}"]
    told = Markdown(f"Judge: {text(case.explanation, 800)}") if case.explanation else EMPTY
    lines = diff_block(diff.lines, max_lines) if diff.lines else EMPTY
    shown = case.first_divergence
    unmet = as_markdown(step_of(shown)) if shown is not None and shown.kind == "unmet" else EMPTY
    also = as_markdown(others_of(case.failure)) if case.failure is not None else EMPTY
    return details(as_html(summary), stack(told, unmet, also, lines))


def diff_block(lines: Sequence[DiffLine], max_lines: int) -> Markdown:
    """The lines in a diff fence, `-` for the golden and `+` for the agent; cut between lines, visibly."""
    shown = [f"{_MARKS[line.kind]}{_one_line(line)}" for line in lines[:max_lines]]
    if len(lines) > max_lines:
        shown.append(f"  … {count(len(lines) - max_lines, 'more line')}")
    return fence("\n".join(shown), "diff", limit=200_000)


def _one_line(line: DiffLine) -> str:
    told = line.text.replace("\r", "\\r").replace("\n", "\\n")
    return f"{told} @@" if line.kind == "title" else told


@dataclass(frozen=True, slots=True)
class DiffBudget:
    """How many cases' diffs, of how many lines; `room` bytes are known to be too many, so no more is rendered."""

    cases: int
    lines: int
    room: int


def case_diffs(cases: Sequence[CaseResult], diffs: Mapping[str, CaseDiff], budget: DiffBudget) -> Markdown:
    """The diffs of the first cases that have one: five in the open list, the rest one level down."""
    shown: list[Markdown] = []
    size = 0
    for case in cases:
        diff = diffs.get(case.id)
        if len(shown) == budget.cases or size > budget.room:
            break
        if diff is not None and (diff.lines or case.explanation):
            shown.append(case_diff(case, diff, budget.lines))
            size += len(shown[-1])
    if not shown:
        return EMPTY
    legend = Markdown("<sub>In the diffs, `-` is what the golden has and `+` what the agent did.</sub>")
    first, rest = shown[:5], shown[5:]
    nested = details(html_text(f"{count(len(rest), 'more diff')}"), stack(*rest)) if rest else EMPTY
    return stack(*first, nested, legend)


def case_list(title: str, cases: Sequence[CaseResult], note: str = "") -> Markdown:
    """A collapsed list of cases with their passes."""
    if not cases:
        return EMPTY
    items = [Markdown(f"{code(case.id, 100)} {text(passes(case))}") for case in cases[:LISTED_CASES]]
    more = len(cases) - LISTED_CASES
    rest = text(f"and {count(more, 'more case')}.") if more > 0 else EMPTY
    body = stack(prose(note), Markdown(" · ".join(items)), rest)
    return details(html_text(f"{title} ({len(cases):,})"), body)


def failures_table(report: Report) -> Markdown:
    """Primary failure categories, trials per side, the head's most frequent first, with what the head's trials say."""
    shares = sorted(report.failures, key=lambda share: (-share.head, -share.base, share.category))[
        :MAX_METRICS
    ]
    if not shares:
        return EMPTY
    reasons = _most_told(report)
    header = [text(word) for word in ("failure", "base trials", "head trials", "most often")]
    rows = [
        [
            text(share.category.replace("_", " "), 60),
            text(str(share.base)),
            text(str(share.head)),
            code(reasons[share.category], 200) if share.category in reasons else text(NOTHING),
        ]
        for share in shares
    ]
    return table(header, rows, ("left", "right", "right"))


def _most_told(report: Report) -> dict[str, str]:
    """Category → the reason that most of the head's failing trials give, by the cases' most frequent failures."""
    told: dict[str, Counter[str]] = {}
    for case in report.cases:
        if case.failure is not None and case.failure.reason:
            told.setdefault(case.failure.category, Counter())[case.failure.reason] += case.failure.trials
    return {
        category: min(reasons, key=lambda said: (-reasons[said], said)) for category, reasons in told.items()
    }


def pass_k_table(hat: PassHatK, at: PassHatK) -> Markdown:
    """pass^k (all of k trials pass) and pass@k (one of k does) per side, each with its interval where it has one."""
    every = {k for estimates in (hat.base, hat.head, at.base, at.head) for k in estimates or {}}
    ks = sorted(every, key=_k)[:MAX_METRICS]
    columns = [
        (name, values, limits)
        for name, values, limits in (
            ("pass^k base", hat.base, hat.base_intervals),
            ("pass^k head", hat.head, hat.head_intervals),
            ("pass@k base", at.base, at.base_intervals),
            ("pass@k head", at.head, at.head_intervals),
        )
        if values
    ]
    if not ks or not columns:
        return EMPTY
    header = [
        text("k"),
        *(
            Markdown(name.replace("pass@k", "`pass@\u200bk`").replace("pass^k", "`pass^k`"))
            for name, _, _ in columns
        ),
    ]
    rows = [
        [
            text(k, 10),
            *(text(share_between(values.get(k), limits.get(k))) for _, values, limits in columns),
        ]
        for k in ks
    ]
    told = text("In brackets the 90% interval; there is one where every case has two trials more than k.")
    return stack(table(header, rows, ("right",) * len(header)), told)


def _k(k: str) -> tuple[int, str]:
    return (int(k), k) if k.isascii() and k.isdigit() and len(k) < 10 else (10**10, k)


def how_to_accept(accept: Accept) -> Markdown:
    """Who may accept intended behaviour, and how."""
    *others, last = accept.roles
    roles = f"{', '.join(others)} or {last}" if others else last
    author = "" if accept.by_author else " other than the author"
    body = [
        Markdown(
            f"If the new behaviour is intended, somebody{text(author)} with {text(roles)} access adds the label {code(accept.label)}: the golden set then takes it over in one commit."
        ),
        Markdown(
            f"{code(accept.override_label)} lets this head through once and leaves the golden set as it is."
        ),
    ]
    return details(html_text("How to accept"), bullets(body))


def folded(title: str, body: Markdown) -> Markdown:
    """The body one click away; nothing when there is none."""
    return details(html_text(title), body) if body.strip() else EMPTY
