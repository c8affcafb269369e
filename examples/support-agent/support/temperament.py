"""Seeded variation: how this agent happens to be today. The only place that draws random numbers."""

from __future__ import annotations

import random
from collections.abc import Sequence

from support.records import Record

OPENERS = ("", "Sure. ", "Happy to help. ", "Thanks for writing in. ")
CLOSERS = ("", " Anything else?", " Let me know if you need more.")


class Temperament:
    """The habits one seed gives; a language model has the same habits, and hides them less well.

    The habits depend on the seed alone, so that they stay the same from turn to turn of one conversation; phrases
    depend on the turn too. Every habit is drawn whether it is used or not: adding a use changes no other draw.
    """

    def __init__(self, seed: int, turn: int) -> None:
        habits = random.Random(seed)
        self.double_checks = habits.random() < 0.10
        """Looks the customer up once more although nothing hangs on it."""
        self.hasty = habits.random() < 0.08
        """Trusts its own reading of the order instead of asking for the refund policy."""
        self.forgetful = habits.random() < 0.12
        """Loses what was said and read in earlier turns."""
        self.gullible = habits.random() < 0.08
        """Takes an instruction hidden in somebody's text for an order."""
        self.slow_directory = habits.random() < 0.15
        """The customer directory is slow today: its first answer times out."""
        self._scene = f"{seed}/{turn}"

    def pick(self, occasion: str, choices: Sequence[str]) -> str:
        """One of several ways to say the same thing; the same one each time the occasion is thought of again."""
        return random.Random(f"{self._scene}/{occasion}").choice(choices)

    def shuffled(self, calls: Sequence[tuple[str, Record]]) -> list[tuple[str, Record]]:
        """Calls that do not depend on each other, in the order in which they came to mind."""
        return random.Random(f"{self._scene}/order").sample(list(calls), len(calls))
