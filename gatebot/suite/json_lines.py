"""Suites as JSON Lines: one case a line, with the keys of a case file, for suites that programs write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from gatebot.errors import ConfigError, ImportFormatError, Location
from gatebot.suite.wording import printable
from gatebot.suite.yaml_reader import MAX_DEPTH, MAX_FILE_BYTES, MAX_VALUES, Plain, YamlDocument

ENDING: Final = ".jsonl"
MAX_BYTES: Final = 64 * 1024 * 1024


def is_lines(path: str) -> bool:
    """Whether the file is of this form, by its name."""
    return path.endswith(ENDING)


def read_lines(path: str, raw: bytes) -> Iterator[YamlDocument]:
    """The documents of the file, one for each line that is not blank; each may be as large as a case file.

    Raises ConfigError, with file and line, for what is not one JSON object: strictly read, so no duplicate keys, no
    NaN, no lone surrogates, no more depth and values than a case file may have.
    """
    from gatebot.importers.strict_json import parse_json

    if len(raw) > MAX_BYTES:
        raise ConfigError(
            f"the file is larger than {MAX_BYTES // 1024 // 1024} MB", "split it", location=Location(path)
        )
    empty = True
    for number, line in enumerate(raw.split(b"\n"), start=1):
        text = line.strip(b" \t\r")
        if not text:
            continue
        empty = False
        place = Location(path, number)
        if len(text) > MAX_FILE_BYTES:
            message = f"the line has {len(text):,} bytes, more than {MAX_FILE_BYTES // 1024} kB"
            raise ConfigError(message, "keep long recordings elsewhere", location=place)
        try:
            value = parse_json(text, max_bytes=MAX_FILE_BYTES, max_depth=MAX_DEPTH, max_values=MAX_VALUES)
        except ImportFormatError as error:
            column = error.location.column if error.location is not None else 0
            raise ConfigError(
                printable(error.message), error.hint, location=Location(path, number, column)
            ) from None
        if not isinstance(value, dict):
            raise ConfigError("a line of the suite is one JSON object", 'write {"id": …}', location=place)
        yield YamlDocument(path, text.decode("utf-8"), cast("Plain", value), number)
    if empty:
        raise ConfigError("the file holds no case", "write one JSON object a line", location=Location(path))
