"""What the store holds is not run, counts as spent, and infrastructure errors never reach it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

import pytest

from gatebot.model.suite import Case
from gatebot.model.trajectory import Usage
from gatebot.model.trial import SIDES, Side, Status, Trial, TrialKey
from gatebot.ports import SideEnvironment, TrialTask
from gatebot.runner.budget import Bounds
from gatebot.runner.pool import Audience, Lane, TrialRunner
from gatebot.runner.progress import Progress


def tasks(count: int) -> list[TrialTask]:
    return [
        TrialTask(Case("a", "a.yaml", ("hi",)), TrialKey("a", side, slot), slot, 1, 5.0)
        for slot in range(count)
        for side in SIDES
    ]


@dataclass
class Shelf:
    """A store in memory."""

    trials: dict[TrialKey, Trial] = field(default_factory=dict[TrialKey, Trial])

    def find(self, task: TrialTask) -> Trial | None:
        found = self.trials.get(task.key)
        return None if found is None else replace(found, reused=True)

    def keep(self, trial: Trial) -> None:
        self.trials[trial.key] = trial


@dataclass
class Memory:
    """A journal in memory."""

    done: set[TrialKey] = field(default_factory=set[TrialKey])
    spent_before: Usage = field(default_factory=Usage)
    trials: list[Trial] = field(default_factory=list[Trial])

    def append(self, trial: Trial) -> Trial:
        self.trials.append(trial)
        self.done.add(trial.key)
        return trial

    def sync(self) -> None:
        pass


@dataclass
class Agent:
    """Ends every trial alike and costs a dollar."""

    status: Status = "completed"
    runs: list[TrialKey] = field(default_factory=list[TrialKey])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, task: TrialTask, environment: SideEnvironment) -> Trial:
        del environment
        with self.lock:
            self.runs.append(task.key)
        return Trial(*task.key, task.seed, self.status, reason="x", usage=Usage(cost_usd=1.0))


@dataclass
class Moments:
    """What a view was told."""

    seen: list[Progress] = field(default_factory=list[Progress])

    def update(self, progress: Progress) -> None:
        self.seen.append(progress)

    def close(self) -> None:
        pass


def run(
    agent: Agent, shelf: Shelf, wanted: Sequence[TrialTask], bounds: Bounds | None = None
) -> tuple[Memory, str, Moments]:
    lanes: dict[Side, Lane] = {side: Lane(agent, SideEnvironment(side, PurePath("/x"))) for side in SIDES}
    memory, moments = Memory(), Moments()
    bounds = bounds or Bounds(concurrency=1, backoff_s=0, breaker=99)
    runner = TrialRunner(lanes, memory, bounds, stop=lambda: None, audience=Audience(shelf, moments))
    return memory, runner.run(wanted), moments


def test_what_is_kept_is_not_run_again() -> None:
    shelf = Shelf()
    first, _, _ = run(Agent(), shelf, tasks(2))
    agent = Agent()
    again, _, moments = run(agent, shelf, tasks(3))
    assert sorted(agent.runs) == [("a", "base", 2), ("a", "head", 2)]
    assert [replace(trial, reused=False) for trial in again.trials[:4]] == first.trials
    assert [trial.reused for trial in again.trials] == [True] * 4 + [False] * 2
    assert moments.seen[0].base.cached == 2
    assert (moments.seen[-1].done, moments.seen[-1].planned) == (6, 6)


def test_what_is_lost_to_infrastructure_is_not_kept() -> None:
    shelf = Shelf()
    memory, _, _ = run(Agent("infra_error"), shelf, tasks(1))
    assert len(memory.trials) == 2
    assert shelf.trials == {}


@pytest.mark.parametrize("status", ["completed", "agent_error", "timeout"])
def test_the_first_sample_counts_whatever_its_outcome(status: Status) -> None:
    shelf = Shelf()
    run(Agent(status), shelf, tasks(1))
    agent = Agent()
    again, _, _ = run(agent, shelf, tasks(1))
    assert ([trial.status for trial in again.trials], agent.runs) == ([status] * 2, [])


@pytest.mark.parametrize("bounds", [Bounds(1, trials=3), Bounds(1, usd=3.0)])
def test_running_again_goes_no_further_than_the_budget_did(bounds: Bounds) -> None:
    shelf = Shelf()
    first, why, _ = run(Agent(), shelf, tasks(4), bounds)
    assert len(first.trials) == 3
    agent = Agent()
    again, why_again, _ = run(agent, shelf, tasks(4), bounds)
    assert (agent.runs, why_again) == ([], why)
    assert {trial.key for trial in again.trials} == {trial.key for trial in first.trials}
