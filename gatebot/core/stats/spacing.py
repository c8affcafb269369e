"""After which rounds of how many the gate looks. Apart from the rest of the statistics: planning needs no arrays."""

from __future__ import annotations

LOOKS = (3, 5, 7, 10)
FULL_ROUNDS = LOOKS[-1]


def look_rounds(rounds: int) -> tuple[int, ...]:
    """The rounds after which an evaluation of at most `rounds` rounds (at least 1) looks, ascending."""
    return tuple(max(1, round(rounds * look / FULL_ROUNDS)) for look in LOOKS)
