"""When to ask GitHub again: reads and idempotent writes, within a bound; a create only after looking first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

MAX_ATTEMPTS = 5
PATIENT_ATTEMPTS = 8
"""Where GitHub cannot be reached at all: 95 seconds of waiting, so that a network that comes back finds us still there."""
_LONGEST_S = 32.0
SECONDARY_WAIT_S = 60.0
"""GitHub asks for at least a minute where a secondary limit names no time."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Wall seconds since 1970, and how to wait; tests give a clock of their own."""

    now: Callable[[], float]
    sleep: Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Answer:
    """A refusal as far as waiting is concerned: status (0 = no answer at all) and lower-case headers."""

    status: int
    headers: Mapping[str, str]
    message: str = ""


def is_rate_limit(answer: Answer) -> bool:
    """Whether a refusal is a limit, primary or secondary, rather than a missing permission."""
    if answer.status == 429:
        return True
    if answer.status != 403:
        return False
    told = answer.message.lower()
    return (
        answer.headers.get("x-ratelimit-remaining") == "0"
        or "retry-after" in answer.headers
        or "rate limit" in told
        or "abuse detection" in told
    )


def is_passing(answer: Answer) -> bool:
    """Whether the same request may succeed later."""
    return answer.status in (0, 500, 502, 503, 504) or is_rate_limit(answer)


def attempts_for(answer: Answer) -> int:
    """How often a request is sent at most that was refused so."""
    return PATIENT_ATTEMPTS if answer.status == 0 else MAX_ATTEMPTS


def wait_for(answer: Answer, attempt: int, now: float) -> float:
    """Seconds to wait before attempt number `attempt` + 1; `attempt` counts from 1.

    Limits: `retry-after`, else the reset of the primary limit, else a minute, doubled each time. Everything else:
    1, 2, 4 … seconds, 32 at most.
    """
    if is_rate_limit(answer):
        after = _seconds(answer.headers.get("retry-after"))
        if after is not None:
            return max(1.0, after)
        reset = _seconds(answer.headers.get("x-ratelimit-reset"))
        if answer.headers.get("x-ratelimit-remaining") == "0" and reset is not None:
            return max(1.0, reset - now + 1.0)
        return SECONDARY_WAIT_S * float(2 ** (attempt - 1))
    return min(_LONGEST_S, float(2 ** (attempt - 1)))


def _seconds(text: str | None) -> float | None:
    """A header's number of seconds; None for anything else, negative and endless numbers included."""
    if text is None or not text.isdecimal() or len(text) > 12:
        return None
    return float(text)
