"""The bounded pool: runs tasks on both sides, stores each trial when it has finished, stops when told to."""

from __future__ import annotations

import dataclasses
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gatebot.errors import Cancelled, InfrastructureError
from gatebot.model.trajectory import Usage
from gatebot.model.trial import SIDES, Side, Trial, TrialKey
from gatebot.ports import Agent, SideEnvironment, TrialTask
from gatebot.runner.budget import Bounds, Breaker, Spending
from gatebot.runner.progress import NoProgress, Progress, ProgressView, SideProgress
from gatebot.runner.signals import Cancellation, cancelled_by_signals
from gatebot.runner.workers import Workers

_TICK_S = 0.2
_GRACE_S = 3.0


@dataclass(frozen=True, slots=True)
class Lane:
    """Who runs a side's trials, and where."""

    agent: Agent
    environment: SideEnvironment


class TrialSink(Protocol):
    """Where finished trials go: the journal.

    `done` are the keys that must not run again, `spent_before` what earlier processes have spent on this evaluation.
    """

    done: set[TrialKey]
    spent_before: Usage

    def append(self, trial: Trial) -> Trial:
        """Store a trial so that our own death cannot lose it, and hand it back as stored. Called from many threads."""
        ...

    def sync(self) -> None:
        """Let what was stored survive a power cut too. Called from one thread."""
        ...


class KeptTrials(Protocol):
    """Finished trials that outlive the results directory: the store."""

    def find(self, task: TrialTask) -> Trial | None:
        """The trial as this very evaluation has run it before, ready for the journal; None when it has not."""
        ...

    def keep(self, trial: Trial) -> None:
        """Keep a finished trial for later. Called from many threads; never raises on a disk that refuses."""
        ...


class NothingKept:
    """No store: every trial is run."""

    def find(self, task: TrialTask) -> Trial | None:
        """Nothing."""
        del task

    def keep(self, trial: Trial) -> None:
        """Forget it."""


@dataclass(frozen=True, slots=True)
class Audience:
    """Who hears of a run beside the journal: the store, and whoever watches."""

    kept: KeptTrials = field(default_factory=NothingKept)
    progress: ProgressView = field(default_factory=NoProgress)


@dataclass(slots=True)
class _Counts:
    planned: int = 0
    done: int = 0
    cached: int = 0


