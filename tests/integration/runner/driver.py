"""A small evaluation in a process of its own, to be killed: run as `python driver.py DIRECTORY [die-in-write N]`.

Each run of a trial is written to DIRECTORY/runs before it begins, and said on standard output when it has ended.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

from gatebot.errors import Cancelled
from gatebot.model.plan import Round
from gatebot.model.suite import Case
from gatebot.model.trajectory import Message, ToolCall, Trajectory
from gatebot.model.trial import SIDES, Side, Timing, Trial, TrialKey
from gatebot.ports import SideEnvironment, TrialTask
from gatebot.results.journal import Journal
from gatebot.runner.budget import Bounds
from gatebot.runner.pool import Lane, TrialRunner
from gatebot.runner.schedule import interleaved, seed_for

CASES, SLOTS = 10, 3
WIDTH = 3


def planned() -> list[TrialKey]:
    """Every trial of the evaluation, in the order they are started."""
    return [
        key
        for slot in range(SLOTS)
        for key in interleaved(
            Round(slot, tuple(TrialKey(f"case-{n}", side, slot) for n in range(CASES) for side in SIDES)),
            "digest",
        ).trials
    ]


class Recorded:
    """An agent that writes down that it ran, and says the same for the same seed."""

    def __init__(self, runs: Path) -> None:
        self._runs = os.open(runs, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.stopped = threading.Event()

    def run(self, task: TrialTask, environment: SideEnvironment) -> Trial:
        os.write(self._runs, f"{task.key.case} {task.key.side} {task.key.slot}\n".encode())
        call = ToolCall("1", "search", {"seed": task.seed, "text": "x" * (task.seed % 5000)}, result="ok")
        trajectory = Trajectory((Message("assistant", environment.side, (call,)),), "openai")
        if self.stopped.wait(0.002):
            return Trial(*task.key, task.seed, "agent_error", reason="ended by gatebot")
        os.write(1, b"ended\n")
        return Trial(
            *task.key, task.seed, "completed", trajectory=trajectory, timing=Timing(wall_s=os.getpid())
        )


def die_in_write(number: int) -> None:
    """Let the n-th write of a line stop half way, by SIGKILL."""
    left = [number]
    real = os.write

    def write(file: int, data: bytes) -> int:
        if bytes(data[:8]) == b'{"case":':
            left[0] -= 1
            if left[0] == 0:
                real(file, data[: len(data) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
        return real(file, data)

    os.write = write


def main(directory: Path) -> None:
    """Run what is not done yet; 130 when told to stop."""
    agent = Recorded(directory / "runs")
    lanes: dict[Side, Lane] = {side: Lane(agent, SideEnvironment(side, directory)) for side in SIDES}
    tasks = [
        TrialTask(
            Case(key.case, f"{key.case}.yaml", ("hi",)), key, seed_for(key.case, key.slot), key.slot, 9.0
        )
        for key in planned()
    ]
    with Journal(directory / "trials.jsonl") as journal:
        runner = TrialRunner(lanes, journal, Bounds(concurrency=WIDTH), stop=agent.stopped.set)
        try:
            runner.run(tasks)
        except Cancelled as error:
            os.write(2, f"{error}\n".encode())
            sys.exit(error.exit_code)


if __name__ == "__main__":
    if "die-in-write" in sys.argv:
        die_in_write(int(sys.argv[sys.argv.index("die-in-write") + 1]))
    main(Path(sys.argv[1]))
