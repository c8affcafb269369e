"""What checking a suite finds: errors that stop every run, warnings that are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from gatebot.errors import ConfigError, Location


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
    """Raise the first error, if there is any, as a ConfigError that says how many more there are."""
    errors = [finding for finding in findings if finding.level == "error"]
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise ConfigError(errors[0].message + more, errors[0].hint, location=errors[0].location)
