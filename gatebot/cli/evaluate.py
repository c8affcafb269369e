"""Commands that run agents: gate, run, aa, demo."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatebot.cli.console import say, warn
from gatebot.cli.exit_codes import NOT_EVALUATED, PASS
from gatebot.cli.keeping import CACHE, NO_STORE, STORE, cache_place
from gatebot.cli.outcome import finish
from gatebot.cli.progress_view import watcher
from gatebot.cli.runs import SHARD, finish_shard
from gatebot.cli.statistics import show_recorded_splits
from gatebot.commands.request import EvaluationRequest
from gatebot.errors import UsageError
from gatebot.model.plan import MOST_SEEDS
from gatebot.process.nursery import Nursery

if TYPE_CHECKING:
    from gatebot.commands.views import Evaluation

REPO = Annotated[Path, typer.Option("--repo", help="The repository (or a directory in it).")]
CONFIG = Annotated[str, typer.Option("--config", help="Path of gatebot.yaml, relative to --repo.")]
CASES = Annotated[list[str] | None, typer.Option("--case", help="Only this case; may be repeated.")]
OUT = Annotated[Path, typer.Option("--out", help="Where the results go; an unfinished run there is resumed.")]
SEEDS = Annotated[
    int | None, typer.Option("--seeds", min=1, max=MOST_SEEDS, help="Slots per case and side, one look.")
]
JSON = Annotated[
    bool, typer.Option("--json", help="Print report.json on standard output instead of the summary.")
]
UNSAFE = Annotated[
    bool,
    typer.Option("--unsafe-no-sandbox", help="Start agents even where they could reach a token or be root."),
]
REPLACE = Annotated[
    bool,
    typer.Option("--replace", help="Remove what is left in --out of another evaluation that has not ended."),
]
FIRST_SLOT = Annotated[
    int, typer.Option("--first-slot", min=1, help="First slot: fresh slots, fresh trials.")
]
ALPHA_SHARE = Annotated[
    float,
    typer.Option(
        "--alpha-share",
        help="This evaluation's part of the policy's alpha, where several judge one head together.",
    ),
]
HEAD_HELP = "The commit to judge; WORKTREE = the tree as it lies."


def register(app: typer.Typer) -> None:
    """Add this group's commands."""
    app.command()(gate)
    app.command()(run)
    app.command()(aa)
    app.command()(demo)


def gate(
    *,
    base: Annotated[str, typer.Option("--base", help="The commit or branch to compare with.")],
    head: Annotated[str, typer.Option("--head", help=HEAD_HELP)] = "WORKTREE",
    fork_point: Annotated[
        str, typer.Option("--fork-point", help="The base side's commit, when it is not the merge base.")
    ] = "",
    head_only: Annotated[
        bool, typer.Option("--head-only", help="Run the head alone by the base's ruler; compares nothing.")
    ] = False,
    repo: REPO = Path(),
    config: CONFIG = "gatebot.yaml",
    case: CASES = None,
    out: OUT = Path("gatebot-results"),
    seeds: SEEDS = None,
    cache: CACHE = None,
    store: STORE = None,
    no_store: NO_STORE = False,
    unsafe: UNSAFE = False,
    replace_other: REPLACE = False,
    shard: SHARD = None,
    alpha_share: ALPHA_SHARE = 1.0,
    json: JSON = False,
) -> int:
    """Run the golden suite on base and head, and decide whether the agent got worse."""
    from gatebot.commands.gate import gate as whole
    from gatebot.commands.gate import gate_head

    if not 0.0 < alpha_share <= 1.0:
        raise UsageError(f"--alpha-share {alpha_share:g} is no share", "give a number above 0, at most 1")
    if shard is not None and head_only:
        raise UsageError("--shard and --head-only do not go together", "leave one of them out")
    with _requested(repo, config, case, out, seeds, cache) as asked:
        request = replace(
            asked,
            store=store,
            reuse=not no_store,
            unsafe=unsafe,
            alpha_share=alpha_share,
            replace_unfinished=replace_other,
        )
        if shard is not None:
            from gatebot.commands.gate import comparison

            sides = partial(comparison, base=base, head=head, fork_point=fork_point)
            return _shard(sides, request, shard, quiet=json)
        story = gate_head if head_only else whole
        report = story(request, base=base, head=head, watch=watcher(quiet=json), fork_point=fork_point)
    return finish(report, out, as_json=json)


