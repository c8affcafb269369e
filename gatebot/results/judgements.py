"""judge.jsonl, what the judge said: one line per judgement, session or explanation; a torn last line ignored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import orjson
from pydantic import TypeAdapter, ValidationError

from gatebot.errors import InfrastructureError, InputFileError, Location
from gatebot.model.judgement import JUDGE_SCHEMA, JudgeLine
from gatebot.results.plain_file import open_to_append, open_to_read
from gatebot.results.trial_line import check_schema, first_errors

JUDGE_FILE = "judge.jsonl"
_MAX_LINE_BYTES = 1024 * 1024


def read_judge_lines(path: Path) -> Iterator[JudgeLine]:
    """The lines of a judge's file in order; an absent file holds none. Raises InputFileError for a foreign line."""
    try:
        stream = open_to_read(path)
    except FileNotFoundError:
        return
    with stream:
        for number, line in enumerate(iter(lambda: stream.readline(_MAX_LINE_BYTES + 1), b""), start=1):
            if not line.endswith(b"\n"):
                if len(line) > _MAX_LINE_BYTES:
                    raise _not_ours("a line that is too long", path, number)
                return
            yield _decoded(line, path, number)


def append_judge_lines(path: Path, lines: Iterable[JudgeLine]) -> None:
    """Write lines, each flushed when it is there; a torn tail is cut off first. Raises InfrastructureError."""
    descriptor = open_to_append(path)
    try:
        _cut_torn_tail(descriptor)
        for line in lines:
            data = memoryview(orjson.dumps(line, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE))
            while data:
                data = data[os.write(descriptor, data) :]
    except OSError as error:
        message = f"cannot write {path.name}: {error.strerror}"
        raise InfrastructureError(
            message, "free some space and run again: judgements so far are kept"
        ) from error
    finally:
        os.close(descriptor)


def _cut_torn_tail(descriptor: int) -> None:
    size = os.fstat(descriptor).st_size
    tail = os.pread(descriptor, _MAX_LINE_BYTES, max(0, size - _MAX_LINE_BYTES))
    if tail and not tail.endswith(b"\n"):
        os.ftruncate(descriptor, size - len(tail) + tail.rfind(b"\n") + 1)


def _decoded(line: bytes, path: Path, number: int) -> JudgeLine:
    try:
        found = _lines().validate_json(line, strict=True)
    except ValidationError as error:
        check_schema(line, JUDGE_SCHEMA, Location(path.name, number))
        raise _not_ours(first_errors(error), path, number) from error
    if found.schema != JUDGE_SCHEMA:
        raise _not_ours(f"schema {ascii(found.schema)[:60]}", path, number)
    return found


def _not_ours(why: str, path: Path, number: int) -> InputFileError:
    return InputFileError(
        f"not a line of the judge: {why}",
        f"remove {path.name} and run `gatebot judge run` again",
        location=Location(path.name, number),
    )


@cache
def _lines() -> TypeAdapter[JudgeLine]:
    return TypeAdapter(JudgeLine)
