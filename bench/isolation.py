"""What isolation costs: 200 trials of a 100 ms C program, 16 at a time, with every wall and with none, in turns.

The program burns 1 ms of CPU and sleeps until its 100 ms are over. A trial's overhead is its wall time beyond those
100 ms, from making its run directory to removing it. CPU is all there is: gatebot, its launchers (their start too),
the processes between fork and exec, the program. Run as root: otherwise trials get no user of their own, and that wall
is not measured. On a machine that is busy with other things p95 measures those.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from gatebot.agents.program_agent import LIMITS
from gatebot.process.environment import child_environment
from gatebot.process.launch import Launchers
from gatebot.process.program import Program
from gatebot.process.walls import walls_around

TRIALS, WIDTH, TURNS = 200, 16, 3
SLEEP_S, PROGRAM_CPU_S = 0.1, 0.001
GOAL_P95_MS, GOAL_CPU_MS = 30.0, 8.0
SOURCE = """
#include <stdio.h>
#include <time.h>
static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}
int main(void) {
    double end = now(CLOCK_MONOTONIC) + 0.1;
    while (now(CLOCK_PROCESS_CPUTIME_ID) < 0.001);
    double left = end - now(CLOCK_MONOTONIC);
    if (left > 0) {
        struct timespec rest = {0, (long)(left * 1e9)};
        nanosleep(&rest, 0);
    }
    puts("done");
}
"""


@dataclass(frozen=True)
class Figures:
    """Of one run: what stood between gatebot and the program, each trial's overhead (ms), wall, CPU per trial."""

    isolation: str
    overheads: list[float]
    wall_s: float
    cpu_ms: float


def one_trial(launchers: Launchers, argv: tuple[str, ...], checkout: Path, *, isolated: bool) -> float:
    """Seconds that one trial takes."""
    began = time.perf_counter()
    with launchers.run_directory() as directory:
        program = Program(
            argv,
            checkout,
            child_environment(home=directory.home, scratch=directory.scratch),
            20.0,
            limits=replace(LIMITS, processes=512),
        )
        if isolated:
            walls = walls_around(directory, (checkout,))
            program = replace(program, user=directory.user, offline=True, walls=walls)
        ended = launchers.launch(program)
    assert ended.ok, ended
    return time.perf_counter() - began


def cpu_seconds() -> float:
    """CPU of this process and of every child it has waited for."""
    usages = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measured(argv: tuple[str, ...], place: Path, *, isolated: bool) -> Figures:
    """All trials once, after as many as there are lanes that start the launchers."""
    before = cpu_seconds()
    with Launchers(place) as launchers, ThreadPoolExecutor(WIDTH) as pool:
        isolation = str(launchers.isolation(network="none")) if isolated else "none"

        def trial(_number: int) -> float:
            return one_trial(launchers, argv, place, isolated=isolated)

        list(pool.map(trial, range(WIDTH)))
        began = time.perf_counter()
        overheads = [(took - SLEEP_S) * 1000 for took in pool.map(trial, range(TRIALS))]
        wall = time.perf_counter() - began
    return Figures(isolation, overheads, wall, (cpu_seconds() - before) * 1000 / (TRIALS + WIDTH))


def report(name: str, runs: list[Figures]) -> tuple[float, float]:
    """Print the figures of all runs together; returns p95 (ms) and CPU (ms)."""
    cuts = statistics.quantiles([overhead for run in runs for overhead in run.overheads], n=20)
    cpu = statistics.mean(run.cpu_ms for run in runs)
    wall = min(run.wall_s for run in runs)
    ideal = max(-(-TRIALS // WIDTH) * SLEEP_S, TRIALS * PROGRAM_CPU_S / (os.cpu_count() or 1))
    print(f"isolation {name}: {runs[0].isolation}")
    print(f"  wall, the best of {len(runs)}: {wall:.2f} s (ideal {ideal:.2f}, goal {1.1 * ideal + 0.5:.2f})")
    print(f"  per trial: overhead p50 {cuts[9]:.1f} ms, p95 {cuts[18]:.1f} ms; CPU {cpu:.1f} ms")
    return cuts[18], cpu


def main() -> int:
    compiler = shutil.which("cc")
    if compiler is None:
        print("no C compiler: nothing is measured")
        return 0
    print(
        f"{TRIALS} trials of {SLEEP_S * 1000:.0f} ms, {WIDTH} wide; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    with tempfile.TemporaryDirectory(prefix="gatebot-bench-") as folder:
        place = Path(folder)
        place.chmod(0o755)
        argv = (str(place / "program"),)
        (place / "program.c").write_text(SOURCE, encoding="ascii")
        subprocess.run([compiler, "-O2", "-o", argv[0], str(place / "program.c")], check=True)
        turns = [
            (measured(argv, place, isolated=False), measured(argv, place, isolated=True))
            for _ in range(TURNS)
        ]
    off, on = report("off", [turn[0] for turn in turns]), report("on", [turn[1] for turn in turns])
    p95, cpu = (on[index] - off[index] for index in (0, 1))
    print(
        f"isolation adds {p95:.1f} ms at p95 (goal {GOAL_P95_MS:g}) and {cpu:.1f} ms CPU (goal {GOAL_CPU_MS:g})"
    )
    return 0 if p95 <= GOAL_P95_MS and cpu <= GOAL_CPU_MS else 1


if __name__ == "__main__":
    sys.exit(main())
