"""From a report to what is told: the comment and its shorter forms, the check, annotations, the summary, the outputs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from gatebot.commands.commenting import case_diffs
from gatebot.commands.graded_trials import ReaderSource
from gatebot.model.acceptance import Acceptance
from gatebot.model.config import CommentMode
from gatebot.model.publication import Annotation, CheckOutput, Publication
from gatebot.model.report import Report
from gatebot.render.check import Binding, hidden_text
from gatebot.render.comment import MAX_BYTES, CommentContext, comment_at_step, render_comment
from gatebot.render.diff import CaseDiff
from gatebot.render.phrases import heading, worse_cases
from gatebot.render.summary_page import MAX_PAGE_BYTES, visible_page
from gatebot.render.visible import visible
from gatebot.results.store import ResultsDirectory

_STEPS = 6
_SHOWN_FILES = 5
_LIKELY = ("prompt", "instruction", "system", "tool", "agent", "model", "skill")


@dataclass(frozen=True, slots=True)
class Told:
    """What is added to a report when it is told: where it is, what it is bound to, which files the head changed."""

    context: CommentContext
    binding: Binding
    changed: tuple[str, ...] = ()
    acceptance: Acceptance | None = None


def diffs_of(results: ResultsDirectory, report: Report) -> dict[str, CaseDiff]:
    """The trajectory diffs of a finished evaluation's failing cases."""
    return case_diffs(report, results.read_suite(), ReaderSource(results.trials).some)


def publication(report: Report, diffs: dict[str, CaseDiff], told: Told) -> Publication:
    """Everything there is to tell of a report."""
    full = render_comment(report, diffs, told.context)
    shorter = [comment_at_step(report, diffs, told.context, step) for step in range(1, _STEPS)]
    ladder = [full, *(one for one in shorter if len(one.encode()) < len(full.encode()))]
    page = render_comment(report, diffs, told.context, max_bytes=MAX_PAGE_BYTES)
    passes = report.conclusion in ("pass", "inconclusive") or report.mode == "observe"
    title = f"{heading(report)}, but not proven" if report.conclusion == "inconclusive" else heading(report)
    return Publication(
        comments=tuple(dict.fromkeys(ladder)),
        check=CheckOutput(
            title=visible(title, 250),
            summary=visible_page(render_comment(report, diffs, told.context, max_bytes=MAX_BYTES)),
            text=hidden_text(told.binding, told.acceptance) or "",
            annotations=suspect_annotations(report, told.changed),
        ),
        conclusion="success" if passes else "failure",
        summary_page=visible_page(page),
        outputs=(
            ("conclusion", report.conclusion),
            ("regressed-cases", str(len([case for case in report.cases if case.label == "regressed"]))),
        ),
    )


def suspect_annotations(report: Report, changed: Sequence[str]) -> tuple[Annotation, ...]:
    """A remark on each of the changed files that most likely made cases worse; none when nothing got worse."""
    worse = worse_cases(report)
    if not worse or report.conclusion != "fail":
        return ()
    named = ", ".join(visible(case.id, 60) for case in worse[:10])
    more = f" and {len(worse) - 10} more" if len(worse) > 10 else ""
    message = f"Cases that got worse with this change: {named}{more}"
    likely = sorted(changed, key=lambda path: (-_likelihood(path), path))[:_SHOWN_FILES]
    return tuple(Annotation(path, message, f"gatebot · {visible(report.suite, 60)}") for path in likely)


def _likelihood(path: str) -> int:
    """How likely a changed file is to change what an agent does: prompts, tools, models first, then code."""
    lower = path.lower()
    return 2 * any(word in lower for word in _LIKELY) + lower.endswith(
        (".py", ".md", ".txt", ".yaml", ".json")
    )


def worth_a_comment(report: Report, mode: CommentMode) -> bool:
    """Whether there is enough to say, by the configuration's `comment`, for a comment where there is none yet."""
    if mode in ("always", "off"):
        return mode == "always"
    if report.conclusion != "pass" or report.would_have not in (None, "pass"):
        return True
    if mode == "regressions":
        return any(case.label == "regressed" for case in report.cases)
    loud = any(case.label in ("regressed", "suspect", "improved", "flaky", "new") for case in report.cases)
    return report.base is None or loud or bool(report.alerts)


def file_digest(results: ResultsDirectory, name: str) -> str:
    """sha256 in hex of a file of the results; "" when there is none."""
    path = results.path / name
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
