"""Reading single fields of untrusted JSON: what has the wrong type is taken as absent, never as an error."""

from __future__ import annotations

import math
from collections.abc import Sequence

import orjson

from gatebot.errors import ImportFormatError
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object

EMPTY: JsonObject = {}
_SHOWN = 60


def string(value: JsonValue) -> str | None:
    """The value when it is a string."""
    return value if isinstance(value, str) else None


def text(source: JsonObject, *keys: str) -> str | None:
    """The first of these keys that holds a non-empty string."""
    for key in keys:
        value = source.get(key)
        if isinstance(value, str) and value:
            return value
    return None


def obj(value: JsonValue) -> JsonObject:
    """The value when it is an object, else an empty one."""
    return value if is_object(value) else EMPTY


def inner(source: JsonObject, *path: str) -> JsonObject:
    """The object at the end of a path of keys, else an empty one."""
    for key in path:
        source = obj(source.get(key))
    return source


def first(source: JsonObject, *keys: str) -> JsonValue:
    """The first of these keys that is there and not null."""
    for key in keys:
        value = source.get(key)
        if value is not None:
            return value
    return None


def items(value: JsonValue) -> Sequence[JsonValue]:
    """The value when it is an array, else an empty one."""
    return value if is_array(value) else ()


def objects(value: JsonValue) -> list[JsonObject]:
    """The objects of an array, in order; everything else in it is left out."""
    return [item for item in items(value) if is_object(item)]


def count(value: JsonValue) -> int | None:
    """A count such as tokens: a whole number from 0 to 2**53, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value <= 2**53 and value == int(value) else None


def number(value: JsonValue) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def flag(value: JsonValue) -> bool | None:
    """True or false, or None when neither is said."""
    return value if isinstance(value, bool) else None


def as_text(value: JsonValue) -> str | None:
    """A tool's result as text: strings as they are, null as nothing, everything else as compact JSON."""
    if value is None or isinstance(value, str):
        return value
    try:
        return orjson.dumps(value).decode()
    except (TypeError, RecursionError) as error:  # deeper than parse_json lets through, or no JSON at all
        message = "a tool result cannot be written as JSON"
        raise ImportFormatError(message, "read it with parse_json first") from error


def shown(value: str) -> str:
    """Untrusted text inside one of our own sentences: short, printable ASCII."""
    clipped = ascii(value[:_SHOWN])
    return clipped if len(value) <= _SHOWN else f"{clipped[:-1]}…'"
