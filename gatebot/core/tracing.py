"""Every look recomputed from the samples: what was red, what was futile, and where the evaluation stops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from gatebot.core.compare import Comparison, compare
from gatebot.core.looks import Look, LookPlan
from gatebot.core.stats.sequential import FRESH_BASE_P
from gatebot.core.verdict import is_red, non_inferior
from gatebot.core.view import MetricSample
from gatebot.model.config import Gate

Stop = Literal["regressed", "no sign", "proved", "last", "go on", "fresh base"]

Sampler = Callable[[int], Sequence[MetricSample]]
"""Rounds → the samples of the gating metrics that have evidence, within those rounds."""


_ENDS: tuple[Stop, ...] = ("regressed", "fresh base")


@dataclass(frozen=True, slots=True)
class LookResult:
    """One look: the gating metrics compared, the smallest adjusted p, the red metrics, and whether to stop."""

    look: Look
    comparisons: tuple[Comparison, ...]
    smallest_p: float
    red: tuple[str, ...]
    stop: Stop


Known = tuple[LookResult, ...]


def look_at(look: Look, samples: Sequence[MetricSample], gate: Gate, plan: LookPlan) -> LookResult:
    """Compare the gating metrics at one look and say whether the evaluation stops there (statistics 8, 9, 12, 15).

    A recorded base convicts nobody: nothing is red then, and a small p asks for a fresh base.
    """
    comparisons = tuple(
        compare(samples, confidence=look.confidence, permutations=plan.permutations, scope=gate.scope)
    )
    smallest = min((c.adjusted_worse for c in comparisons), default=1.0)
    if plan.recorded_base:
        return LookResult(look, comparisons, smallest, (), _recorded_stop(look, comparisons, smallest, gate))
    red = tuple(c.metric.name for c in comparisons if is_red(c, gate.metrics[c.metric.name], look.level))
    stop = "regressed" if red else _stop(look, comparisons, smallest, gate)
    return LookResult(look, comparisons, smallest, red, stop)


def trace(
    sampler: Sampler, gate: Gate, plan: LookPlan, rounds: int, *, known: Known = ()
) -> tuple[LookResult, ...]:
    """Every look that `rounds` rounds allow, up to the first red one, or the first that asks for a fresh base.

    A stop for futility does not end the trace: it is not binding, and later looks may have been made all the same.
    `known`: the first of these looks, where they have been made already on the same evidence.
    """
    results = list(known)
    for look in plan.looks[len(known) :]:
        if look.rounds > rounds or (results and results[-1].stop in _ENDS):
            break
        results.append(look_at(look, sampler(look.rounds), gate, plan))
    return tuple(results)


def _recorded_stop(look: Look, comparisons: Sequence[Comparison], smallest: float, gate: Gate) -> Stop:
    """As with a fresh base, but whatever might close the gate is left to one."""
    if smallest <= FRESH_BASE_P:
        return "fresh base"
    stop = _stop(look, comparisons, smallest, gate)
    return (
        "fresh base"
        if gate.mode == "prove" and stop == "last" and not _shown(comparisons, look, gate)
        else stop
    )


def _stop(look: Look, comparisons: Sequence[Comparison], smallest: float, gate: Gate) -> Stop:
    if look.futility is None:
        return "last"
    if gate.mode == "prove":
        return "proved" if _shown(comparisons, look, gate) else "go on"
    return "no sign" if smallest > look.futility else "go on"


def _shown(comparisons: Sequence[Comparison], look: Look, gate: Gate) -> bool:
    """Whether every gating metric is shown to be no worse than its margin allows."""
    return bool(comparisons) and all(
        non_inferior(c, gate.metrics[c.metric.name], look.level) for c in comparisons
    )