class TrialRunner:
    """Runs the trials of an evaluation, round after round. One per process; `run` is called from one thread.

    `stop` ends everything the agents have started and makes their `run` return soon; it must itself return at once.
    """

    def __init__(
        self,
        lanes: Mapping[Side, Lane],
        sink: TrialSink,
        bounds: Bounds,
        *,
        stop: Callable[[], None],
        audience: Audience | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lanes = lanes
        self._sink = sink
        self._bounds = bounds
        audience = audience or Audience()
        self._kept = audience.kept
        self._cancellation = Cancellation(stop)
        self._progress = audience.progress
        self._clock = clock
        self._began = clock()
        self.spending = Spending(bounds)
        self.spending.add(sink.spent_before)
        self._breaker = Breaker(bounds.breaker)
        self._heard: set[TrialKey] = set()
        self._counts: dict[Side, _Counts] = {side: _Counts() for side in SIDES}
        self._infra_errors = 0
        self._stopped = ""

    def run(self, tasks: Sequence[TrialTask]) -> str:
        """Run the tasks whose keys are not done yet, starting them in order, and store each when it has finished.

        Hands back why not all were started (budget, breaker), in words; empty when all were. After such a stop
        further calls run nothing. Raises Cancelled after SIGINT, SIGTERM or `cancel`: what was running has been
        ended and left out. Raises what the sink raises when it cannot store.
        """
        with cancelled_by_signals(self._cancellation):
            fresh = self._without_finished(tasks)
            self._report(0)
            if fresh and not self._stopped:
                self._drain(Workers(fresh, self._finish, self._may_start, self._account))
            if self._cancellation.requested:
                raise self._cancelled()
        return self._stopped

    def _without_finished(self, tasks: Sequence[TrialTask]) -> deque[TrialTask]:
        """The tasks that must be run. Those of the journal are done; those of the store are put into the journal.

        What a stored trial cost counts as spent, as after an interruption: running an evaluation again must not let
        it go further than it went at first.
        """
        fresh: deque[TrialTask] = deque()
        for task in tasks:
            if task.key in self._heard:
                continue  # of an earlier round of this process: planned and counted then
            self._heard.add(task.key)
            counts = self._counts[task.key.side]
            counts.planned += 1
            if task.key not in self._sink.done:
                found = None if self._cancellation.requested or self._stopped else self._kept.find(task)
                if found is None:
                    fresh.append(task)
                    continue
                self._stopped = self.spending.exceeded(self._clock() - self._began)
                if self._stopped:
                    continue
                self.spending.add(self._sink.append(found).usage)
            counts.done += 1
            counts.cached += 1
            self.spending.trials += 1
        self._sink.sync()
        return fresh

    def cancel(self) -> None:
        """What Ctrl-C does. May be called from any thread."""
        self._cancellation.request()

    def _may_start(self) -> bool:
        """Whether one more trial may start, and if so, count it. Called by one worker at a time."""
        if not self._stopped:
            self._stopped = self.spending.exceeded(self._clock() - self._began)
        if self._stopped or self._cancellation.requested:
            return False
        self.spending.trials += 1
        return True

    def _account(self, trial: Trial) -> None:
        """Count what a trial cost before anything else may start. Called by one worker at a time."""
        self.spending.add(trial.usage)
        tripped = self._breaker.add(trial)
        self._stopped = self._stopped or tripped

    def _drain(self, workers: Workers) -> None:
        """Watch the workers until they have ended. Whatever happens here, no trial is left running."""
        workers.start(min(self._bounds.concurrency, workers.left))
        try:
            while workers.alive() and not self._cancellation.requested:
                self._count(workers.finished(_TICK_S))
                self._report(workers.running)
                if not self._cancellation.requested:
                    workers.check()
        except BaseException:
            self._cancellation.request()
            raise
        finally:
            workers.join(_GRACE_S)
        self._count(workers.finished(0))
        self._report(0)

    def _finish(self, task: TrialTask) -> Trial | None:
        """Run a task and store the trial at once: what is paid for is kept. Called by many workers at a time."""
        trial = self._attempts(task)
        if trial is None:
            return None
        stored = self._sink.append(trial)
        if stored.status != "infra_error":
            self._kept.keep(stored)
        return stored

    def _attempts(self, task: TrialTask) -> Trial | None:
        """The finished trial; None when we were told to stop, since what ends then may have been ended by us."""
        lane = self._lanes[task.key.side]
        for attempt in range(1, self._bounds.retries + 2):
            trial = lane.agent.run(task, lane.environment)
            if self._cancellation.requested:
                return None
            if trial.key != task.key:
                message = f"the agent answered for {tuple(trial.key)} when asked for {tuple(task.key)}"
                raise InfrastructureError(message, "this is a fault of the agent's adapter: please report it")
            if trial.status != "infra_error" or attempt > self._bounds.retries:
                return dataclasses.replace(trial, attempts=attempt)
            if self._cancellation.wait(self._bounds.backoff_s * 2 ** (attempt - 1)):
                return None
        return None

    def _count(self, trials: Sequence[Trial]) -> None:
        for trial in trials:
            self._counts[trial.side].done += 1
            self._infra_errors += trial.status == "infra_error"
        if trials:
            self._sink.sync()

    def _report(self, running: int) -> None:
        base, head = (
            SideProgress(counts.planned, counts.done, counts.cached)
            for counts in (self._counts["base"], self._counts["head"])
        )
        elapsed = self._clock() - self._began
        self._progress.update(Progress(base, head, elapsed, running, self._infra_errors, self.spending.usd))

    def _cancelled(self) -> Cancelled:
        counts = self._counts.values()
        return Cancelled(sum(one.done for one in counts), sum(one.planned for one in counts))
