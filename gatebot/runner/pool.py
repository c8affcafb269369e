"""The bounded pool: runs tasks on both sides, stores each trial when it has finished, stops when told to."""

from __future__ import annotations

import dataclasses
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from gatebot.errors import Cancelled, InfrastructureError
from gatebot.model.trajectory import Usage
from gatebot.model.trial import SIDES, Side, Trial, TrialKey
from gatebot.ports import Agent, SideEnvironment, TrialTask
from gatebot.runner.budget import Bounds, Breaker, Spending
from gatebot.runner.progress import NoProgress, Progress, ProgressView, SideProgress
from gatebot.runner.signals import Cancellation, cancelled_by_signals

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
        progress: ProgressView | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lanes = lanes
        self._sink = sink
        self._bounds = bounds
        self._cancellation = Cancellation(stop)
        self._progress = progress or NoProgress()
        self._clock = clock
        self._began = clock()
        self.spending = Spending(bounds)
        self.spending.add(sink.spent_before)
        self._breaker = Breaker(bounds.breaker)
        self._counts: dict[Side, _Counts] = {side: _Counts() for side in SIDES}
        self._infra_errors = 0
        self._stopped = ""

    def run(self, tasks: Sequence[TrialTask]) -> str:
        """Run the tasks whose keys are not done yet, starting them in order, and store each when it has finished.

        Hands back why not all were started (budget, breaker), in words; empty when all were. After such a stop
        further calls run nothing. Raises Cancelled after SIGINT, SIGTERM or `cancel`: what was running has been
        ended and left out. Raises what the sink raises when it cannot store.
        """
        fresh: deque[TrialTask] = deque()
        for task in tasks:
            counts = self._counts[task.key.side]
            counts.planned += 1
            if task.key in self._sink.done:
                counts.done += 1
                counts.cached += 1
                self.spending.trials += 1
            else:
                fresh.append(task)
        with cancelled_by_signals(self._cancellation):
            self._report(0)
            if fresh and not self._stopped:
                self._drain(_Workers(fresh, self._finish, self._may_start, self._account))
            if self._cancellation.requested:
                raise self._cancelled()
        return self._stopped

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

    def _drain(self, workers: _Workers) -> None:
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
        return None if trial is None else self._sink.append(trial)

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


class _Workers:
    """The threads that run trials, and the queue that tells of the finished ones."""

    def __init__(
        self,
        tasks: deque[TrialTask],
        finish: Callable[[TrialTask], Trial | None],
        may_start: Callable[[], bool],
        account: Callable[[Trial], None],
    ) -> None:
        self._tasks = tasks
        self._finish = finish
        self._may_start = may_start
        self._account = account
        self._lock = threading.Lock()
        self._finished: queue.SimpleQueue[Trial | BaseException | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._error: BaseException | None = None
        self._ended = 0
        self.running = 0

    @property
    def left(self) -> int:
        """Tasks not started yet."""
        return len(self._tasks)

    def start(self, width: int) -> None:
        """Start so many workers. They die with the process: an agent that cannot be stopped must not keep it alive."""
        self._threads = [
            threading.Thread(target=self._work, name=f"trials-{number}", daemon=True)
            for number in range(width)
        ]
        for thread in self._threads:
            thread.start()

    def alive(self) -> bool:
        """Whether a worker has not ended, or has ended unheard."""
        return self._ended < len(self._threads)

    def join(self, grace_s: float) -> None:
        """Wait for the workers, so long at most together."""
        deadline = time.monotonic() + grace_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def finished(self, wait_s: float) -> list[Trial]:
        """The trials that have finished since the last call; waits for the first one."""
        trials: list[Trial] = []
        wait = wait_s
        while True:
            try:
                item = self._finished.get(timeout=wait) if wait > 0 else self._finished.get_nowait()
            except queue.Empty:
                return trials
            wait = 0.0
            if item is None:
                self._ended += 1
            elif isinstance(item, BaseException):
                self._error = self._error or item
            else:
                trials.append(item)

    def check(self) -> None:
        """Raise what a worker met."""
        if self._error is not None:
            raise self._error

    def _work(self) -> None:
        try:
            while (task := self._next()) is not None:
                trial = self._finish(task)
                with self._lock:
                    self.running -= 1
                    if trial is not None:
                        self._account(trial)
                        self._finished.put(trial)
        except BaseException as error:  # noqa: BLE001 - `check` raises it in the thread that waits
            self._finished.put(error)
        finally:
            self._finished.put(None)

    def _next(self) -> TrialTask | None:
        with self._lock:
            if not self._tasks or not self._may_start():
                return None
            self.running += 1
            return self._tasks.popleft()
