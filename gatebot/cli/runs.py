"""Commands on evaluations that run on several machines: shards, merge; and the option that runs one shard."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatebot.cli.console import say, warn
from gatebot.cli.exit_codes import NOT_EVALUATED, PASS
from gatebot.cli.outcome import finish

if TYPE_CHECKING:
    from gatebot.commands.shards import ShardDone

SHARD = Annotated[
    str | None,
    typer.Option(
        "--shard",
        metavar="I/N",
        help="Run part I of N of the trials and give no verdict: `gatebot merge` does. Implies one look.",
        show_default=False,
    ),
]
JSON = Annotated[
    bool, typer.Option("--json", help="Print report.json on standard output instead of the summary.")
]


def register(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command()(shards)
    app.command()(merge)


def shards(count: Annotated[int, typer.Argument(help="How many jobs share the trials.")]) -> int:
    """Print a job matrix for GitHub Actions: one job per shard."""
    from gatebot.runner.shard import matrix

    say(matrix(count))
    return PASS


def merge(
    directories: Annotated[
        list[Path], typer.Argument(help="What the shards wrote, each in its own directory.")
    ],
    *,
    out: Annotated[Path, typer.Option("--out", help="Where the joined results go.")] = Path(
        "gatebot-results"
    ),
    json: JSON = False,
) -> int:
    """Check and join the shards of one evaluation, and decide."""
    from gatebot.commands.merge import merge as story

    report = story(directories, out, dict(os.environ), lambda text: warn(f"note: {text}"))
    return finish(report, out, as_json=json)


def finish_shard(name: str, done: ShardDone) -> int:
    """Say how far a shard has come; 0 when `gatebot merge` can take it as complete, a failed setup included."""
    if done.setup:
        say(f"shard {name}: the setup failed: {done.setup}")
    else:
        say(f"shard {name}: {done.done} of {done.planned} trials")
    if done.stopped:
        warn(f"warning: stopped early: {done.stopped}")
        return NOT_EVALUATED
    return PASS
