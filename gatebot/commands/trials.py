"""Runs the planned trials that are not in the journal yet."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from gatebot.agents.graders import GraderFiles
from gatebot.commands.request import EvaluationRequest
from gatebot.model.config import AgentConfig, Config
from gatebot.model.plan import Round
from gatebot.model.suite import Case, Suite, SuiteFile
from gatebot.model.trial import Side, TrialKey
from gatebot.plugins import make_agent
from gatebot.ports import SideEnvironment, TrialTask
from gatebot.process.launch import Launchers
from gatebot.results.store import ResultsDirectory
from gatebot.runner.budget import Bounds
from gatebot.runner.pool import Audience, KeptTrials, Lane, NothingKept, TrialRunner
from gatebot.runner.progress import ProgressView
from gatebot.runner.schedule import seed_for


@dataclass(frozen=True, slots=True)
class SideReady:
    """A side that is checked out and set up: how to start its agent, where, and its environment's programs.

    `readable`: what else its trials may read.
    """

    agent: AgentConfig
    directory: Path
    bin_dirs: tuple[Path, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    readable: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Means:
    """What running needs beside the plan."""

    request: EvaluationRequest
    results: ResultsDirectory
    launchers: Launchers
    watch: ProgressView
    kept: KeptTrials | None = None
    graders: GraderFiles = field(default_factory=dict[str, tuple[SuiteFile, ...]])


RunRounds = Callable[[Sequence[Round]], str]
"""Runs the trials of rounds that are not done; returns why not all were run (budget, breaker), or ""."""


@contextmanager
def running(suite: Suite, ready: Mapping[Side, SideReady], means: Means) -> Generator[RunRounds]:
    """Hold the journal and the sides' agents, and hand out what runs rounds.

    Running raises Cancelled after Ctrl-C or SIGTERM.
    """
    lanes: dict[Side, Lane] = {side: _lane(side, one, suite.config, means) for side, one in ready.items()}
    cases = {case.id: case for case in suite.cases}
    with closing(means.watch), means.results.journal() as journal:
        runner = TrialRunner(
            lanes,
            journal,
            _bounds(suite.config),
            stop=means.launchers.terminate_all,
            audience=Audience(means.kept or NothingKept(), means.watch),
        )

        def run(rounds: Sequence[Round]) -> str:
            return runner.run(
                [
                    _task(cases[key.case], key, round_.number, suite.config)
                    for round_ in rounds
                    for key in round_.trials
                ]
            )

        yield run


def _task(case: Case, key: TrialKey, round_: int, config: Config) -> TrialTask:
    return TrialTask(case, key, seed_for(key.case, key.slot), round_, case.timeout or config.agent.timeout)


def _lane(side: Side, ready: SideReady, config: Config, means: Means) -> Lane:
    environment = means.request.environment
    variables = {name: environment[name] for name in config.agent.env if name in environment}
    return Lane(
        make_agent(ready.agent, ready.directory, means.launchers, means.graders),
        SideEnvironment(
            side=side,
            checkout=ready.directory,
            bin_dirs=ready.bin_dirs,
            variables={**variables, **ready.variables},
            network=config.network,
            readable=(*ready.readable, *map(PurePath, config.agent.readable)),
            writable=tuple(map(PurePath, config.agent.writable)),
        ),
    )


def _bounds(config: Config) -> Bounds:
    budget = config.budget
    return Bounds(
        concurrency=config.concurrency,
        trials=budget.trials,
        seconds=budget.seconds,
        usd=budget.usd,
        tokens=budget.tokens,
    )
