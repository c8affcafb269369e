"""Commands of the judge: run it on finished results, calibrate it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from gatebot.cli.console import say, warn
from gatebot.cli.exit_codes import PASS
from gatebot.cli.outcome import finish


def register(app: typer.Typer) -> None:
    """Add this group's commands."""
    group = typer.Typer(name="judge", help="A model's second opinion.", no_args_is_help=True)
    group.command()(run)
    group.command()(calibrate)
    app.add_typer(group)


def run(
    directory: Annotated[Path, typer.Argument(help="The results of a finished run.")] = Path(
        "gatebot-results"
    ),
    *,
    json: Annotated[bool, typer.Option("--json", help="Print report.json instead of the summary.")] = False,
) -> int:
    """Judge what a finished run left unjudged, without its agents, and conclude anew."""
    from gatebot.commands.judging import JudgeMeans, judge_results

    report = judge_results(directory, JudgeMeans(dict(os.environ), warn))
    return finish(report, directory, as_json=json)


def calibrate(
    examples: Annotated[Path, typer.Argument(help="Labelled examples, a JSON object a line.")],
    *,
    suite: Annotated[Path, typer.Option("--suite", help="Directory of gatebot.yaml.")] = Path(),
    config: Annotated[
        str, typer.Option("--config", help="Name of the configuration there.")
    ] = "gatebot.yaml",
    repeat: Annotated[int, typer.Option("--repeat", min=2, max=10, help="Judgements of each example.")] = 2,
) -> int:
    """Measure the judge's agreement with people and with itself, and print the block for gatebot.yaml."""
    from gatebot.commands.calibrating import calibrate_judge, calibration_block, told
    from gatebot.commands.judging import JudgeMeans

    means = JudgeMeans(dict(os.environ), warn)
    judge, measured = calibrate_judge(suite, config, examples, means, repeat=repeat)
    for one in measured:
        say(told(one, judge))
    block = calibration_block(measured)
    if block:
        say(f"\nPut this under `judge:` in {config}:\n\n{block}")
    return PASS
