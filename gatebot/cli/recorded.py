"""Commands on recorded trials: compare, report, import."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatebot.cli.console import say, warn
from gatebot.cli.outcome import finish

if TYPE_CHECKING:
    from gatebot.model.trajectory import Trajectory

JSON = Annotated[
    bool, typer.Option("--json", help="Print report.json on standard output instead of the summary.")
]
CONFIG = Annotated[str, typer.Option("--config", help="Name of the configuration in the suite's directory.")]


def register(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command()(compare)
    app.command()(report)
    app.command("import")(import_)


def compare(
    base: Annotated[
        Path, typer.Argument(help="Recorded trials of the base: a trials.jsonl or its directory.")
    ],
    head: Annotated[Path, typer.Argument(help="Recorded trials of the head.")],
    *,
    suite: Annotated[Path, typer.Option("--suite", help="Directory of gatebot.yaml and its cases.")],
    config: CONFIG = "gatebot.yaml",
    base_slots: Annotated[str | None, typer.Option("--base-slots", help="FIRST-LAST; default: all.")] = None,
    head_slots: Annotated[str | None, typer.Option("--head-slots", help="FIRST-LAST; default: all.")] = None,
    out: Annotated[Path, typer.Option("--out", help="Where the results go.")] = Path(
        "gatebot-results-compare"
    ),
    json: JSON = False,
) -> int:
    """Compare recorded trials with recorded trials; no agent is run."""
    from gatebot.commands.compare import ComparisonRequest, Recording, parse_slots
    from gatebot.commands.compare import compare as story

    request = ComparisonRequest(
        base=Recording(base, parse_slots(base_slots)),
        head=Recording(head, parse_slots(head_slots)),
        suite=suite,
        config=config,
        out=out,
        today=_today(),
        tell=lambda text: warn(f"note: {text}"),
    )
    return finish(story(request), out, as_json=json)


def report(
    directory: Annotated[Path, typer.Argument(help="A run's results, or a recorded suite.")],
    *,
    config: CONFIG = "gatebot.yaml",
    json: JSON = False,
) -> int:
    """Grade and render saved trials again; of one side alone a table with pass^k."""
    from gatebot.commands.report import report as story

    return finish(story(directory, config, _today()), directory, as_json=json)


def import_(
    what: Annotated[
        str, typer.Argument(help="tau-bench, tau2, react; or the file, to see what is detected.")
    ],
    file: Annotated[Path | None, typer.Argument(help="The recording.")] = None,
    *,
    out: Annotated[Path | None, typer.Option("--out", help="Directory for the suite and its trials.")] = None,
    tasks: Annotated[
        Path | None,
        typer.Option("--tasks", help="The benchmark's tasks, where they are a file of their own."),
    ] = None,
) -> int:
    """Turn recorded runs into a suite and trials, or show what a trace file holds."""
    from gatebot.commands.import_trace import RECORDED_KINDS, import_recorded, inspect_trace
    from gatebot.errors import UsageError
    from gatebot.render.numbers import count

    if file is None:
        if what in RECORDED_KINDS:
            raise UsageError("which recording?", f"gatebot import {what} FILE --out DIRECTORY")
        if out is not None or tasks is not None:
            kinds = ", ".join(RECORDED_KINDS)
            raise UsageError(
                "of a trace alone it is shown what it holds, and nothing is written",
                f"leave out --out and --tasks; for a suite name the kind of the recording first ({kinds})",
            )
        _show_trace(Path(what), inspect_trace(Path(what)))
        return 0
    if out is None:
        raise UsageError("where should the suite go?", "name an empty or new directory with --out")
    summary = import_recorded(what, file, out, tasks=tasks)
    for warning in summary.warnings:
        warn(f"warning: {warning}")
    say(f"{count(summary.cases, 'case')} and {count(summary.trials, 'trial')} in {out}")
    return 0


def _show_trace(file: Path, trajectory: Trajectory) -> None:
    from gatebot.render.numbers import count

    calls = trajectory.calls()
    failed = sum(call.is_error is True for call in calls)
    messages = count(len(trajectory.messages), "message")
    say(f"{file.name}: {trajectory.format}, {messages}, {count(len(calls), 'tool call')}")
    if failed:
        say(f"  {count(failed, 'call')} failed")
    for warning in trajectory.warnings:
        warn(f"  warning: {warning}")


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()
