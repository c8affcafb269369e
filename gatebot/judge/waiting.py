"""When to try again: bounded attempts, jitter from a digest, a server's wish honoured only within our own deadline."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

MAX_ATTEMPTS = 5
FIRST_DELAY = 0.5
LONGEST_DELAY = 20.0


@dataclass(frozen=True, slots=True)
class Clock:
    """Monotonic seconds, and how to wait; tests bring their own."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


def backoff(attempt: int, seed: str) -> float:
    """Seconds before attempt `attempt` + 1 (1-based): doubling from half a second, scaled by 0.5 to 1 from the seed."""
    step = hashlib.sha256(f"{seed}\0{attempt}".encode()).digest()
    jitter = 0.5 + int.from_bytes(step[:4], "big") / 2**33
    return min(FIRST_DELAY * 2 ** (attempt - 1), LONGEST_DELAY) * jitter


def asked_delay(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks us to wait: `retry-after` in seconds, or a date measured by the answer's own `date`.

    None for anything else: absent, negative, not a number, a date in the past.
    """
    given = headers.get("retry-after", "").strip()
    if not given:
        return None
    try:
        seconds = float(given)
    except ValueError:
        return _until(given, headers.get("date", ""))
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _until(date: str, now: str) -> float | None:
    try:
        seconds = (parsedate_to_datetime(date) - parsedate_to_datetime(now)).total_seconds()
    except (TypeError, ValueError):
        return None
    return seconds if seconds >= 0 else None
