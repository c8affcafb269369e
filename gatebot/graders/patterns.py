"""Regular expressions of suites against agents' text, in bounded time."""

from __future__ import annotations

from dataclasses import dataclass

import regex

from gatebot.errors import ConfigError

TEXT_LIMIT = 200_000
SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern that gives up after a second: a suite's `(a+)+$` must not hang on an agent's text."""

    source: str
    compiled: regex.Pattern[str]

    def found_in(self, text: str) -> bool:
        """Whether the pattern occurs in the first 200,000 characters. Raises TimeoutError after one second."""
        return self.compiled.search(text[:TEXT_LIMIT], timeout=SECONDS) is not None


def compile_pattern(source: str) -> Pattern:
    """The pattern, compiled. Raises ConfigError when it is not a regular expression."""
    try:
        return Pattern(source, regex.compile(source))
    except regex.error as error:
        message = f"not a regular expression: {source!r}: {error}"
        raise ConfigError(
            message, "write it in Python's dialect and test it, e.g. on regex101.com"
        ) from error
