"""The pull request's comment: one block of words, one table, what got worse, the rest collapsed, never too long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gatebot.model.config import Accept
from gatebot.model.plan import SideInfo
from gatebot.model.report import Report
from gatebot.render import sections
from gatebot.render.diff import CaseDiff
from gatebot.render.markdown import Markdown, code, link, prose, stack, text
from gatebot.render.method import method_paragraph
from gatebot.render.metric_rows import gating_metrics, metric_row, other_metrics, smallest_drop
from gatebot.render.one_side import one_side_blocks
from gatebot.render.phrases import (
    acceptable,
    as_markdown,
    heading,
    labelled,
    one_sided,
    sentence,
    worse_cases,
)
from gatebot.render.planning import next_run
from gatebot.render.spent import amount_of, cost_of, losses_of, sides_of
from gatebot.render.state import CommentState, encode_state, marker
from gatebot.render.template import fill

MAX_BYTES = 60_000
"""GitHub takes 65,536 characters; UTF-8 bytes are the stricter measure, and the rest is left for GitHub's own."""

MAX_ALERTS = 20
BARE_METRICS = 10


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
    """A step of the ladder: how many diffs of how many lines; `room` = bytes it may take at most."""

    diffs: int
    lines: int
    left_out: str
    cases: int = sections.OPEN_CASES
    metrics: int = sections.MAX_METRICS
    alerts: int = MAX_ALERTS
    collapsed: bool = True
    room: int = 1_000_000


_LADDER = (
    _Level(1000, 200, ""),
    _Level(20, 120, "diffs beyond the first 20 cases"),
    _Level(5, 40, "diffs beyond the first 5 cases, and beyond 40 lines"),
    _Level(0, 0, "all trajectory diffs"),
    _Level(0, 0, "the cases, their diffs and all details", cases=0, collapsed=False),
    _Level(
        0, 0, "notes, cases, diffs and all details", cases=0, metrics=BARE_METRICS, alerts=0, collapsed=False
    ),
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
        rendered = _render(report, diffs, context, replace(level, room=max_bytes))
        if len(rendered.encode("utf-8")) <= max_bytes:
            break
    return rendered


def comment_at_step(report: Report, diffs: Mapping[str, CaseDiff], context: CommentContext, step: int) -> str:
    """The comment at one step of the ladder, 0 to 5: for a publisher that was told "too long" all the same."""
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
            "why": prose(sentence(report, report.reason)),
            "todo": _todo(report, context.accept),
            "small_print": _small_print(report, context),
            "alerts": [prose(sentence(report, alert), 400) for alert in report.alerts[: level.alerts]],
            "opened": _calm_blocks(report, level) if calm else _open_blocks(report, diffs, level),
            "collapsed": _collapsed(report, context, calm=calm) if level.collapsed else (),
            "left_out": _left_out(level, context),
            "footer": _footer(report),
        },
    )


def _todo(report: Report, accept: Accept | None) -> Markdown:
    told = prose(sentence(report, report.advice))
    if told and acceptable(report):
        how = (
            f"a maintainer sets the label {code(accept.label)}" if accept is not None else "`gatebot accept`"
        )
        told = Markdown(f"{told} To accept it: {how}.")
    return Markdown(f"**Next:** {told}") if told and report.conclusion != "pass" else told


def _open_blocks(report: Report, diffs: Mapping[str, CaseDiff], level: _Level) -> list[Markdown]:
    """What a red or unclear comment shows without a click."""
    if one_sided(report):
        return _one_side(report, level)
    worse = worse_cases(report)
    gating = gating_metrics(report)
    blocks = [
        sections.metrics_table(gating, level.metrics),
        sections.metric_reasons(report, gating) if level.alerts else sections.EMPTY,
        prose(smallest_drop(report)),
        prose(next_run(report)) if report.conclusion == "inconclusive" else sections.EMPTY,
    ]
    if worse and level.cases:
        blocks += [
            Markdown("### Cases that got worse"),
            sections.cases_table(worse, level.cases),
            sections.case_diffs(worse, diffs, sections.DiffBudget(level.diffs, level.lines, level.room)),
        ]
    return [stack(block) for block in blocks if block]


