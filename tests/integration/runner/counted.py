"""Counts what is started for agents: the programs of trials, not those of setups or of gatebot's own checks."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import pytest

from gatebot.process.launch import Launchers
from gatebot.process.program import Ended, Program


@dataclass
class Launches:
    """How many trials' programs and how many setup lines were started."""

    trials: int = 0
    setups: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> tuple[int, int]:
        """The counts since the last call."""
        found = self.trials, self.setups
        self.trials = self.setups = 0
        return found


def counting(monkeypatch: pytest.MonkeyPatch) -> Launches:
    """Let every launch go through, and count it."""
    launches = Launches()
    real = Launchers.launch

    def launch(self: Launchers, program: Program) -> Ended:
        with launches.lock:
            launches.trials += "GATEBOT_SEED" in program.env
            launches.setups += program.argv[0] == "/bin/sh" and not program.stdin
        return real(self, program)

    monkeypatch.setattr(Launchers, "launch", launch)
    return launches
