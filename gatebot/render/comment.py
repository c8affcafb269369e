"""The pull request's comment: one block of words, one table, what got worse, the rest collapsed, never too long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gatebot.model.config import Accept
from gatebot.model.plan import SideInfo
from gatebot.model.report import Report
from gatebot.render import sections
from gatebot.render.diff import CaseDiff
from gatebot.render.markdown import Markdown, code, details, html_text, link, prose, stack, text
from gatebot.render.method import method_paragraph
from gatebot.render.metric_rows import gating_metrics, metric_row, other_metrics, smallest_drop
from gatebot.render.numbers import count, duration, money, tokens
from gatebot.render.phrases import heading, labelled, no_baseline, worse_cases
from gatebot.render.state import CommentState, encode_state, marker
from gatebot.render.template import fill

MAX_BYTES = 60_000
"""GitHub takes 65,536 characters; UTF-8 bytes are the stricter measure, and the rest is left for GitHub's own."""

MAX_ALERTS = 20


@dataclass(frozen=True, slots=True)
class CommentContext:
    """What the report does not know: where it is, which run made it, how to accept. Empty = not shown.

    `report_place` is a path or an https address; `rendered_at` a date to print, absent so that the same report gives
    the same bytes; `accept` None where nothing can be accepted (on a laptop).
    """

    report_place: str = ""
    run_url: str = ""
    run_id: str = ""
    attempt: int = 0
    rendered_at: str = ""
    accept: Accept | None = None


@dataclass(frozen=True, slots=True)
class _Level:
    """A step of the ladder: how many diffs of how many lines, whether the collapsed parts are there."""

    diffs: int
    lines: int
    collapsed: bool
    cases: int
    left_out: str


_LADDER = (
    _Level(1000, 200, True, 10, ""),
    _Level(20, 120, True, 10, "diffs beyond the first 20 cases"),
    _Level(5, 40, True, 10, "diffs beyond the first 5 cases, and beyond 40 lines"),
    _Level(0, 0, True, 10, "all trajectory diffs"),
    _Level(0, 0, False, 0, "the cases, their diffs and all details"),
)

NO_CONTEXT = CommentContext()


def render_comment(
    report: Report,
    diffs: Mapping[str, CaseDiff],
    context: CommentContext = NO_CONTEXT,
    *,
    max_bytes: int = MAX_BYTES,
) -> str:
    """The whole comment as Markdown, at most `max_bytes` of UTF-8 (as far as the last step of the ladder is smaller).

    `diffs`: case id → diff, for the cases that got worse; others are not shown. Steps down the ladder, from everything
    to verdict and metrics, until it fits; each step says what it left out. Nothing is ever cut inside a block.
    """
    rendered = ""
    for level in _LADDER:
        rendered = _render(report, diffs, context, level)
        if len(rendered.encode("utf-8")) <= max_bytes:
            break
    return rendered


def comment_at_step(report: Report, diffs: Mapping[str, CaseDiff], context: CommentContext, step: int) -> str:
    """The comment at one step of the ladder, 0 to 4: for a publisher that was told "too long" all the same."""
    return _render(report, diffs, context, _LADDER[min(max(step, 0), len(_LADDER) - 1)])


def _render(report: Report, diffs: Mapping[str, CaseDiff], context: CommentContext, level: _Level) -> str:
    state = CommentState(
        head_sha=report.head_sha or "",
        base_sha=report.base_sha or "",
        conclusion=report.conclusion,
        result_digest=report.result_digest,
        run_id=context.run_id,
        attempt=context.attempt,
    )
    calm = report.conclusion == "pass" and report.would_have in (None, "pass")
    return fill(
        "comment.md.j2",
        {
            "marker": Markdown(marker(report.suite)),
            "state": Markdown(encode_state(state)),
            "suite": text(report.suite, 100),
            "heading": heading(report),
            "why": prose(report.reason),
            "todo": prose(report.advice),
            "small_print": _small_print(report, context),
            "alerts": [prose(alert, 400) for alert in report.alerts[:MAX_ALERTS]],
            "opened": _calm_blocks(report, level) if calm else _open_blocks(report, diffs, level),
            "collapsed": _collapsed(report, context, calm=calm) if level.collapsed else (),
            "left_out": _left_out(level, context),
            "footer": _footer(report),
        },
    )


def _open_blocks(report: Report, diffs: Mapping[str, CaseDiff], level: _Level) -> list[Markdown]:
    """What a red or unclear comment shows without a click."""
    gating = gating_metrics(report)
    worse = worse_cases(report)
    blocks = [
        _gate_table(report),
        sections.metric_reasons(gating) if not no_baseline(report) else sections.EMPTY,
        prose(smallest_drop(report)),
    ]
    if worse and level.cases:
        blocks += [
            Markdown("### Cases that got worse"),
            sections.cases_table(worse, level.cases),
            sections.case_diffs(worse, diffs, level.diffs, level.lines),
        ]
    return [block for block in blocks if block]


def _calm_blocks(report: Report, level: _Level) -> list[Markdown]:
    """A green comment: one line of metrics; what nevertheless deserves a look stays open."""
    suspects = labelled(report, "suspect")
    blocks = [_metric_line(report), prose(smallest_drop(report))]
    if no_baseline(report):
        blocks = [sections.head_table(gating_metrics(report))]
    if suspects and level.cases:
        blocks.append(
            stack(text("Worth a look, not confirmed as worse:"), sections.cases_table(suspects, level.cases))
        )
    return [block for block in blocks if block]


