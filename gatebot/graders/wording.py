"""Pieces of agents' text in our sentences: one line, no control characters, bounded length."""

from __future__ import annotations

import json
from collections.abc import Iterable

from gatebot.model.json_value import JsonValue, is_array, is_object

VALUE_LIMIT = 80
CALL_LIMIT = 200
REASON_LIMIT = 600
_quoted = json.JSONEncoder(ensure_ascii=False).encode


def clip(text: str, limit: int = VALUE_LIMIT) -> str:
    """The text on one line of at most `limit` characters; what cannot be printed becomes a space."""
    if len(text) <= limit and text.isprintable() and "  " not in text and text == text.strip():
        return text
    head = text[: limit * 4]
    if not head.isprintable():
        head = "".join(char if char.isprintable() else " " for char in head)
    line = " ".join(head.split())
    if len(line) > limit or len(text) > len(head):
        return line[: limit - 1].rstrip() + "…"
    return line


def show_value(value: JsonValue, limit: int = VALUE_LIMIT) -> str:
    """The value as JSON on one line, cut to `limit` characters."""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, str):
        return clip(_quoted(value[: limit * 2]), limit)
    if is_object(value):
        parts = (f"{_quoted(key[:limit])}: {show_value(item, limit)}" for key, item in value.items())
        return clip("{" + _join(parts, limit) + "}", limit)
    if is_array(value):
        return clip("[" + _join((show_value(item, limit) for item in value), limit) + "]", limit)
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 1000:
        return "an integer of more than 300 digits"
    return json.dumps(value)


def show_call(name: str, arguments: JsonValue, malformed: str | None = None) -> str:
    """A call as `tool(key=value, …)`; `tool(…)` when its arguments are unknown or not compared."""
    shown = clip(name, 60).replace("`", "'")
    if malformed is not None:
        return f"{shown}(<malformed arguments: {clip(malformed).replace('`', chr(39))}>)"
    if not is_object(arguments):
        return f"{shown}(…)"
    parts = (f"{clip(key, 40)}={show_value(value)}" for key, value in arguments.items())
    text = clip(f"{shown}({_join(parts, CALL_LIMIT)})", CALL_LIMIT)
    return text.replace("`", "'")


def _join(parts: Iterable[str], limit: int) -> str:
    """The parts joined by commas, no further than `limit` characters: hostile values may have a million parts."""
    kept: list[str] = []
    length = 0
    for part in parts:
        kept.append(part)
        length += len(part) + 2
        if length > limit:
            break
    return ", ".join(kept)


def listed(names: Iterable[str], most: int = 5) -> str:
    """Names for a sentence, at most `most` of them: "a, b and 3 more"."""
    every = names if isinstance(names, list | tuple) else list(names)
    shown = ", ".join([clip(name, 60) for name in every[:most]])
    return shown if len(every) <= most else f"{shown} and {len(every) - most} more"
