"""Every look recomputed from the samples: what was red, what was futile, and where the evaluation stops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from gatebot.core.compare import Comparison, compare
from gatebot.core.evidence import MetricSample
from gatebot.core.looks import Look, LookPlan
from gatebot.core.verdict import is_red, non_inferior
from gatebot.model.config import Gate

Stop = Literal["regressed", "no sign", "proved", "last", "go on"]

Sampler = Callable[[int], Sequence[MetricSample]]
"""Rounds → the samples of the gating metrics that have evidence, within those rounds."""


@dataclass(frozen=True, slots=True)
class LookResult:
    """One look: the gating metrics compared, the smallest adjusted p, the red metrics, and whether to stop."""

    look: Look
    comparisons: tuple[Comparison, ...]
    smallest_p: float
    red: tuple[str, ...]
    stop: Stop


def look_at(look: Look, samples: Sequence[MetricSample], gate: Gate) -> LookResult:
    """Compare the gating metrics at one look and say whether the evaluation stops there (statistics 8, 9, 12)."""
    comparisons = tuple(compare(samples, confidence=look.confidence, scope=gate.scope, gating=True))
    red = tuple(c.metric.name for c in comparisons if is_red(c, gate.metrics[c.metric.name], look.level))
    smallest = min((c.adjusted_worse for c in comparisons), default=1.0)
    return LookResult(look, comparisons, smallest, red, _stop(look, comparisons, smallest, red, gate))


def trace(sampler: Sampler, gate: Gate, plan: LookPlan, rounds: int) -> tuple[LookResult, ...]:
    """Every look that `rounds` rounds allow, up to the first red one.

    A stop for futility does not end the trace: it is not binding, and later looks may have been made all the same.
    """
    results: list[LookResult] = []
    for look in plan.looks:
        if look.rounds > rounds:
            break
        results.append(look_at(look, sampler(look.rounds), gate))
        if results[-1].red:
            break
    return tuple(results)


def _stop(
    look: Look, comparisons: Sequence[Comparison], smallest: float, red: Sequence[str], gate: Gate
) -> Stop:
    if red:
        return "regressed"
    if look.futility is None:
        return "last"
    if gate.mode == "prove":
        shown = comparisons and all(
            non_inferior(c, gate.metrics[c.metric.name], look.level) for c in comparisons
        )
        return "proved" if shown else "go on"
    return "no sign" if smallest > look.futility else "go on"
