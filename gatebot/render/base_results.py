"""The check of a push to the default branch: how much of the base's results is stored, and how the base fares."""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.model.report import Report
from gatebot.render.markdown import prose, stack
from gatebot.render.numbers import count
from gatebot.render.one_side import one_side_blocks
from gatebot.render.phrases import sentence
from gatebot.render.visible import visible


@dataclass(frozen=True, slots=True)
class Stored:
    """Trials of the base: newly stored ones, those stored before, and the suite's cases.

    `counts`: whether later runs believe what this run hands on.
    """

    new: int
    before: int
    cases: int
    counts: bool = True


def base_check_name(suite: str) -> str:
    """The check of the base's results: another name than the gate's, which nothing but a gate may turn."""
    return f"gatebot base / {suite}"


def base_status_context(suite: str) -> str:
    """The commit status's name where checks may not be written."""
    return f"gatebot-base/{suite}"


def base_title(stored: Stored, trouble: str) -> str:
    """One line: what is stored now, or why nothing was added (`trouble`)."""
    if trouble:
        return visible(f"not evaluated: {trouble}", 250)
    kept = count(stored.before + stored.new, "trial")
    added = f"{stored.new:,} of them new" if stored.new else "none of them new"
    return f"{kept} of the base stored, {added}" if stored.counts else "the base was run, nothing is stored"


def base_summary(report: Report | None, stored: Stored, trouble: str) -> str:
    """A page for the check and the job's summary; `report` None: nothing was run."""
    kept = f"{count(stored.before + stored.new, 'trial')} of {count(stored.cases, 'case')}"
    first = f"Stored: {kept}, {stored.new:,} of them new. Pull requests are compared with them where that spares runs."
    if not stored.counts:
        first = "This run was started by hand: what it ran is shown here and stored nowhere."
    if trouble:
        first = f"Nothing new is stored, and nothing is shown of the base: {trouble}."
    if report is None:
        why = "Nothing was run." if trouble else "Nothing was run: every slot of the base is stored."
        return stack(prose(why), prose(first)) + "\n"
    blocks = (prose(first), prose(sentence(report, report.reason)), *one_side_blocks(report))
    return stack(*blocks) + "\n"
