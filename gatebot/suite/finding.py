"""What checking a suite finds: errors that stop every run, warnings that are shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from gatebot.errors import ConfigError, Location

MOST_TOLD = 20
"""Mistakes told at once: who has more has made one of them often."""
_AND_MORE = re.compile(r" \(and [0-9]+ more\)\Z")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a person should know about the suite. An `error` stops every run, a `warning` is shown."""

    level: Literal["error", "warning"]
    location: Location
    message: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.location}: {self.message}"


def raise_errors(findings: Iterable[Finding]) -> None:
    """Raise the errors, if there are any, as one ConfigError (see `joined`), in the order they were found."""
    errors = [finding for finding in findings if finding.level == "error"]
    if errors:
        raise joined([ConfigError(one.message, one.hint, location=one.location) for one in errors])


def joined(mistakes: Sequence[ConfigError], *, uncounted: int = 0) -> ConfigError:
    """The first of the mistakes, which says how many more there are and holds those of them that `MOST_TOLD` allows.

    `uncounted`: mistakes that are known of and are not among these. What a mistake holds already comes after it.
    """
    flat = [one for mistake in mistakes for one in (mistake, *mistake.also)]
    more = len(flat) - 1 + uncounted
    first = flat[0]
    if not more:
        return first
    whole = ConfigError(f"{_alone(first)} (and {more} more)", first.hint, location=first.location)
    whole.also = tuple(ConfigError(_alone(one), one.hint, location=one.location) for one in flat[1:MOST_TOLD])
    return whole


def _alone(mistake: ConfigError) -> str:
    return _AND_MORE.sub("", mistake.message)
