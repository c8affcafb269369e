"""Which slots of the base are run next, so that its stored results grow, within the suite's budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gatebot.core.recordings import RECORDED_SLOTS
from gatebot.core.rounds import seed_plan
from gatebot.core.stats.spacing import FULL_ROUNDS
from gatebot.model.config import Budget, Seeds


@dataclass(frozen=True, slots=True)
class SlotOrder:
    """Run these slots (`first`, and `count` in all) of these cases; no cases: nothing is missing."""

    first: int
    count: int
    cases: tuple[str, ...] = ()

    @property
    def unaffordable(self) -> str:
        """Why nothing is run although something is missing, in a sentence; else empty."""
        if self.count or not self.cases:
            return ""
        return f"the budget is smaller than one trial of each of {len(self.cases)} cases"


def slots_to_run(held: Mapping[str, frozenset[int]], seeds: Seeds, budget: Budget) -> SlotOrder:
    """What a push runs of the base. `held`: case → the slots that are stored, each ≥ 1; every case of the suite is named.

    A base without results gets as many slots as recordings must have to stand for it, or as its gate has, whichever is
    more; each further push of the same agent adds some, up to `RECORDED_SLOTS`. Never more trials than the budget has.
    """
    if not held:
        return SlotOrder(1, 0)
    fewest = max(FULL_ROUNDS, seed_plan(seeds, None, compared=True).count)
    fewest = min(fewest, RECORDED_SLOTS)
    wanted = fewest if any(len(_within(slots)) < fewest for slots in held.values()) else RECORDED_SLOTS
    lacking = {case: _missing(slots, wanted) for case, slots in held.items()}
    cases = tuple(sorted(case for case, slots in lacking.items() if slots))
    if not cases:
        return SlotOrder(1, 0)
    first = min(min(lacking[case]) for case in cases)
    last = max(max(lacking[case]) for case in cases)
    return SlotOrder(first, min(last - first + 1, _affordable(budget, len(cases))), cases)


def fresh_slots(
    held: Mapping[str, Mapping[int, int]], compared: frozenset[int], seeds: Seeds, budget: Budget
) -> SlotOrder:
    """What a scheduled run runs: a block of slots beside those it is compared with, the one that is stored the least lately.

    `held`: case → slot → the day it was recorded, as a number; every case of the suite is named. `compared`: the slots
    of what the fresh trials are compared with, which they repeat only where nothing else is left.
    """
    size = min(seed_plan(seeds, None, compared=False).count, RECORDED_SLOTS)
    size = min(size, _affordable(budget, len(held)))
    if not size:
        return SlotOrder(1, 0, tuple(sorted(held)))
    blocks = [range(start, start + size) for start in range(1, RECORDED_SLOTS - size + 2)]
    days = {block: max(held[case].get(slot, 0) for case in held for slot in block) for block in blocks}
    first = min(blocks, key=lambda block: (len(compared & set(block)), days[block], block.start)).start
    return SlotOrder(first, size, tuple(sorted(held)))


def _within(slots: frozenset[int]) -> frozenset[int]:
    return frozenset(slot for slot in slots if slot <= RECORDED_SLOTS)


def _missing(slots: frozenset[int], wanted: int) -> list[int]:
    """The lowest free slots that bring a case to `wanted`."""
    lacking = wanted - len(_within(slots))
    free = [slot for slot in range(1, RECORDED_SLOTS + 1) if slot not in slots]
    return free[: max(0, lacking)]


def _affordable(budget: Budget, cases: int) -> int:
    return budget.trials // cases if cases else 0
