"""When the gate looks and what a look must find: levels and futility limits, fixed before the first trial."""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.core.stats.sequential import FUTILITY, LOOKS, MEAN_SHARE, information_fractions, look_levels
from gatebot.model.config import Gate
from gatebot.model.metric import PRIMARY_METRIC

FULL_ROUNDS = LOOKS[-1]


@dataclass(frozen=True, slots=True)
class Look:
    """A decision after so many rounds: red at p ≤ `level`; stop without red when p > `futility` (None: the last).

    `confidence`: of the two-sided interval shown when the run stops here, 1 − 2·level (1 − 2α with one look).
    """

    rounds: int
    level: float
    confidence: float
    futility: float | None = None


@dataclass(frozen=True, slots=True)
class LookPlan:
    """All looks. `case_level` is leg B's share of alpha, 0 when that leg is off."""

    looks: tuple[Look, ...]
    sequential: bool
    alpha: float
    case_level: float

    def next_after(self, rounds: int) -> Look | None:
        """The first look that needs more rounds than `rounds`."""
        return next((look for look in self.looks if look.rounds > rounds), None)


def single_cases_gate(gate: Gate) -> bool:
    """Whether single cases may close the gate: on the primary metric, when it gates, and for these cases only."""
    return PRIMARY_METRIC in gate.metrics and gate.scope == "suite"


def look_plan(gate: Gate, rounds: int, *, sequential: bool, recorded_base: int = 0) -> LookPlan:
    """The looks of an evaluation of at most `rounds` rounds (statistics, items 7 to 10).

    `recorded_base`: trials per case of a base that is only recorded; information then grows with the head alone.
    """
    shared = single_cases_gate(gate)
    mean = MEAN_SHARE * gate.alpha if shared else gate.alpha
    case_level = gate.alpha - mean
    if not sequential:
        only = Look(rounds, mean, 1.0 - 2.0 * gate.alpha)
        return LookPlan((only,), sequential=False, alpha=gate.alpha, case_level=case_level)
    at = [max(1, round(rounds * look / FULL_ROUNDS)) for look in LOOKS]
    base = [recorded_base] * len(at) if recorded_base else at
    levels = look_levels(information_fractions(base, at), mean)
    limits = (*FUTILITY, None)
    looks = tuple(
        Look(after, level, 1.0 - 2.0 * level, limit)
        for after, level, limit in zip(at, levels, limits, strict=True)
    )
    return LookPlan(looks, sequential=True, alpha=gate.alpha, case_level=case_level)
