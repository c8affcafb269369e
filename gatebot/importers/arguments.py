"""Arguments of a tool call, as an object: from an object, from JSON text, or the reason why there are none."""

from __future__ import annotations

from typing import NamedTuple

from gatebot.errors import ImportFormatError
from gatebot.importers.fields import as_text
from gatebot.importers.strict_json import parse_json
from gatebot.model.json_value import JsonValue, is_object


class Arguments(NamedTuple):
    """`values` None without `error` means unknown; `error` says why `raw` is no JSON object."""

    values: dict[str, JsonValue] | None = None
    raw: str | None = None
    error: str | None = None


def read_arguments(written: JsonValue) -> Arguments:
    """Arguments as a source wrote them: an object, JSON text of an object, or null for unknown.

    Nothing is repaired: an empty text or `{}""` is what the model wrote, and no object.
    """
    if written is None:
        return Arguments()
    if is_object(written):
        return Arguments(dict(written))
    if not isinstance(written, str):
        return Arguments(raw=as_text(written), error="malformed: not a JSON object")
    if not written.strip():
        return Arguments(raw=written, error="malformed: empty text, not a JSON object")
    try:
        value = parse_json(written)
    except ImportFormatError as error:
        return Arguments(raw=written, error=f"malformed: {error.message}")
    if not is_object(value):
        return Arguments(raw=written, error="malformed: not a JSON object")
    return Arguments(dict(value), raw=written)
