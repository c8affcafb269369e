"""How a command that makes a report ends: summary or JSON on standard output, a warning, the exit code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gatebot.cli.console import say, say_exactly, warn
from gatebot.cli.exit_codes import PASS, exit_code

if TYPE_CHECKING:
    from gatebot.model.report import Report


def finish(report: Report, out: Path, *, as_json: bool) -> int:
    """Show the report and return the exit code of its conclusion."""
    if as_json:
        say_exactly((out / "report.json").read_bytes())
    else:
        from gatebot.render.summary import terminal_summary

        say("\n".join(terminal_summary(report, str(out / "report.json"))))
    if report.conclusion == "inconclusive":
        warn("warning: not proven: the evidence is too thin to exclude the margin")
    return PASS if report.mode == "observe" else exit_code(report.conclusion)
