"""Which trials a round consists of. One more slot for every case on both sides; a fixed number of seeds is one look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gatebot.model.config import Seeds
from gatebot.model.plan import Round
from gatebot.model.trial import Side, TrialKey

DEFAULT_FIXED_SEEDS = 5


@dataclass(frozen=True, slots=True)
class SideSlots:
    """A side and the first slot it uses: `gatebot aa` gives the head slots of its own."""

    side: Side
    first: int = 1


def seed_count(seeds: Seeds, override: int | None) -> int:
    """Slots per case and side: the command line's, the config's fixed number, or at most five of `max`."""
    if override is not None:
        return override
    if seeds.fixed is not None:
        return seeds.fixed
    return min(seeds.max or DEFAULT_FIXED_SEEDS, DEFAULT_FIXED_SEEDS)


def fixed_rounds(
    cases: Iterable[str], sides: Sequence[SideSlots], count: int, new: frozenset[str]
) -> tuple[Round, ...]:
    """All rounds of a fixed evaluation: round r holds slot first + r − 1 of every case; new cases run on the head."""
    ordered = sorted(cases)
    return tuple(
        Round(
            number=number,
            trials=tuple(
                TrialKey(case, side.side, side.first + number - 1)
                for case in ordered
                for side in sides
                if side.side == "head" or case not in new
            ),
        )
        for number in range(1, count + 1)
    )
