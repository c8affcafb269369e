"""A clock that tests turn: sleeping moves it, and so may every look at it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from gatebot.judge.waiting import Clock


@dataclass
class FakeClock:
    """`step` = seconds that pass with each look. `slept` lists every wait asked for."""

    time: float = 1000.0
    step: float = 0.0
    slept: list[float] = field(default_factory=list[float])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def now(self) -> float:
        """Seconds."""
        with self.lock:
            self.time += self.step
            return self.time

    def sleep(self, seconds: float) -> None:
        """Pass the time at once."""
        with self.lock:
            self.slept.append(seconds)
            self.time += seconds

    def clock(self) -> Clock:
        """As the judge wants it."""
        return Clock(self.now, self.sleep)
