"""Made-up suites and pull requests, drawn from a seed: what simulations and planted regressions are made of."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from gatebot.core.stats.quantiles import normal_quantile
from gatebot.core.stats.strata import FloatArray

Difficulty = Literal["U", "mature", "flaky", "easy"]
_BETA: dict[Difficulty, tuple[float, float]] = {
    "U": (0.5, 0.5),
    "mature": (5.0, 0.5),
    "flaky": (2.0, 2.0),
    "easy": (20.0, 1.0),
}

SOUND = 0.75
"""Only a case that passes this often has much to lose: a broken case is drawn among these."""

Planted = Literal["none", "one broken", "three broken", "fifth broken", "15 % less", "30 % less"]


def generator_of(*seed: int) -> np.random.Generator:
    """The generator of a seed: same numbers, same draws."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))


def drawn_rates(difficulty: Difficulty, cases: int, generator: np.random.Generator) -> FloatArray:
    """True pass rates of so many cases. U: every difficulty occurs; mature: most cases pass; flaky: few are sure; easy: nearly
    all pass nearly always.
    """
    return generator.beta(*_BETA[difficulty], cases)


def planted_rates(rates: FloatArray, planted: Planted, generator: np.random.Generator) -> FloatArray:
    """The head's true rates after a regression: cases broken (rate 0) among the better ones, or a loss everywhere.

    Only a case that passed can be broken: those drawn are among the cases with rate SOUND or more, or the best ones.
    """
    if planted == "none":
        return rates
    if planted in ("15 % less", "30 % less"):
        return rates * (0.85 if planted == "15 % less" else 0.70)
    wanted = {"one broken": 1, "three broken": 3, "fifth broken": max(1, round(rates.size / 5))}[planted]
    sound = np.flatnonzero(rates >= SOUND)
    if sound.size < wanted:
        sound = np.argsort(-rates, kind="stable")[:wanted]
    changed = rates.copy()
    changed[generator.choice(sound, wanted, replace=False)] = 0.0
    return changed


def drawn_passes(rates: FloatArray, trials: int, generator: np.random.Generator) -> FloatArray:
    """Passes (1) and failures (0), cases x trials."""
    return (generator.random((rates.size, trials)) < rates[:, None]).astype(np.float64)


def drawn_metrics(
    rates: FloatArray, trials: int, correlation: float, generator: np.random.Generator
) -> dict[str, FloatArray]:
    """Passes, a [0, 1] score and a token count of the same trials, cases x trials each, correlated through one factor.

    A twentieth of the trials has no token count, more often those that fail: they timed out.
    """
    shape = (rates.size, trials)
    shared = generator.standard_normal(shape)
    noise = [
        math.sqrt(correlation) * shared + math.sqrt(1.0 - correlation) * generator.standard_normal(shape)
        for _ in range(3)
    ]
    limits = np.array([normal_quantile(min(max(float(rate), 1e-9), 1.0 - 1e-9)) for rate in rates])
    passes = (noise[0] < limits[:, None]).astype(np.float64)
    tokens = np.exp(7.0 + rates[:, None] + 0.3 * noise[2])
    lost = generator.random(shape) < np.where(passes == 1.0, 0.02, 0.15)
    return {
        "pass_rate": passes,
        "param_accuracy": np.clip(0.2 + rates[:, None] * 0.7 - 0.15 * noise[1], 0.0, 1.0),
        "tokens": np.where(lost, np.nan, tokens),
    }
