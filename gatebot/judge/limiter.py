"""How many requests may be under way at once: fewer as soon as the API is busy, slowly more while it answers.

Additive increase, multiplicative decrease (Chiu and Jain, 1989): a whole width of answers adds one, a busy API halves.
"""

from __future__ import annotations

import threading
from math import inf

CUT = 0.5


class Width:
    """The number itself, from 1 to `most`; no threads, and the time in seconds is handed in.

    What a request says counts only when it was sent after the last cut: of a burst of busy answers to requests that
    were under way together the first halves the width, and the others tell nothing new.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._width = float(most)
        self._cut_at = -inf

    @property
    def allowed(self) -> int:
        """Requests that may be under way."""
        return int(self._width)

    def answered(self, sent: float) -> None:
        """A request sent at `sent` was answered."""
        if sent >= self._cut_at:
            self._width = min(self._width + 1 / self._width, float(self._most))

    def busy(self, sent: float, now: float) -> None:
        """A request sent at `sent` met a busy or failing API, as we know `now`."""
        if sent >= self._cut_at:
            self._width = max(self._width * CUT, 1.0)
            self._cut_at = now


class Limiter:
    """Slots for requests under way, shared by threads; as many as the width allows. Both sides' trials share it."""

    def __init__(self, most: int) -> None:
        self._width = Width(most)
        self._under_way = 0
        self._changed = threading.Condition()

    def enter(self) -> None:
        """Wait for a slot. Every holder leaves by its own deadline, so the wait ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._under_way < self._width.allowed)
            self._under_way += 1

    def leave(self) -> None:
        """Give the slot back."""
        with self._changed:
            self._under_way -= 1
            self._changed.notify_all()

    def answered(self, sent: float) -> None:
        """See Width."""
        with self._changed:
            self._width.answered(sent)

    def busy(self, sent: float, now: float) -> None:
        """See Width."""
        with self._changed:
            self._width.busy(sent, now)
