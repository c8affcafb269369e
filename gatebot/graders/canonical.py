"""One key per JSON value: equal keys mean equal values, whatever the order of object keys.

JSON has one kind of number, so 1 and 1.0 are equal; 1, true and "1" are three different values.
"""

from __future__ import annotations

import json
import math

import orjson

from gatebot.model.json_value import JsonValue, is_array, is_object

_FLAT = frozenset({str, int, bool, type(None)})


def canonical(value: JsonValue) -> bytes:
    """The value's key: compact JSON with sorted keys and whole floats written as integers.

    Raises RecursionError on nesting beyond the interpreter's limit (importers bound depth far below it).
    """
    if type(value) is dict and _FLAT.issuperset(map(type, value.values())):
        try:
            return orjson.dumps(value, None, orjson.OPT_SORT_KEYS)
        except TypeError:
            return _encode(value)
    return _encode(_tidy(value))


def same(one: JsonValue, other: JsonValue) -> bool:
    """Whether two JSON values are equal with strict types: true is not 1, "1" is not 1, 1.0 is 1."""
    if type(one) is type(other) and type(one) in _FLAT:
        return one == other
    if type(one) is str or type(other) is str:
        return False
    return canonical(one) == canonical(other)


def _encode(tidy: JsonValue) -> bytes:
    try:
        return orjson.dumps(tidy, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        # Integers beyond 64 bit and lone surrogates: the standard encoder knows both.
        text = json.dumps(_tidy(tidy), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return text.encode("ascii")


def _tidy(value: JsonValue) -> JsonValue:
    if is_object(value):
        return {key: _tidy(item) for key, item in value.items()}
    if is_array(value):
        return [_tidy(item) for item in value]
    if type(value) is float:
        if value.is_integer():
            return int(value)
        if not math.isfinite(value):
            return {"\0not finite": repr(value)}
    if type(value) is int and value.bit_length() > 10_000:
        # Python refuses to write such integers in decimal.
        return {"\0integer": hex(value)}
    return value
