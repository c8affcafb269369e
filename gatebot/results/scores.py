"""scores.jsonl, and the grades on their way there: kept in a temporary file, since ten thousand are too many to hold."""

from __future__ import annotations

import os
import tempfile
import weakref
from functools import cache
from typing import NamedTuple

import orjson
from pydantic import TypeAdapter

from gatebot.errors import InfrastructureError
from gatebot.model.score import Grade

_LINE = orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE


def score_line(grade: Grade) -> bytes:
    """The grade as one line with its newline: equal grades give equal bytes."""
    return orjson.dumps(grade, option=_LINE)


class Kept(NamedTuple):
    """Where a kept grade lies: its first byte, and the one after its last."""

    start: int
    end: int


class KeptGrades:
    """Grades in a file without a name, which goes when this does. Used from one thread."""

    def __init__(self) -> None:
        """Raises InfrastructureError when there is no place for temporary files."""
        try:
            self._file = tempfile.TemporaryFile(buffering=0, prefix="gatebot-grades-")  # noqa: SIM115 - as long as this object
        except OSError as error:
            raise _no_room(error) from error
        self._end = 0
        weakref.finalize(self, self._file.close)

    def keep(self, grade: Grade) -> Kept:
        """Keep one more grade. Raises InfrastructureError when the disk refuses."""
        line = score_line(grade)
        start, written = self._end, 0
        try:
            while written < len(line):
                written += os.pwrite(self._file.fileno(), line[written:], start + written)
        except OSError as error:
            raise _no_room(error) from error
        self._end = start + written
        return Kept(start, self._end)

    def line(self, kept: Kept) -> bytes:
        """The line of a kept grade, as `score_line` made it."""
        return os.pread(self._file.fileno(), kept.end - kept.start, kept.start)

    def grade(self, kept: Kept) -> Grade:
        """The kept grade."""
        return _grades().validate_json(self.line(kept), strict=True)


def _no_room(error: OSError) -> InfrastructureError:
    message = f"cannot keep grades in the directory for temporary files: {error.strerror}"
    return InfrastructureError(message, "free some space there, or name another one with TMPDIR")


@cache
def _grades() -> TypeAdapter[Grade]:
    return TypeAdapter(Grade)
