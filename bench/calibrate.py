"""False alarms, power and cost of the whole gate, simulated: `calibrate.py [MINUTES [FILE [PAGE]]]`; as many as fit.

Every cell is a suite size and difficulty; its pull requests go round after round through the gate's own looks and
confirming trials. Figures come with Wilson 95 % intervals. FILE takes the counts as JSON and is added to if it is there
(0 minutes only reads it); in PAGE, a Markdown page, the table between the markers is replaced.
"""

import json
import math
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from gatebot.core.playing import Arm, Arms, play
from gatebot.core.stats.drawing import (
    Difficulty,
    Planted,
    drawn_metrics,
    drawn_passes,
    drawn_rates,
    generator_of,
    planted_rates,
)
from gatebot.core.stats.single_case import CONFIRM_TRIALS
from gatebot.core.stats.strata import FloatArray
from gatebot.core.stats.targets import wilson_interval
from gatebot.model.config import Gate, MetricGate

ROUNDS = 10
BEGIN, END = "<!-- calibration: begin -->", "<!-- calibration: end -->"
BATCH = 20
GATE = Gate(metrics={"pass_rate": MetricGate()})
THREE = Gate(metrics={name: MetricGate() for name in ("pass_rate", "param_accuracy", "tokens")})
SIZES = (5, 10, 20, 30, 50, 100)
DIFFICULTIES: tuple[Difficulty, ...] = ("U", "mature", "flaky", "easy")
POWER: tuple[Planted, ...] = ("one broken", "three broken", "15 % less", "30 % less")


@dataclass(frozen=True)
class Cell:
    """What is simulated: `recorded` base slots and `drift` (share of successes that live runs lose) for a cached base."""

    cases: int
    difficulty: Difficulty
    planted: Planted = "none"
    recorded: int = 0
    drift: float = 0.0
    correlation: float | None = None

    @property
    def name(self) -> str:
        """How the cell is called in tables."""
        told = f"n={self.cases} {self.difficulty}"
        if self.planted != "none":
            told += f", {self.planted}"
        if self.recorded:
            told += f", base recorded {self.recorded}, drift {self.drift:.0%}"
        if self.correlation is not None:
            told += f", 3 metrics, correlation {self.correlation:g}"
        return told


@dataclass
class Count:
    """What came of a cell so far."""

    pull_requests: int = 0
    reds: int = 0
    runs: float = 0.0


CELLS = [
    *(Cell(n, d) for n in SIZES for d in DIFFICULTIES),
    *(Cell(20, d, planted) for d in ("U", "mature") for planted in POWER),
    *(Cell(20, d, recorded=10, drift=drift) for d in ("U", "mature") for drift in (0.0, 0.05, 0.10, 0.20)),
    *(Cell(20, "U", correlation=r) for r in (0.2, 0.8)),
]


def simulate(cell: Cell, number: int, count: Count) -> None:
    generator = generator_of(
        cell.cases, DIFFICULTIES.index(cell.difficulty), round(100 * cell.drift), cell.recorded, number
    )
    rates = drawn_rates(cell.difficulty, cell.cases, generator)
    live = rates * (1.0 - cell.drift)
    head = planted_rates(live, cell.planted, generator)

    def arm(true: FloatArray, trials: int) -> Arm:
        if cell.correlation is None:
            values = {"pass_rate": drawn_passes(true, trials, generator)}
        else:
            values = drawn_metrics(true, trials, cell.correlation, generator)
        return Arm(values, drawn_passes(true, CONFIRM_TRIALS, generator))

    arms = Arms(arm(live, ROUNDS), arm(head, ROUNDS), arm(rates, cell.recorded) if cell.recorded else None)
    gate = GATE if cell.correlation is None else THREE
    played = play(arms, gate, rounds=ROUNDS, sequential=True, permutations=999)
    count.pull_requests += 1
    count.reds += played.red
    count.runs += played.trials / (2 * ROUNDS * cell.cases)


def line(name: str, count: Count) -> str:
    low, high = wilson_interval(count.reds, count.pull_requests, 0.95)
    red = count.reds / count.pull_requests
    runs = count.runs / count.pull_requests
    return f"{name:<45} {count.pull_requests:>7} {red:7.2%} [{low:6.2%}, {high:6.2%}]  runs {runs:.3f}"


def known(file: Path | None) -> dict[Cell, Count]:
    """What FILE holds already."""
    counts: dict[Cell, Count] = defaultdict(Count)
    if file is not None and file.is_file():
        rows = {row["cell"]: row for row in json.loads(file.read_text(encoding="utf-8"))}
        for cell in CELLS:
            row = rows.get(cell.name)
            if row is not None:
                counts[cell] = Count(int(row["pull_requests"]), int(row["reds"]), float(row["runs"]))
    return counts


def table(counts: dict[Cell, Count]) -> str:
    """The counts as a Markdown table."""
    lines = [
        "| cell | pull requests | red | 95 % interval | trials, of ten fixed seeds |",
        "|---|---:|---:|---|---:|",
    ]
    for cell in (cell for cell in CELLS if cell in counts):
        count = counts[cell]
        low, high = wilson_interval(count.reds, count.pull_requests, 0.95)
        red, runs = count.reds / count.pull_requests, count.runs / count.pull_requests
        lines.append(
            f"| {cell.name} | {count.pull_requests:,} | {red:.1%} | {low:.1%} to {high:.1%} | {runs:.2f} |"
        )
    return "\n".join(lines)


def main() -> int:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 0.5
    file = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    counts = known(file)
    end = time.monotonic() + 60.0 * minutes
    number = max((count.pull_requests for count in counts.values()), default=0)
    while time.monotonic() < end:
        for cell in CELLS:
            # A cell of several metrics costs a hundred times as much: a batch of one.
            for step in range(BATCH if cell.correlation is None else 1):
                simulate(cell, number + step, counts[cell])
        number += BATCH
    print(f"{'cell':<45} {'pull requests':>7} red, 95 % interval, runs over those of ten fixed seeds")
    for cell in CELLS:
        print(line(cell.name, counts[cell]))
    if file is not None:
        rows = [
            {"cell": cell.name, "pull_requests": c.pull_requests, "reds": c.reds, "runs": c.runs}
            for cell, c in counts.items()
        ]
        file.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    if len(sys.argv) > 3:
        page = Path(sys.argv[3])
        before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        page.write_text(f"{before}{BEGIN}\n{table(counts)}\n{END}{after}", encoding="utf-8")
    return judged(counts)


def judged(counts: dict[Cell, Count]) -> int:
    """0 if every bound holds: alarms within 3.1 sigma of 5 %, and what an unchanged pull request costs."""
    broken: list[str] = []
    unchanged = [(cell, c) for cell, c in counts.items() if cell.planted == "none"]
    for cell, c in unchanged:
        bound = 0.05 + 3.1 * math.sqrt(0.05 * 0.95 / c.pull_requests)
        if c.reds / c.pull_requests > bound:
            broken.append(f"{cell.name}: {c.reds / c.pull_requests:.2%} red, bound {bound:.2%}")
    fresh = [
        c.runs / c.pull_requests for cell, c in unchanged if not cell.recorded and cell.correlation is None
    ]
    print(f"fresh base, nothing changed: runs at most {max(fresh):.3f}, mean {sum(fresh) / len(fresh):.3f}")
    if max(fresh) > 0.57 or sum(fresh) / len(fresh) > 0.51:
        broken.append("an unchanged pull request costs too much")
    print("\n".join(broken) or "every bound holds")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
