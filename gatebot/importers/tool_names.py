"""The name of a called tool: the one field without which a call says nothing."""

from __future__ import annotations

from gatebot.errors import ImportFormatError
from gatebot.importers.fields import text
from gatebot.model.json_value import JsonObject


def tool_name(source: JsonObject, *keys: str) -> str:
    """The first of these keys (default: `name`) that holds text. Raises ImportFormatError when none does."""
    name = text(source, *(keys or ("name",)))
    if name is None:
        raise ImportFormatError("a tool call without a name", "every call names the tool it calls")
    return name
