"""scores.jsonl, and the grades on their way there: kept in a temporary file, since ten thousand are too many to hold."""

from __future__ import annotations

import tempfile
import weakref
from functools import cache
from typing import NamedTuple

import orjson
from pydantic import TypeAdapter

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
        self._file = tempfile.TemporaryFile(prefix="gatebot-grades-")  # noqa: SIM115 - as long as this object
        self._end = 0
        weakref.finalize(self, self._file.close)

    def keep(self, grade: Grade) -> Kept:
        """Keep one more grade. Raises OSError when the disk refuses."""
        line = score_line(grade)
        self._file.seek(self._end)
        self._file.write(line)
        start, self._end = self._end, self._end + len(line)
        return Kept(start, self._end)

    def line(self, kept: Kept) -> bytes:
        """The line of a kept grade, as `score_line` made it."""
        self._file.seek(kept.start)
        return self._file.read(kept.end - kept.start)

    def grade(self, kept: Kept) -> Grade:
        """The kept grade."""
        return _grades().validate_json(self.line(kept), strict=True)


@cache
def _grades() -> TypeAdapter[Grade]:
    return TypeAdapter(Grade)
