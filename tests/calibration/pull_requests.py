"""Simulated pull requests, played through the gate's own looks, rounds and confirming trials."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gatebot.core.playing import Arm, Arms, Played, play
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
from gatebot.model.config import Gate, MetricGate

ROUNDS = 10
GATE = Gate(metrics={"pass_rate": MetricGate()})
THREE_METRICS = Gate(metrics={name: MetricGate() for name in ("pass_rate", "param_accuracy", "tokens")})


@dataclass(frozen=True)
class Tally:
    """Shares over simulated pull requests: red, and trials run over those of ten fixed seeds."""

    count: int
    reds: int
    runs: float

    @property
    def red(self) -> float:
        return self.reds / self.count


def pull_request(
    cases: int, difficulty: Difficulty, number: int, planted: Planted = "none", *, recorded: int = 0
) -> Arms:
    """The outcomes of one pull request; `recorded` > 0: its base has so many recorded slots beside fresh ones."""
    generator = generator_of(cases, len(difficulty), number, recorded)
    base = drawn_rates(difficulty, cases, generator)
    head = planted_rates(base, planted, generator)
    return arms_of(base, head, generator, recorded_rates=base if recorded else None, recorded=recorded)


def arms_of(
    base: FloatArray,
    head: FloatArray,
    generator: np.random.Generator,
    *,
    recorded_rates: FloatArray | None = None,
    recorded: int = 0,
) -> Arms:
    """Outcomes at these true rates."""

    def arm(rates: FloatArray, trials: int) -> Arm:
        passes = {"pass_rate": drawn_passes(rates, trials, generator)}
        return Arm(passes, drawn_passes(rates, CONFIRM_TRIALS, generator))

    return Arms(
        arm(base, ROUNDS),
        arm(head, ROUNDS),
        None if recorded_rates is None else arm(recorded_rates, recorded),
    )


def several_metrics(cases: int, difficulty: Difficulty, number: int, correlation: float) -> Arms:
    """An unchanged pull request with three correlated metrics, one of them ungraded on some trials."""
    generator = generator_of(cases, number)
    rates = drawn_rates(difficulty, cases, generator)

    def arm() -> Arm:
        values = drawn_metrics(rates, ROUNDS, correlation, generator)
        return Arm(values, drawn_passes(rates, CONFIRM_TRIALS, generator))

    return Arms(arm(), arm())


def gated(arms: Arms, gate: Gate = GATE) -> Played:
    """One pull request through the sequential gate."""
    return play(arms, gate, rounds=ROUNDS, sequential=True)


def tally(pull_requests: Iterable[Arms], gate: Gate = GATE, *, permutations: int = 999) -> Tally:
    """Play them all."""
    count = reds = 0
    runs = 0.0
    for arms in pull_requests:
        played = play(arms, gate, rounds=ROUNDS, sequential=True, permutations=permutations)
        count += 1
        reds += played.red
        runs += played.trials / (2 * ROUNDS * arms.head.cases)
    return Tally(count, reds, runs / count)
