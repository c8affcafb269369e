"""What may be told of a fork's own recording: it can be red, and by default it is never green by itself."""

from __future__ import annotations

from dataclasses import replace

from gatebot.model.config import Forks
from gatebot.model.report import Conclusion, Report

RECORDED = "Recorded by the fork's own run and graded here: what its trials say is the fork's claim, and nobody has verified it."
_SIGN: dict[Conclusion, str] = {
    "pass": "shows no drop",
    "inconclusive": "shows no sign of a drop, and does not exclude one",
}


def told_of_fork(report: Report, forks: Forks, live_run: str) -> Report:
    """The report of a fork's recording as it may be told.

    `forks` is the base's key of that name: `live` turns whatever would let the pull request pass into not evaluated.
    `live_run`: a sentence that says how a maintainer starts one.
    """
    marked = replace(report, alerts=(RECORDED, *report.alerts))
    if report.conclusion in ("fail", "not_evaluated"):
        return replace(marked, advice=f"{report.advice} {live_run}" if report.advice else live_run)
    if forks == "recorded" or report.mode == "observe":
        return marked
    reason = (
        f"the fork's own recording {_SIGN[report.conclusion]}, but only a live run can pass a fork's head"
    )
    return replace(marked, conclusion="not_evaluated", reason=reason, advice=live_run)
