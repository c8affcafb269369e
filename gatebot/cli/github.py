"""Commands around the golden set and GitHub: accept, record, ci, init, doctor."""

from __future__ import annotations

import datetime
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatebot.cli.console import say, warn
from gatebot.cli.exit_codes import FAIL, PASS, exit_code
from gatebot.model.plan import MOST_SEEDS

if TYPE_CHECKING:
    from gatebot.commands.accept.local import LocalAcceptance

CASE_ARGUMENT = Annotated[list[str] | None, typer.Argument(metavar="[CASE]…", help="Only these cases.")]
CONFIG = Annotated[str, typer.Option("--config", help="Path of gatebot.yaml, relative to --repo.")]
REPO = Annotated[Path, typer.Option("--repo", help="The repository (or a directory in it).")]
DRY_RUN = Annotated[bool, typer.Option("--dry-run", help="Show the diff and write nothing.")]


def register(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command()(accept)
    app.command()(record)
    app.command()(ci)
    app.command()(init)
    app.command()(doctor)


def accept(
    case: CASE_ARGUMENT = None,
    *,
    results: Annotated[Path, typer.Option("--results", help="The directory of a finished run.")] = Path(
        "gatebot-results"
    ),
    repo: REPO = Path(),
    config: CONFIG = "gatebot.yaml",
    dry_run: DRY_RUN = False,
) -> int:
    """Write the golden blocks of a finished run into the working tree; the pull request still needs the label."""
    from gatebot.commands.accept.local import accept as story
    from gatebot.commands.checked_out import check_checked_out

    check_checked_out(results, (repo / config).parent)
    done = story(results, (repo / config).parent, case or (), write=not dry_run)
    _show(
        done, "; in a pull request the label that accepts (gatebot:accept) is still needed", dry_run=dry_run
    )
    return PASS


def record(
    case: CASE_ARGUMENT = None,
    *,
    repo: REPO = Path(),
    config: CONFIG = "gatebot.yaml",
    out: Annotated[Path, typer.Option("--out", help="Where the run's results go.")] = Path(
        "gatebot-results-record"
    ),
    seeds: Annotated[int, typer.Option("--seeds", min=1, max=MOST_SEEDS, help="Trials per case.")] = 5,
    most_frequent: Annotated[
        bool, typer.Option("--most-frequent", help="Where trials disagree, take what most often happened.")
    ] = False,
    dry_run: DRY_RUN = False,
) -> int:
    """Run the tree as it lies, and write what its trials agree on as golden blocks. Exits 1 when some disagree."""
    from gatebot.cli.progress_view import watcher
    from gatebot.commands.record import record as story
    from gatebot.commands.request import EvaluationRequest

    request = EvaluationRequest(
        repo=repo,
        config=config,
        out=out,
        today=datetime.datetime.now(datetime.UTC).date(),
        cases=tuple(case or ()),
        seeds=seeds,
        environment=dict(os.environ),
    )
    done, agreed = story(request, watcher(quiet=False), most_frequent=most_frequent, write=not dry_run)
    for name, outcome in sorted(agreed.items()):
        spread = " + ".join(str(count) for count in outcome.spread)
        say(f"{name}: {outcome.agreement} ({spread or 0} of {outcome.of} trials)")
    _show(done, "", dry_run=dry_run)
    return FAIL if done.undecided else PASS


def ci(
    *,
    config: Annotated[
        str, typer.Option("--config", help="Path of gatebot.yaml in the repository.")
    ] = "gatebot.yaml",
    out: Annotated[
        str, typer.Option("--out", help="Where the results go, in the workspace.")
    ] = "gatebot-results",
    app_slug: Annotated[
        str, typer.Option("--app-slug", help="The App whose token this is: only its checks count as ours.")
    ] = "github-actions",
    connect: Annotated[
        str,
        typer.Option(
            "--connect",
            metavar="<directly|environment>",
            help="environment: by the proxy and certificate variables of the machine, which earlier steps can set.",
        ),
    ] = "directly",
) -> int:
    """Inside a workflow of GitHub Actions: do what the event asks for, and tell it there."""
    from gatebot.cli.connecting import connected, connection

    variables = dict(os.environ)
    with connected(connection(connect)) as aside:
        from gatebot.cli.ci_clock import running_context
        from gatebot.commands.ci.story import ci as story

        if aside:
            say(f"note: connected without {', '.join(aside)}; `connect: environment` heeds them")
        with running_context(config, out, app_slug, variables) as context:
            outcome = story(context)
    if outcome.conclusion == "inconclusive":
        warn("warning: not proven: the evidence is too thin to exclude the margin")
    if outcome.observed or (outcome.stored and outcome.conclusion == "fail"):
        return PASS  # what could not be evaluated is red here too, whatever the check says
    return exit_code(outcome.conclusion)


def init(
    directory: Annotated[Path, typer.Argument(help="Where the suite goes: the repository's root.")] = Path(),
    *,
    agent: Annotated[
        str | None, typer.Option("--agent", help="How the agent is started: 'python3 agent.py'.")
    ] = None,
    suite: Annotated[str | None, typer.Option("--suite", help="The suite's name.")] = None,
    env: Annotated[
        list[str] | None, typer.Option("--env", help="A variable the agent needs; may be repeated.")
    ] = None,
    question: Annotated[str | None, typer.Option("--question", help="A first question to the agent.")] = None,
    contains: Annotated[str, typer.Option("--contains", help="A word its answer must hold.")] = "help",
    action: Annotated[
        str, typer.Option("--action", help="The action and its release: owner/repository@commit.")
    ] = "",
    no_workflows: Annotated[bool, typer.Option("--no-workflows", help="Leave .github alone.")] = False,
) -> int:
    """Write gatebot.yaml, a first case and the workflows. Asks what it is not told, when there is somebody to ask."""
    from gatebot.commands.init import Answers, suite_name
    from gatebot.commands.init import init as story
    from gatebot.suite.load import CONFIG_NAME

    kept = (directory / CONFIG_NAME).exists()  # then nothing is asked that a suite says already
    ask = _unasked if kept else _ask
    answers = Answers(
        command=agent or ask("How is the agent started?", ""),
        suite=suite or ask("What is the suite called?", suite_name(directory.resolve().name)),
        env=tuple(env or ()),
        question=question or ask("What is a first question to it?", "What can you do for me?"),
        contains=contains,
        action=action,
    )
    for path in story(directory, answers, workflows=not no_workflows):
        say(f"wrote {path}")
    if kept:
        say(f"kept {CONFIG_NAME} and its cases{': --agent was not used' if agent else ''}")
    say("Next: commit, then gatebot record, look at the golden it wrote, and commit that.")
    if not action and not no_workflows:
        say(
            "The workflows name no release yet: put owner/repository@commit in place of gatebot/gatebot@000…, or remove "
            "them and give init --action owner/repository@commit. gatebot doctor says where."
        )
    return PASS


def _unasked(_question: str, default: str) -> str:
    return default


def _ask(question: str, default: str) -> str:
    """Ask on a terminal; elsewhere the default answers."""
    if not sys.stdin.isatty():
        return default
    answer: str = typer.prompt(question, default=default or None)
    return answer


def doctor(
    directory: Annotated[Path, typer.Argument(help="The suite's directory.")] = Path(),
) -> int:
    """Say what is missing for the gate to work: suite, workflows, secrets; with GITHUB_TOKEN also labels and rules."""
    from gatebot.cli.ci_clock import client_if_told
    from gatebot.commands.doctor import doctor as story

    found = story(directory, client_if_told(os.environ))
    for one in found:
        say(f"{one.level}: {one.message}")
        if one.todo:
            say(f"  {one.todo}")
    return FAIL if any(one.level == "problem" for one in found) else PASS


def _show(done: LocalAcceptance, then: str, *, dry_run: bool) -> None:
    """What was written; `then`: what is needed once it is committed."""
    from gatebot.render.golden_diff import agreement_lines, diff_lines
    from gatebot.render.numbers import count

    for line in diff_lines(done.changes):
        say(line)
    for line in agreement_lines(done.cases, done.undecided):
        warn(line)
    files = count(len(done.changes), "file")
    if dry_run:
        say(f"{files} would change; nothing was written")
    elif done.changes:
        say(f"{files} changed. Commit {'it' if len(done.changes) == 1 else 'them'}{then}.")
    else:
        counts = (
            " of this branch says so already: it counts once merged, or with the label on the pull request"
        )
        say(f"the golden set{counts if then else ' says so already'}; nothing was written")
