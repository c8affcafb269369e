"""How often a target alone closes the gate: `targets.py [COUNT [PAGE]]`; in PAGE the table between the markers is replaced.

The head's true mean pass rate is the target, or lies above or below it; the target is judged as the gate judges it.
"""

import sys
from pathlib import Path

import numpy as np

from gatebot.core.stats.drawing import drawn_passes, generator_of
from gatebot.core.stats.strata import FloatArray
from gatebot.core.target import judge_target
from gatebot.model.config import MetricGate
from gatebot.model.metric import METRICS

BEGIN, END = "<!-- targets: begin -->", "<!-- targets: end -->"
TARGET = 0.80
GATE = MetricGate(target=TARGET)
CASES = 20
SEEDS = (3, 5, 10)
RATES = (0.90, 0.80, 0.70)


def alike(rate: float) -> FloatArray:
    """Every case passes at this rate: the most noise there can be."""
    return np.full(CASES, rate)


def apart(rate: float) -> FloatArray:
    """Most cases pass always and some never, and one in five wavers: as suites are."""
    rates = np.ones(CASES)
    rates[: CASES // 5] = 0.5
    missing = CASES * (1.0 - rate) - 0.5 * (CASES // 5)
    rates[CASES // 5 : CASES // 5 + round(max(missing, 0.0))] = 0.0
    return rates


def missed(rates: FloatArray, seeds: int, count: int) -> tuple[float, float]:
    """Shares of pull requests whose target is missed: beyond chance (red), and by the point estimate."""
    red = below = 0
    for number in range(count):
        passes = drawn_passes(rates, seeds, generator_of(number, seeds, round(100 * float(rates.mean()))))
        arms = tuple(tuple(row) for row in passes.tolist())
        found = judge_target(METRICS["pass_rate"], GATE, lambda arms=arms: arms)
        assert found is not None
        red += found.verdict == "missed"
        below += float(passes.mean()) < TARGET
    return red / count, below / count


def table(count: int) -> str:
    """The Markdown table."""
    header = " | ".join(f"{seeds} seeds: red / below" for seeds in SEEDS)
    lines = [f"| true pass rate, target 80% | {header} |", "|---|" + "---|" * len(SEEDS)]
    for name, suite in (("every case alike", alike), ("one case in five wavers", apart)):
        for rate in RATES:
            shown = [missed(suite(rate), seeds, count) for seeds in SEEDS]
            cells = " | ".join(f"{red:.1%} / {below:.1%}" for red, below in shown)
            lines.append(f"| {rate:.0%}, {name} | {cells} |")
    told = f"{CASES} cases, {count:,} simulated pull requests a cell. Red: the 90 % interval lies below the target. Below: the point does."
    return "\n".join([*lines, "", told])


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    made = table(count)
    print(made)
    if len(sys.argv) > 2:
        page = Path(sys.argv[2])
        text = page.read_text("utf-8")
        start, stop = text.index(BEGIN) + len(BEGIN), text.index(END)
        page.write_text(f"{text[:start]}\n{made}\n{text[stop:]}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
