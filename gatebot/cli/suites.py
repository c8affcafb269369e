"""Commands on the suite's own files: validate, schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gatebot.cli.console import say, warn


def register(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command()(validate)
    app.command()(schema)


def validate(
    directory: Annotated[Path, typer.Argument(help="The suite's directory.")] = Path(),
    *,
    repo: Annotated[Path | None, typer.Option("--repo", help="The same as the argument.")] = None,
    config: Annotated[
        str, typer.Option("--config", help="Path of gatebot.yaml in that directory.")
    ] = "gatebot.yaml",
) -> int:
    """Check gatebot.yaml and its cases; nothing is run."""
    from gatebot.commands.validate import validate as story
    from gatebot.render.numbers import count

    checked = story(repo or directory, config)
    for finding in checked.warnings:
        warn(f"warning: {finding.location}: {finding.message}")
        if finding.hint:
            warn(f"  hint: {finding.hint}")
    cases, warnings = len(checked.suite.cases), len(checked.warnings)
    say(f"{count(cases, 'case')}, {count(warnings, 'warning')}: the suite is sound")
    return 0


def schema(
    *,
    out: Annotated[Path, typer.Option("--out", help="Directory for the JSON Schemas.")] = Path("schema"),
) -> int:
    """Write the JSON Schemas of every file gatebot reads or writes."""
    from gatebot.suite.schemas import write_schemas

    for path in write_schemas(out):
        say(str(path))
    return 0
