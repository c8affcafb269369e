"""Lists that exporters flattened into numbered keys: `llm.output_messages.0.message.role`."""

from __future__ import annotations

from gatebot.importers.fields import obj
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object

_MAX_PARTS = 24
_MAX_INDEX_DIGITS = 6


def numbered(source: JsonObject, prefix: str) -> list[JsonObject]:
    """The elements below `prefix`, in order of their numbers; the keys of each are what follows its number.

    Also takes the same list where it was left nested: under the whole prefix, or under its parts one by one.
    """
    nested = _nested(source, prefix)
    if is_array(nested):
        return [obj(item) for item in nested]
    elements: dict[int, dict[str, JsonValue]] = {}
    start = prefix + "."
    for key, value in source.items():
        if key.startswith(start):
            number, _, rest = key[len(start) :].partition(".")
            if number.isascii() and number.isdigit() and len(number) <= _MAX_INDEX_DIGITS:
                elements.setdefault(int(number), {})[rest] = value
    return [elements[number] for number in sorted(elements)]


def under(source: JsonObject, key: str) -> JsonObject:
    """What lies below `key`, whether nested or as keys that start with it."""
    nested = _nested(source, key)
    if is_object(nested):
        return nested
    start = key + "."
    return {name[len(start) :]: value for name, value in source.items() if name.startswith(start)}


def value_of(source: JsonObject, key: str) -> JsonValue:
    """The value of a dotted key, whether it is one key or a path."""
    return source[key] if key in source else _nested(source, key)


def _nested(source: JsonObject, key: str) -> JsonValue:
    if key in source:
        return source[key]
    parts = key.split(".")[:_MAX_PARTS]
    value: JsonValue = source
    for part in parts:
        if not is_object(value) or part not in value:
            return None
        value = value[part]
    return value
