"""What can go wrong that is the user's or gatebot's business; an agent's failure is data, not an exception."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file a person wrote: path as the person knows it, 1-based line and column (0 = unknown)."""

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.path
        return f"{self.path}:{self.line}:{self.column}" if self.column else f"{self.path}:{self.line}"


class GatebotError(Exception):
    """An error with one sentence for the person and a hint that says what to do next.

    `exit_code` follows architecture: 2 the user's mistake, 3 could not be evaluated, 4 our own fault.
    """

    exit_code = 2

    def __init__(self, message: str, hint: str = "", *, location: Location | None = None) -> None:
        self.message = message
        self.hint = hint
        self.location = location
        super().__init__(message)

    def __str__(self) -> str:
        return f"{self.location}: {self.message}" if self.location else self.message


class UsageError(GatebotError):
    """The command line asks for something that cannot be done as asked."""


class ConfigError(GatebotError):
    """gatebot.yaml or a case file is wrong. `also`: further mistakes that are known, in the order of their places."""

    also: tuple[ConfigError, ...] = ()


class RepositoryError(GatebotError):
    """The repository, a ref or a checkout is not usable."""


class InputFileError(GatebotError):
    """A file gatebot was given (trace, trials, report) cannot be read as what it should be."""


class ImportFormatError(GatebotError):
    """A trajectory is in no known format, or breaks the rules of the format it claims.

    The one typed exception importers raise on hostile or malformed input.
    """


class InfrastructureError(GatebotError):
    """Something outside the agent and outside the user's files failed: could not be evaluated."""

    exit_code = 3


class ResultsError(GatebotError):
    """A results directory is in use, incomplete, or belongs to another evaluation."""


class Cancelled(GatebotError):  # noqa: N818 — being told to stop is no error of anybody
    """Ctrl-C or SIGTERM: everything started has been ended, finished trials are kept.

    `planned` 0: no trials were running, and nothing is said of their number.
    """

    exit_code = 130

    def __init__(self, done: int, planned: int) -> None:
        self.done = done
        self.planned = planned
        told = f"cancelled, {done} of {planned} done" if planned else "cancelled"
        super().__init__(told, "run the same command again to go on")
