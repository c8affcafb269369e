"""What gatebot adds to the agents it runs: wall clock against the ideal, overhead and CPU per trial, memory.

Goals (200 trials of a 100 ms program, 16 at a time): within 1.10 × ideal + 0.5 s, where ideal = max(⌈trials / width⌉ ×
duration, trials × the program's CPU ÷ cores); isolation adds at most 30 ms at p95 and 8 ms of CPU per trial; memory
grows by less than 50 MB from 100 to 10,000 trials. Usage: python bench/runner.py [--quick]
"""

from __future__ import annotations

import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePath

from gatebot.agents.program_agent import ProgramAgent
from gatebot.model.suite import Case
from gatebot.model.trial import SIDES, Side, Trial, TrialKey
from gatebot.ports import SideEnvironment, TrialTask
from gatebot.process.launch import Launchers
from gatebot.results.journal import Journal, read_trials
from gatebot.runner.budget import Bounds
from gatebot.runner.pool import Lane, TrialRunner
from gatebot.runner.schedule import seed_for
from gatebot.workspace.session import session_directory

ROOT = Path(__file__).resolve().parents[1]
TRIALS, WIDTH, DURATION_S = 200, 16, 0.1
PROGRAM = """
#include <stdio.h>
#include <time.h>
int main(void) {
    char line[65536];
    while (fgets(line, sizeof line, stdin)) {}
    struct timespec pause = {0, 100000000};
    nanosleep(&pause, 0);
    puts("{\\"answer\\": \\"done\\"}");
    return 0;
}
"""
SLEEPER = ("sh", "-c", "cat > /dev/null; sleep 0.1; echo done")
SUITE = """version: 1
suite: many
agent: oracle
seeds: {fixed: %d}
concurrency: 4
budget: {trials: 100000}
"""


@dataclass(frozen=True)
class Measured:
    """One way of running the trials: wall seconds, overhead of each trial, CPU per trial of it all."""

    wall_s: float
    overheads_s: list[float]
    cpu_s: float

    @property
    def p95_ms(self) -> float:
        """The overhead that one trial in twenty exceeds, in ms."""
        return 1000 * statistics.quantiles(self.overheads_s, n=20)[-1]

    @property
    def p50_ms(self) -> float:
        """The median overhead, in ms."""
        return 1000 * statistics.median(self.overheads_s)