def _calm_blocks(report: Report, level: _Level) -> list[Markdown]:
    """A green comment: one line of metrics; what nevertheless deserves a look stays open."""
    if one_sided(report):
        return _one_side(report, level)
    suspects = labelled(report, "suspect")
    blocks = [_metric_line(report, level.metrics), prose(smallest_drop(report))]
    if suspects and level.cases:
        blocks.append(
            stack(text("Worth a look, not confirmed as worse:"), sections.cases_table(suspects, level.cases))
        )
    return [stack(block) for block in blocks if block]


def _metric_line(report: Report, limit: int) -> Markdown:
    rows = [metric_row(metric) for metric in gating_metrics(report)[:limit]]
    said = [
        Markdown(f"{code(row.name, 60)} {text(f'{row.base} → {row.head} ({row.verdict})')}") for row in rows
    ]
    return Markdown(" · ".join(said))


def _one_side(report: Report, level: _Level) -> list[Markdown]:
    if not level.cases:
        return [sections.head_table(gating_metrics(report), level.metrics)]
    return [stack(block) for block in one_side_blocks(report) if block]


def _collapsed(report: Report, context: CommentContext, *, calm: bool) -> list[Markdown]:
    """Everything that is one click away, in the order people ask for it."""
    alone = one_sided(report)
    blocks = [
        *([] if alone else _changed_cases(report, calm=calm)),
        sections.folded("Why trials failed", sections.failures_table(report)),
        *(_details_alone(report) if alone else _details_compared(report)),
        sections.folded("Environment", _environment(report)),
        sections.how_to_accept(context.accept) if context.accept is not None and not calm else sections.EMPTY,
    ]
    return [stack(block) for block in blocks if block]


def _changed_cases(report: Report, *, calm: bool) -> list[Markdown]:
    gated = sections.metrics_table(gating_metrics(report))
    flaky = "Trials of one side disagree with each other."
    return [
        sections.folded("Gated metrics", gated) if calm else sections.EMPTY,
        sections.case_list("Improved cases", labelled(report, "improved")),
        sections.case_list("New cases", labelled(report, "new"), "Shown here; they gate after the merge."),
        sections.case_list("Removed cases", labelled(report, "removed")),
        sections.case_list("Flaky cases", labelled(report, "flaky"), flaky),
    ]


def _details_compared(report: Report) -> list[Markdown]:
    pass_k = sections.pass_k_table(report.pass_hat_k, report.pass_at_k)
    return [
        sections.folded("Other metrics", _other_metrics(report)),
        sections.folded("Reliability over several trials", pass_k),
        sections.folded("Method", method_paragraph(report)),
    ]


def _other_metrics(report: Report) -> Markdown:
    body = sections.metrics_table(other_metrics(report), gating=False)
    caption = text("They inform and close no gate. Of many that are looked at, some change by chance.")
    return stack(caption, body) if body else body


def _details_alone(report: Report) -> list[Markdown]:
    return [sections.folded("Other metrics", sections.head_table(other_metrics(report)))]


def _environment(report: Report) -> Markdown:
    told = [(name, side) for name, side in (("base", report.base), ("head", report.head)) if side is not None]
    lines = [
        Markdown(f"{text(name)}: {code(side.sha, 64)}{_label(side)}, agent tree {code(side.tree[:16], 16)}")
        for name, side in told
        if side.sha or side.tree
    ]
    isolation = [Markdown(f"isolation: {text(report.isolation, 300)}")] if report.isolation else []
    return sections.bullets([*lines, *isolation])


def _label(side: SideInfo) -> str:
    """The name the side was asked for by, unless that is its hash again."""
    return f", {code(side.label, 100)}" if side.label and not side.sha.startswith(side.label) else ""


def _small_print(report: Report, context: CommentContext) -> Markdown:
    facts = [amount_of(report), *losses_of(report), *cost_of(report)]
    parts = [as_markdown(sides_of(report)), *(text(fact) for fact in facts)]
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
