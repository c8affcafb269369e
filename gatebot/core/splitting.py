"""One agent's recorded trials split into a base and a head at random: what the gate then reports is a false alarm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gatebot.core.evidence import Evidence
from gatebot.core.playing import Arm, Arms, Played, play
from gatebot.core.stats.dealing import dealt, one_broken, passes_lost
from gatebot.core.stats.single_case import CONFIRM_TRIALS
from gatebot.core.stats.targets import wilson_interval
from gatebot.model.config import Gate
from gatebot.model.metric import PRIMARY_METRIC
from gatebot.model.trial import Side

FULL_ROUNDS = 10
PERMUTATIONS = 999
_BROKEN = "one case broken"
_LESS = "15 % of the passes lost"


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many closed the gate, and the 95 % Wilson interval of that rate."""

    reds: int
    count: int
    limits: tuple[float, float]

    @property
    def rate(self) -> float:
        """The share."""
        return self.reds / self.count


@dataclass(frozen=True, slots=True)
class Splits:
    """What came of splitting: slots per side and whether the gate looked in between; `planted`: regressions by name."""

    cases: int
    slots: int
    sequential: bool
    alarms: Share
    planted: Mapping[str, Share]


def outcomes_of(evidence: Evidence, gate: Gate, side: Side) -> Arm:
    """A side's graded values per gating metric, cases x slots; cases without a trial in the sample are left out."""
    names = sorted({PRIMARY_METRIC, *gate.metrics})
    rows = {case: evidence.sample_rows(case, side) for case in sorted(evidence.gating_cases)}
    kept = [found for found in rows.values() if found]
    width = max((len(found) for found in kept), default=0)
    values = {name: np.full((len(kept), width), np.nan) for name in names}
    for place, found in enumerate(kept):
        for slot, row in enumerate(found):
            for name in names:
                value = row.values.get(name)
                values[name][place, slot] = np.nan if value is None else value
    return Arm(values)


def split_alarms(recorded: Arm, gate: Gate, *, splits: int, planted: int, seed: int = 0) -> Splits:
    """Split at random so many times and let the gate decide; then plant regressions into `planted` splits each.

    Every case's trials are dealt to both sides anew. With 17 trials a side or more the gate looks after 3, 5, 7 and 10
    rounds and confirms suspects on the other seven; with fewer there is one look over all. Splits share their trials:
    this checks what people will live with on their suite, not alpha. Raises ValueError for fewer than two slots.
    """
    slots = recorded.values[PRIMARY_METRIC].shape[1] // 2
    if slots < 1:
        raise ValueError("a split needs two recorded slots at least")
    sequential = slots >= FULL_ROUNDS + CONFIRM_TRIALS

    def share(count: int, plant: str) -> Share:
        reds = 0
        for number in range(count):
            base, head = dealt(recorded.values, PRIMARY_METRIC, slots, (seed, number, len(plant)))
            if plant:
                spoil = one_broken if plant == _BROKEN else passes_lost
                head = {**head, PRIMARY_METRIC: spoil(head[PRIMARY_METRIC], (seed, number))}
            arms = Arms(Arm(base), Arm(head))
            reds += _played(arms, gate, slots, sequential=sequential).red
        return Share(reds, count, wilson_interval(reds, count, 0.95))

    return Splits(
        cases=recorded.cases,
        slots=slots,
        sequential=sequential,
        alarms=share(splits, ""),
        planted={name: share(planted, name) for name in (_BROKEN, _LESS)} if planted else {},
    )


def _played(arms: Arms, gate: Gate, slots: int, *, sequential: bool) -> Played:
    if not sequential:
        return play(arms, gate, rounds=slots, sequential=False, permutations=PERMUTATIONS)
    split = Arms(_with_fresh(arms.base), _with_fresh(arms.head))
    return play(split, gate, rounds=FULL_ROUNDS, sequential=True, permutations=PERMUTATIONS)


def _with_fresh(arm: Arm) -> Arm:
    """The trials after the regular rounds become the confirming ones."""
    fresh = arm.values[PRIMARY_METRIC][:, FULL_ROUNDS : FULL_ROUNDS + CONFIRM_TRIALS]
    return Arm({name: values[:, :FULL_ROUNDS] for name, values in arm.values.items()}, fresh)