def run(
    *,
    head: Annotated[str, typer.Option("--head", "--ref", help=HEAD_HELP)] = "WORKTREE",
    repo: REPO = Path(),
    config: CONFIG = "gatebot.yaml",
    case: CASES = None,
    out: OUT = Path("gatebot-results-run"),
    seeds: SEEDS = None,
    first_slot: FIRST_SLOT = 1,
    cache: CACHE = None,
    store: STORE = None,
    no_store: NO_STORE = False,
    unsafe: UNSAFE = False,
    replace_other: REPLACE = False,
    shard: SHARD = None,
    json: JSON = False,
) -> int:
    """Run the golden suite on one commit alone: scores and pass^k, nothing is compared."""
    from gatebot.commands.run import run as story

    with _requested(repo, config, case, out, seeds, cache) as asked:
        request = replace(
            asked, store=store, reuse=not no_store, unsafe=unsafe, replace_unfinished=replace_other
        )
        if shard is not None:
            from gatebot.commands.run import one_side

            return _shard(partial(one_side, head=head, first_slot=first_slot), request, shard, quiet=json)
        report = story(request, head=head, watch=watcher(quiet=json), first_slot=first_slot)
    return finish(report, out, as_json=json)


def aa(
    *,
    ref: Annotated[str, typer.Option("--ref", help="The commit to compare with itself.")] = "HEAD",
    repo: REPO = Path(),
    config: CONFIG = "gatebot.yaml",
    case: CASES = None,
    out: OUT = Path("gatebot-results-aa"),
    seeds: SEEDS = None,
    first_slot: FIRST_SLOT = 1,
    recorded: Annotated[
        Path | None, typer.Option("--recorded", help="Run nothing: split these recorded trials at random.")
    ] = None,
    suite: Annotated[
        Path | None, typer.Option("--suite", help="With --recorded: the suite's directory; default: --repo.")
    ] = None,
    splits: Annotated[
        int, typer.Option("--splits", min=10, max=100_000, help="With --recorded: how many splits.")
    ] = 1000,
    cache: CACHE = None,
    unsafe: UNSAFE = False,
    json: JSON = False,
) -> int:
    """Compare a commit with itself on fresh slots: whatever this reports is a false alarm.

    With --recorded: how often the gate closes on random halves of trials there are already, and what it finds of
    regressions planted into them.
    """
    from gatebot.commands.aa import aa as story

    if recorded is not None:
        show_recorded_splits(recorded, suite or repo, config, splits)
        return PASS
    with _requested(repo, config, case, out, seeds, cache) as asked:
        request = replace(asked, reuse=False, unsafe=unsafe)
        report = story(request, ref=ref, first_slot=first_slot, watch=watcher(quiet=json))
    return finish(report, out, as_json=json)


def demo(
    *,
    out: OUT = Path(".demo/results"),
    seeds: SEEDS = None,
    json: JSON = False,
) -> int:
    """Gate a made-up pull request of the support-agent example: no key, no network. Exits 0 when the gate fails it."""
    from gatebot.commands.demo import demo as story

    with _requested(Path(), "gatebot.yaml", None, out, seeds) as request:
        report = story(replace(request, reuse=False), watcher(quiet=json))
    finish(report, out, as_json=json)
    if not json:
        say(f"the comment a pull request gets: {out / 'comment.md'}")
    return PASS if report.conclusion == "fail" else NOT_EVALUATED


def _shard(
    build: Callable[[EvaluationRequest], Evaluation], request: EvaluationRequest, shard: str, *, quiet: bool
) -> int:
    from gatebot.commands.shards import run_shard
    from gatebot.runner.shard import Shard

    request = replace(request, shard=Shard.parse(shard))
    return finish_shard(shard, run_shard(build(request), request, watcher(quiet=quiet)))


@contextmanager
def _requested(
    repo: Path,
    config: str,
    case: list[str] | None,
    out: Path,
    seeds: int | None,
    cache: Path | None = None,
) -> Generator[EvaluationRequest]:
    """What is asked, with a nursery that comes up while the suite is read."""
    nursery = Nursery()
    nursery.start()
    request = EvaluationRequest(
        repo=repo,
        config=config,
        cases=tuple(case or ()),
        out=out,
        today=datetime.datetime.now(datetime.UTC).date(),
        seeds=seeds,
        environment=dict(os.environ),
        cache=cache_place(cache),
        nursery=nursery,
        tell=lambda text: warn(f"note: {text}"),
    )
    try:
        yield request
    finally:
        nursery.close(patient=False)
