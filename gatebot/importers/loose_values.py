"""Values that exporters wrote as text: JSON inside a string, or the repr of a Python value."""

from __future__ import annotations

import ast
import json

import orjson

from gatebot.errors import ImportFormatError
from gatebot.importers.arguments import Arguments, read_arguments
from gatebot.importers.strict_json import parse_json
from gatebot.model.json_value import JsonValue, is_object

_MAX_LITERAL = 100_000
_MAX_BRACKETS = 2_000
_OPENING = ("{", "[", '"')


def from_text(value: JsonValue) -> JsonValue:
    """The value that JSON text holds; text that is no JSON, and everything else, as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(_OPENING):
        return value
    try:
        return parse_json(value)
    except ImportFormatError:
        return value


def loose_arguments(written: JsonValue) -> Arguments:
    """Arguments as tracers write them: an object, JSON text, or Python's repr of a dict; other text stays unknown.

    A tracer, not the model, wrote this text: that it is no JSON object says nothing of the model's call.
    """
    if not isinstance(written, str):
        return read_arguments(written) if is_object(written) or written is None else Arguments()
    value = from_text(written)
    if isinstance(value, str):
        value = _literal(value)
    return Arguments(dict(value), raw=written) if is_object(value) else Arguments(raw=written)


def _literal(written: str) -> JsonValue:
    """The value of a Python literal that JSON has too, or None."""
    stripped = written.strip()
    brackets = sum(map(stripped.count, "[({"))
    if not stripped.startswith("{") or len(stripped) > _MAX_LITERAL or brackets > _MAX_BRACKETS:
        return None
    try:
        value: object = ast.literal_eval(stripped)
        json.dumps(value, allow_nan=False)  # orjson would write infinity as null, which is another value
        return parse_json(orjson.dumps(value))
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError, ImportFormatError):
        return None
