"""`--shard i/N`: one part of an evaluation's trials, run without a verdict."""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.commands.evaluation import run_trials
from gatebot.commands.request import EvaluationRequest
from gatebot.commands.views import Evaluation
from gatebot.runner.progress import ProgressView


@dataclass(frozen=True, slots=True)
class ShardDone:
    """How far a shard has come; `stopped` says why not all of it was run, `setup` which side could not be set up."""

    done: int
    planned: int
    stopped: str = ""
    setup: str = ""


def run_shard(evaluation: Evaluation, request: EvaluationRequest, watch: ProgressView) -> ShardDone:
    """Run the request's shard of the evaluation; plan and trials are written for `gatebot merge`.

    Raises GatebotError of every kind; Cancelled after Ctrl-C, with finished trials kept.
    """
    ran = run_trials(evaluation, request, watch)
    planned = set(ran.plan.keys())
    done = {trial.key for trial in ran.results.trials()} & planned
    failed = [
        info.setup_reason
        for info in (ran.plan.base, ran.plan.head)
        if info is not None and info.setup == "failed"
    ]
    return ShardDone(len(done), len(planned), ran.plan.stopped, "; ".join(failed))
