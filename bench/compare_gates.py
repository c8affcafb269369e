"""This gate beside other rules on the same simulated pull requests: `compare_gates.py [COUNT] [FILE]`.

Every rule sees the same trials of 20 cases; those with a fixed number of seeds see the first ones. FILE: a Markdown page
whose table between the markers is replaced.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from pathlib import Path

import numpy as np

from gatebot.core.playing import Arm, Arms, play
from gatebot.core.stats.drawing import (
    Difficulty,
    Planted,
    drawn_passes,
    drawn_rates,
    generator_of,
    planted_rates,
)
from gatebot.core.stats.exact import exact_tails
from gatebot.core.stats.generalize import paired_t_tails
from gatebot.core.stats.single_case import CONFIRM_TRIALS
from gatebot.core.stats.strata import FloatArray, counts_of
from gatebot.model.config import Gate, MetricGate

CASES, ROUNDS, ALPHA = 20, 10, 0.05
GATE = Gate(metrics={"pass_rate": MetricGate()})
DIFFICULTIES: tuple[Difficulty, ...] = ("U", "mature")
SITUATIONS: tuple[tuple[Planted, str], ...] = (
    ("none", "nothing changed"),
    ("one broken", "one case broken"),
    ("15 % less", "15 % of the passes lost"),
)
BEGIN, END = "<!-- gates: begin -->", "<!-- gates: end -->"


@dataclass(frozen=True)
class Rule:
    """A rule on the first `seeds` trials of both sides."""

    name: str
    seeds: int
    red: Callable[[FloatArray, FloatArray], bool]


def mean_drop(base: FloatArray, head: FloatArray) -> bool:
    return float(np.mean(base) - np.mean(head)) > 0.05


def paired_t(base: FloatArray, head: FloatArray) -> bool:
    return paired_t_tails(np.mean(head, axis=1) - np.mean(base, axis=1)).lower <= ALPHA


def mcnemar(base: FloatArray, head: FloatArray) -> bool:
    lost = int(np.sum((base[:, 0] == 1.0) & (head[:, 0] == 0.0)))
    won = int(np.sum((base[:, 0] == 0.0) & (head[:, 0] == 1.0)))
    both = lost + won
    return both > 0 and sum(comb(both, x) for x in range(lost, both + 1)) / 2**both <= ALPHA


def fisher_pooled(base: FloatArray, head: FloatArray) -> bool:
    pooled = counts_of([(float(base.sum()), base.size)], [(float(head.sum()), head.size)])
    return exact_tails(pooled).lower <= ALPHA


def by_thresholds(base: FloatArray, head: FloatArray) -> bool:
    return bool(np.any((np.mean(base, axis=1) >= 0.8) & (np.mean(head, axis=1) <= 0.5)))


RULES = (
    Rule("mean drop above 5 points, 5 seeds", 5, mean_drop),
    Rule("paired t over cases, 5 seeds", 5, paired_t),
    Rule("exact McNemar, 1 seed", 1, mcnemar),
    Rule("Fisher on pooled runs, 5 seeds", 5, fisher_pooled),
    Rule("any case base ≥ .8 and head ≤ .5, 5 seeds", 5, by_thresholds),
)


def outcomes(difficulty: Difficulty, planted: Planted, number: int) -> Arms:
    generator = generator_of(7, DIFFICULTIES.index(difficulty), number)
    base = drawn_rates(difficulty, CASES, generator)
    head = planted_rates(base, planted, generator)

    def arm(rates: FloatArray) -> Arm:
        passes = {"pass_rate": drawn_passes(rates, ROUNDS, generator)}
        return Arm(passes, drawn_passes(rates, CONFIRM_TRIALS, generator))

    return Arms(arm(base), arm(head))


def simulated(count: int) -> dict[tuple[str, Difficulty, Planted], tuple[float, float]]:
    """(rule, difficulty, situation) → share of red, trials over those of ten fixed seeds."""
    found: dict[tuple[str, Difficulty, Planted], tuple[float, float]] = {}
    for difficulty in DIFFICULTIES:
        for planted, _ in SITUATIONS:
            reds = dict.fromkeys((rule.name for rule in RULES), 0)
            ours, runs = 0, 0.0
            for number in range(count):
                arms = outcomes(difficulty, planted, number)
                played = play(arms, GATE, rounds=ROUNDS, sequential=True)
                ours += played.red
                runs += played.trials / (2 * ROUNDS * CASES)
                base, head = arms.base.values["pass_rate"], arms.head.values["pass_rate"]
                for rule in RULES:
                    reds[rule.name] += rule.red(base[:, : rule.seeds], head[:, : rule.seeds])
            found["this gate", difficulty, planted] = ours / count, runs / count
            for rule in RULES:
                found[rule.name, difficulty, planted] = reds[rule.name] / count, rule.seeds / ROUNDS
    return found


def table(count: int) -> str:
    found = simulated(count)
    head = [
        "rule",
        *(f"{told}: red" for _, told in SITUATIONS),
        "runs: " + " / ".join(t for _, t in SITUATIONS),
    ]
    lines = [f"| {' | '.join(head)} |", "|---|" + "---|" * (len(head) - 1)]
    for name in ("this gate", *(rule.name for rule in RULES)):
        cells = [
            " / ".join(f"{found[name, difficulty, planted][0]:.1%}" for difficulty in DIFFICULTIES)
            for planted, _ in SITUATIONS
        ]
        runs = " / ".join(
            f"{np.mean([found[name, difficulty, planted][1] for difficulty in DIFFICULTIES]):.2f}"
            for planted, _ in SITUATIONS
        )
        lines.append(f"| {name} | {' | '.join(cells)} | {runs} |")
    note = (
        f"{CASES} cases, {count:,} simulated pull requests a cell; first number: cases of every difficulty, second: a "
        "mature suite. Runs: trials over those of ten fixed seeds."
    )
    return "\n".join([*lines, "", note])


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    text = table(count)
    print(text)
    if len(sys.argv) > 2:
        page = Path(sys.argv[2])
        before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
