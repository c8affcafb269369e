"""JSON from strangers: one strict, bounded reader. What it lets through can be compared, stored and written again."""

from __future__ import annotations

import json
import re

import orjson

from gatebot.errors import ImportFormatError, Location
from gatebot.model.json_value import JsonValue, is_array, is_object

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 64
MAX_VALUES = 2_000_000
_WRITABLE_DEPTH = 200  # orjson reads deeper than it writes
_MAX_INTEGER = 2**64 - 1
_MIN_INTEGER = -(2**63)
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_ONE_KIND = bytes.maketrans(b"{}", b"[]")
# 19 digits is where 64 bits may end; a digit, point or exponent on either side makes it part of another number.
_LONG_INTEGER = re.compile(rb"(?<![\d.eE+])-?(?<![\d.][eE]-)\d{19,}(?![\d.eE])")
_SHOWN = 80


def parse_json(
    data: str | bytes,
    *,
    max_bytes: int = MAX_BYTES,
    max_depth: int = MAX_DEPTH,
    max_values: int = MAX_VALUES,
    source: str = "",
) -> JsonValue:
    """The one JSON value in `data`: UTF-8, finite numbers, 64-bit integers, no duplicate keys, no lone surrogates.

    `max_bytes`, `max_depth` (nested containers) and `max_values` bound what hostile text may cost; nothing recurses.
    `source` names the text in errors. Raises ImportFormatError with the position where it is known, nothing else.
    """
    text = bounded_bytes(data, max_bytes, source)
    skeleton = outside_strings(text, max_values, source)
    _check_depth(skeleton, min(max_depth, _WRITABLE_DEPTH), source)
    try:
        value: JsonValue = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise ImportFormatError(
            f"not valid JSON: {error.msg}",
            "one JSON value in UTF-8, nothing before or after it",
            location=_place(source, error.lineno, error.colno),
        ) from error
    _check_integers(skeleton, source)
    # The text is valid now, so every colon outside strings is one written pair; lost pairs were duplicate keys.
    if skeleton.count(b":") != _count_pairs(value):
        raise _duplicate(text, source)
    return value


def _place(source: str, line: int = 0, column: int = 0) -> Location | None:
    return Location(source or "JSON", line, column) if source or line else None


def bounded_bytes(data: str | bytes, max_bytes: int = MAX_BYTES, source: str = "") -> bytes:
    """The text as bytes. Raises ImportFormatError for too much of it, lone surrogates and byte order marks."""
    size = len(data)
    if size <= max_bytes and isinstance(data, str):
        try:
            data = data.encode("utf-8")
        except UnicodeEncodeError as error:
            message = f"not valid Unicode text: a lone surrogate at character {error.start}"
            raise ImportFormatError(message, "write it as UTF-8", location=_place(source)) from error
        size = len(data)
    if size > max_bytes:
        message = f"{size / 1e6:.1f} MB of JSON is more than the {max_bytes / 1e6:.1f} MB that are read"
        raise ImportFormatError(message, "leave out what is no part of the run", location=_place(source))
    assert isinstance(data, bytes)  # noqa: S101 - narrows the type; a str was encoded above
    if data.startswith(_BYTE_ORDER_MARKS):
        message = "the text starts with a byte order mark"
        raise ImportFormatError(message, "write it as UTF-8 without one", location=_place(source, 1, 1))
    return data


def outside_strings(text: bytes, max_values: int = MAX_VALUES, source: str = "") -> bytes:
    """The text outside of string literals; exact for valid JSON, and of no consequence for anything else.

    Raises ImportFormatError when it is written as more than `max_values` values.
    """
    if b"\\" in text:
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    if (
        text.count(b'"') > 4 * max_values
    ):  # bounds what split creates: two quotes a string, a key and a value a pair
        raise _too_many(max_values, source)
    skeleton = b"".join(text.split(b'"')[::2])
    # Every value is a container, follows a comma, or is alone in its container: this bounds what the parser creates.
    if skeleton.count(b",") + skeleton.count(b"[") + skeleton.count(b"{") > max_values:
        raise _too_many(max_values, source)
    return skeleton


def _check_depth(skeleton: bytes, max_depth: int, source: str) -> None:
    """Peel the innermost pairs off, a level a pass: as many passes as levels, each at the speed of a replace."""
    brackets = skeleton.translate(_ONE_KIND, _NOT_BRACKETS)
    if brackets.count(b"[") != brackets.count(b"]"):
        return  # not JSON, and the parser, whose own depth is bounded, says so
    too_deep = b"[" * (max_depth + 1)
    for _ in range(max_depth):
        if not brackets:
            return
        if too_deep in brackets:
            break
        peeled = brackets.replace(b"[]", b"")
        if len(peeled) == len(brackets):
            return  # not JSON either
        brackets = peeled
    if brackets:
        raise _too_deep(max_depth, source)


def _check_integers(skeleton: bytes, source: str) -> None:
    for match in _LONG_INTEGER.finditer(skeleton):
        digits = match.group()
        if len(digits) > 20 or not _MIN_INTEGER <= int(digits) <= _MAX_INTEGER:
            message = f"an integer of {len(digits.lstrip(b'-'))} digits does not fit into 64 bits"
            raise ImportFormatError(message, "write such a number as a string", location=_place(source))


def _count_pairs(value: JsonValue) -> int:
    """How many key-value pairs all objects hold together; iterative."""
    total = 0
    frontier: list[JsonValue] = [value]
    while frontier:
        node = frontier.pop()
        if is_object(node):
            total += len(node)
            frontier += [child for child in node.values() if type(child) is dict or type(child) is list]
        elif is_array(node):
            frontier += [child for child in node if type(child) is dict or type(child) is list]
    return total


def _duplicate(text: bytes, source: str) -> ImportFormatError:
    """The error that names a duplicate key; read again the slow way, which only hostile text costs."""
    found: list[str] = []

    def note(pairs: list[tuple[str, object]]) -> None:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen and not found:
                found.append(key)
            seen.add(key)

    json.loads(text, object_pairs_hook=note, parse_int=str, parse_float=str)
    name = ascii(found[0])[:_SHOWN] if found else "of some object"
    return ImportFormatError(
        f"the key {name} is written twice in one object",
        "keep one of them: which one counts is not defined",
        location=_place(source),
    )


def _too_deep(max_depth: int, source: str) -> ImportFormatError:
    message = f"nested more than {max_depth} levels deep"
    return ImportFormatError(message, "no known trajectory format nests so deep", location=_place(source))


def _too_many(max_values: int, source: str) -> ImportFormatError:
    message = f"more than {max_values} values"
    return ImportFormatError(message, "leave out what is no part of the run", location=_place(source))