def cpu() -> float:
    """CPU seconds of this process and of all its children that have ended."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def plain(argv: tuple[str, ...], place: Path) -> Measured:
    """The program, started by subprocess from a thread pool: no isolation, no journal."""

    def once(_: int) -> float:
        began = time.monotonic()
        subprocess.run(argv, input=b"{}", cwd=place, capture_output=True, check=True)
        return time.monotonic() - began - DURATION_S

    before, began = cpu(), time.monotonic()
    with ThreadPoolExecutor(WIDTH) as pool:
        overheads = list(pool.map(once, range(TRIALS)))
    return Measured(time.monotonic() - began, overheads, (cpu() - before) / TRIALS)


class Timed:
    """An agent, and how long each of its trials took from the outside."""

    def __init__(self, agent: ProgramAgent) -> None:
        self._agent = agent
        self.took: list[float] = []

    def run(self, task: TrialTask, environment: SideEnvironment) -> Trial:
        """Run one trial and note how long it took."""
        began = time.monotonic()
        trial = self._agent.run(task, environment)
        self.took.append(time.monotonic() - began)
        return trial


def isolated(argv: tuple[str, ...], place: Path) -> tuple[Measured, str]:
    """The program as gatebot runs it: isolation, run directories, journal. Launchers are up before, as in a gate."""
    tasks = [
        TrialTask(
            Case("case", "case.yaml", ("hi",)), TrialKey("case", side, slot), seed_for("case", slot), 1, 30
        )
        for slot in range(TRIALS // 2)
        for side in SIDES
    ]
    before = cpu()
    with session_directory() as session, Launchers(session) as launchers:
        agent = Timed(ProgramAgent(launchers, lambda _directory, _environment: argv, 16.0))
        lanes: dict[Side, Lane] = {
            side: Lane(agent, SideEnvironment(side, PurePath(place))) for side in SIDES
        }
        walls = str(launchers.isolation((place,)))
        with Journal(place / "trials.jsonl") as journal:
            runner = TrialRunner(lanes, journal, Bounds(concurrency=WIDTH), stop=launchers.terminate_all)
            began = time.monotonic()
            runner.run(tasks)
            wall = time.monotonic() - began
    trials = list(read_trials(place / "trials.jsonl"))
    assert len(trials) == TRIALS, len(trials)
    assert {trial.status for trial in trials} == {"completed"}, trials[0].reason
    # Launchers have ended by now, so that their CPU is in the sum.
    return Measured(wall, [took - DURATION_S for took in agent.took], (cpu() - before) / TRIALS), walls


def program(place: Path) -> tuple[tuple[str, ...], str]:
    """The 100 ms program: C where there is a compiler, else a shell."""
    if shutil.which("gcc") is None:
        return SLEEPER, "sh, no C compiler here"
    (place / "agent.c").write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["gcc", "-O1", "-o", str(place / "agent"), str(place / "agent.c")], check=True)  # noqa: S607
    return (str(place / "agent"),), "C"


def memory(trials: int) -> float:
    """MB of the largest resident set of `gatebot run` with so many trials."""
    cases = 100
    with tempfile.TemporaryDirectory(prefix="gatebot-bench-") as name:
        place = Path(name) / "suite"
        (place / "golden").mkdir(parents=True)
        (place / "gatebot.yaml").write_text(SUITE % (trials // cases), encoding="utf-8")
        for number in range(cases):
            text = f"input: Question {number}\ngolden: {{calls: [{{search: {{q: term {number}}}}}], answer: a}}\n"
            (place / "golden" / f"case-{number}.yaml").write_text(text, encoding="utf-8")
        for words in (
            ["init", "-q"],
            ["add", "."],
            ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"],
        ):
            subprocess.run(["git", *words], cwd=place, check=True)  # noqa: S607
        code = (
            "import resource, sys; from gatebot.cli.app import run; code = run(sys.argv[1:]); "
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, code)"
        )
        words = [
            "run",
            "--repo",
            str(place),
            "--out",
            str(Path(name) / "out"),
            "--cache",
            str(Path(name) / "cache"),
        ]
        ended = subprocess.run(
            [sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True, check=True
        )
        used, left = ended.stdout.split("\n")[-2].split()
        assert left == "0", ended.stderr
        return float(used)


def main(*, quick: bool) -> None:
    """Print the figures."""
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="gatebot-bench-") as name:
        place = Path(name)
        place.chmod(0o755)
        argv, kind = program(place)
        bare = plain(argv, place)
        ours, walls = isolated(argv, place)
        agent_cpu = _cpu_of(argv)
    ideal = max(math.ceil(TRIALS / WIDTH) * DURATION_S, TRIALS * agent_cpu / cores)
    limit = 1.10 * ideal + 0.5
    print(
        f"{TRIALS} trials of {DURATION_S:g} s ({kind}), {WIDTH} at a time, {cores} cores, load {os.getloadavg()[0]:.1f}"
    )
    print(f"isolation: {walls}")
    print(
        f"wall: ideal {ideal:.2f} s, subprocess {bare.wall_s:.2f} s, gatebot {ours.wall_s:.2f} s (goal {limit:.2f} s)"
    )
    print(
        f"overhead: subprocess p50 {bare.p50_ms:.0f} ms, p95 {bare.p95_ms:.0f} ms; gatebot p50 {ours.p50_ms:.0f} ms, "
        f"p95 {ours.p95_ms:.0f} ms: isolation adds {ours.p95_ms - bare.p95_ms:.0f} ms at p95 (goal 30 ms)"
    )
    print(
        f"CPU per trial: the agent's own {1000 * agent_cpu:.1f} ms, gatebot's {1000 * (ours.cpu_s - agent_cpu):.1f} ms, "
        f"subprocess {1000 * (bare.cpu_s - agent_cpu):.1f} ms: isolation adds {1000 * (ours.cpu_s - bare.cpu_s):.1f} ms (goal 8 ms)"
    )
    few, many = memory(100), memory(1_000 if quick else 10_000)
    count = "1,000" if quick else "10,000"
    print(
        f"memory: {few:.0f} MB with 100 trials, {many:.0f} MB with {count}: {many - few:+.0f} MB (goal 50 MB)"
    )


def _cpu_of(argv: tuple[str, ...]) -> float:
    """CPU seconds of the program alone, the median of ten, as its own parent measures it."""
    found: list[float] = []
    for _ in range(10):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(argv, input=b"{}", capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(found)


if __name__ == "__main__":
    main(quick="--quick" in sys.argv[1:])