def _metric_line(report: Report) -> Markdown:
    rows = [metric_row(metric) for metric in gating_metrics(report)[: sections.MAX_METRICS]]
    said = [
        Markdown(f"{code(row.name, 60)} {text(f'{row.base} → {row.head} ({row.verdict})')}") for row in rows
    ]
    return Markdown(" · ".join(said))


def _gate_table(report: Report) -> Markdown:
    gating = gating_metrics(report)
    return sections.head_table(gating) if no_baseline(report) else sections.metrics_table(gating)


def _collapsed(report: Report, context: CommentContext, *, calm: bool) -> list[Markdown]:
    """Everything that is one click away, in the order people ask for it."""
    alone = no_baseline(report)
    others = other_metrics(report)
    pass_k = sections.pass_k_table(report.pass_hat_k, report.pass_at_k)
    blocks = [
        _folded("Gated metrics", _gate_table(report)) if calm and not alone else sections.EMPTY,
        sections.case_list("Improved cases", labelled(report, "improved")),
        sections.case_list(
            "New cases", labelled(report, "new"), "They are shown here and gate after the merge."
        ),
        sections.case_list("Removed cases", labelled(report, "removed")),
        sections.case_list(
            "Flaky cases", labelled(report, "flaky"), "Trials of one side disagree with each other."
        ),
        _folded("Why trials failed", sections.failures_table(report)),
        _folded("Other metrics", sections.head_table(others) if alone else sections.metrics_table(others)),
        _folded("Reliability over several trials", pass_k),
        _folded("Method", method_paragraph(report)) if not alone else sections.EMPTY,
        _folded("Environment", _environment(report)),
        sections.how_to_accept(context.accept) if context.accept is not None and not calm else sections.EMPTY,
    ]
    return [block for block in (stack(block) for block in blocks) if block]


def _folded(title: str, body: Markdown) -> Markdown:
    return details(html_text(title), body) if body.strip() else sections.EMPTY


def _environment(report: Report) -> Markdown:
    told = [(name, side) for name, side in (("base", report.base), ("head", report.head)) if side is not None]
    lines = [
        Markdown(
            f"{text(name)}: {code(side.sha, 64)}, {text(side.label, 100)}, agent tree {code(side.tree[:16], 16)}"
        )
        for name, side in told
        if side.sha or side.tree
    ]
    isolation = [Markdown(f"isolation: {text(report.isolation, 300)}")] if report.isolation else []
    return sections.bullets([*lines, *isolation])


def _small_print(report: Report, context: CommentContext) -> Markdown:
    parts = [_sides(report), text(_amount(report)), *(text(said) for said in _lost(report) + _spent(report))]
    if context.run_url:
        parts.append(link("run", context.run_url))
    if context.report_place:
        parts.append(_place(context.report_place))
    if context.rendered_at:
        attempt = f", attempt {context.attempt}" if context.attempt > 1 else ""
        parts.append(text(f"updated {context.rendered_at}{attempt}", 100))
    return Markdown(" · ".join(part for part in parts if part))


def _place(place: str) -> Markdown:
    return (
        link("full report", place)
        if place.startswith("https://")
        else Markdown(f"full report: {code(place)}")
    )


def _sides(report: Report) -> Markdown:
    head = _side("head", report.head, report.head_sha)
    base = _side("base", report.base, report.base_sha)
    return Markdown(f"{head} against {base}" if head and base else head or base)


def _side(name: str, side: SideInfo | None, sha: str | None) -> Markdown:
    known = sha or (side.sha if side is not None else "")
    if not known and side is None:
        return sections.EMPTY
    dirty = " with uncommitted changes" if side is not None and side.dirty else ""
    shown = code(known[:7], 7) if known else text(side.label if side is not None else "", 60)
    return Markdown(f"{text(name)} {shown}{dirty}")


def _amount(report: Report) -> str:
    cases = sum(1 for case in report.cases if case.label != "removed")
    seeds = [metric.seeds for metric in report.metrics if metric.gating]
    if not seeds:
        return f"{count(cases, 'case')}, {count(report.trials.planned, 'trial')}"
    base, head = seeds[0].base, seeds[0].head
    if no_baseline(report) or base == head:
        return f"{count(cases, 'case')} × {count(head, 'trial')}{'' if no_baseline(report) else ' per side'}"
    return f"{count(cases, 'case')} × {base} trials on the base, {head} on the head"


def _lost(report: Report) -> list[str]:
    trials = report.trials
    said = [
        (trials.infra_error, f"{trials.infra_error:,} of {trials.planned:,} trials lost to infrastructure"),
        (trials.missing, f"{trials.missing:,} of {trials.planned:,} trials missing"),
        (trials.cached, f"{trials.cached:,} from the cache"),
    ]
    return [words for number, words in said if number]


def _spent(report: Report) -> list[str]:
    used = list(report.cost.values())
    costs = [usage.cost_usd for usage in used if usage.cost_usd is not None]
    totals = [usage.total_tokens for usage in used if usage.total_tokens is not None]
    said = [money(sum(costs))] if costs else []
    said += [f"{tokens(sum(totals))} tokens"] if totals else []
    return said + ([duration(report.wall_s)] if report.wall_s is not None else [])


def _left_out(level: _Level, context: CommentContext) -> Markdown:
    if not level.left_out:
        return sections.EMPTY
    where = (
        f" They are in {code(context.report_place)}."
        if context.report_place
        else " They are in the full report."
    )
    return Markdown(f"_Left out for length: {text(level.left_out)}.{where}_")


def _footer(report: Report) -> Markdown:
    return text(f"gatebot {report.gatebot_version}".strip(), 60)
