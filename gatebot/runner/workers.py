"""The threads that run trials, and the queue that tells of the finished ones."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable

from gatebot.model.trial import Trial
from gatebot.ports import TrialTask


class Workers:
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
