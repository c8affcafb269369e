"""When to stop: what a run may spend, and the breaker that ends a run in which everything fails alike."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gatebot.model.trajectory import Usage
from gatebot.model.trial import Trial

_VARYING = re.compile(r"0x[0-9a-fA-F]+|[0-9a-fA-F-]{8,}|\d+")


@dataclass(frozen=True, slots=True)
class Bounds:
    """How wide and how far a run may go; None = no bound.

    `trials` counts those planned, `seconds` this process's wall time, `usd` and `tokens` what trials report, those of
    an earlier process included.
    `retries`: further attempts after an infrastructure error, `backoff_s` the wait before the first one (then
    doubled). `breaker`: this many equal infrastructure errors in a row end the run.
    """

    concurrency: int = 4
    trials: int | None = None
    seconds: float | None = None
    usd: float | None = None
    tokens: int | None = None
    retries: int = 2
    backoff_s: float = 0.5
    breaker: int = 5


class Spending:
    """What a run has spent so far, and whether that is the end of it."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self.trials = 0
        self.usd: float | None = None
        self.tokens: int | None = None

    def add(self, usage: Usage) -> None:
        """Count what a finished trial reports; unknown cost stays unknown and counts as nothing."""
        if usage.cost_usd is not None:
            self.usd = (self.usd or 0.0) + usage.cost_usd
        if usage.total_tokens is not None:
            self.tokens = (self.tokens or 0) + usage.total_tokens

    def exceeded(self, elapsed_s: float) -> str:
        """Why no further trial may start, in words; empty when one may."""
        bounds = self._bounds
        if bounds.trials is not None and self.trials >= bounds.trials:
            return f"budget: {bounds.trials} trials"
        if bounds.seconds is not None and elapsed_s >= bounds.seconds:
            return f"budget: {bounds.seconds:g} seconds"
        if bounds.usd is not None and self.usd is not None and self.usd >= bounds.usd:
            return f"budget: {bounds.usd:g} USD"
        if bounds.tokens is not None and self.tokens is not None and self.tokens >= bounds.tokens:
            return f"budget: {bounds.tokens} tokens"
        return ""


class Breaker:
    """Trips after a number of equal infrastructure errors in a row: going on would only spend time."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._last = ""
        self._count = 0

    def add(self, trial: Trial) -> str:
        """Take a finished trial in; why the run must end, in words, or empty."""
        if trial.status != "infra_error":
            self._count = 0
            return ""
        reason = _VARYING.sub("#", trial.reason)
        self._count = self._count + 1 if reason == self._last else 1
        self._last = reason
        if self._count < self._limit:
            return ""
        return f"{self._count} trials in a row failed alike: {trial.reason}"
