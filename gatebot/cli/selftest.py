"""Commands about the machine: selftest."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from gatebot.cli.console import say
from gatebot.cli.exit_codes import NOT_EVALUATED, PASS


def register(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command()(selftest)


def selftest(
    *,
    network: Annotated[
        Literal["none", "loopback", "open"],
        typer.Option("--network", help="The network that trials are to have, as in gatebot.yaml."),
    ] = "none",
) -> int:
    """Attack the sandbox as a hostile agent would, and say what holds. Exits 3 when it is not whole."""
    from gatebot.commands.selftest import in_words
    from gatebot.commands.selftest import selftest as story

    report = story(network)
    say("\n".join(in_words(report)))
    return PASS if report.complete else NOT_EVALUATED
