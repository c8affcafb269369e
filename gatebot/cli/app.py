"""The command line put together: commands in groups, errors into sentences, conclusions into exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import typer
from typer import TyperException

from gatebot.cli import evaluate, github, judge, recorded, runs, selftest, statistics, suites
from gatebot.cli.console import show_error, warn
from gatebot.cli.exit_codes import CANCELLED, INTERNAL, USAGE
from gatebot.errors import Cancelled, GatebotError, UsageError

app = typer.Typer(
    name="gatebot",
    help="A pull-request gate that stops AI agents from getting worse unnoticed.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for group in (evaluate, runs, recorded, suites, github, statistics, judge, selftest):
    group.register(app)


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    *,
    version: bool = typer.Option(False, "--version", "-V", help="Show the version and exit."),
) -> None:
    if version:
        from gatebot import __version__

        typer.echo(f"gatebot {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        warn(context.get_help())
        raise typer.Exit(USAGE)


def run(argv: Sequence[str]) -> int:
    """Run one command line and return the exit code. Nothing but SystemExit's code ever leaves as an exception."""
    try:
        result = app(list(argv), standalone_mode=False)
    except Cancelled as stop:
        warn(f"{stop}\n\nhint: {stop.hint}")
        return CANCELLED
    except GatebotError as error:
        show_error(error)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted()
    except typer.Exit as ended:
        return ended.exit_code
    except TyperException as error:  # an unknown option, a value of the wrong kind, a missing argument
        show_error(
            UsageError(
                error.format_message(), "`gatebot --help` and `gatebot COMMAND --help` list what there is"
            )
        )
        return USAGE
    except Exception as error:  # noqa: BLE001 — the last resort: a person gets a sentence, never a traceback
        return _unexpected(error)
    if result == CANCELLED:  # what typer makes of Ctrl-C outside the trials
        return _interrupted()
    return result if isinstance(result, int) else 0


def _interrupted() -> int:
    warn("cancelled\n\nhint: run the same command again to go on")
    return CANCELLED


def _unexpected(error: Exception) -> int:
    if os.environ.get("GATEBOT_DEBUG"):
        import traceback

        traceback.print_exc(file=sys.stderr)
    warn(f"error: gatebot itself failed ({type(error).__name__}): this is a bug")
    warn("\nhint: run again with GATEBOT_DEBUG=1 and report what it prints; results so far are kept")
    return INTERNAL
