"""When the gate looks and what a look must find: levels and futility limits, fixed before the first trial."""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.core.stats.interval import confidence_at
from gatebot.core.stats.resampling import PERMUTATIONS
from gatebot.core.stats.sequential import FUTILITY, MEAN_SHARE, information_fractions, look_levels
from gatebot.core.stats.spacing import look_rounds
from gatebot.model.config import Gate
from gatebot.model.metric import PRIMARY_METRIC

FUTILITY_AFTER_RECORDED = (0.3, 0.25, 0.2)
"""A base run after all gives up sooner: only a small p beside the recordings asked for it, and it bears that out or not.
Futility is not binding, so that this costs power (two to four points on a loss of 15 %) and no false alarm."""


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
    """All looks. `case_level` is leg B's share of alpha, 0 when that leg is off.

    `recorded_base`: the base is only recorded, so that looks may end the evaluation but convict nobody. `permutations`:
    labelings that a look draws where it cannot go through all.
    """

    looks: tuple[Look, ...]
    sequential: bool
    alpha: float
    case_level: float
    recorded_base: bool = False
    permutations: int = PERMUTATIONS

    def next_after(self, rounds: int) -> Look | None:
        """The first look that needs more rounds than `rounds`."""
        return next((look for look in self.looks if look.rounds > rounds), None)


def single_cases_gate(gate: Gate) -> bool:
    """Whether single cases may close the gate: on the primary metric, when it gates, and for these cases only."""
    return PRIMARY_METRIC in gate.metrics and gate.scope == "suite"


def look_plan(
    gate: Gate, rounds: int, *, sequential: bool, recorded_base: int = 0, after_recorded: bool = False
) -> LookPlan:
    """The looks of an evaluation of at most `rounds` rounds (statistics, items 7 to 10).

    `recorded_base`: trials per case of a base that is only recorded; information then grows with the head alone.
    `after_recorded`: the base was only recorded, until a look asked for a fresh one.
    """
    shared = single_cases_gate(gate)
    mean = MEAN_SHARE * gate.alpha if shared else gate.alpha
    case_level = gate.alpha - mean
    if not sequential:
        only = Look(rounds, mean, confidence_at(gate.alpha))
        return LookPlan((only,), False, gate.alpha, case_level, recorded_base > 0)
    at = look_rounds(rounds)
    base = [recorded_base] * len(at) if recorded_base else at
    levels = look_levels(information_fractions(base, at), mean)
    limits = (*(FUTILITY_AFTER_RECORDED if after_recorded else FUTILITY), None)
    looks = tuple(
        Look(after, level, confidence_at(level), limit)
        for after, level, limit in zip(at, levels, limits, strict=True)
    )
    return LookPlan(looks, True, gate.alpha, case_level, recorded_base > 0)
