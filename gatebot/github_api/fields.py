"""Reading GitHub's JSON: a field is there and of its kind, or the answer is malformed. Texts are bounded."""

from __future__ import annotations

import re

from gatebot.github_api.errors import ApiError
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object

MAX_TEXT = 1_000_000
SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def malformed(what: str) -> ApiError:
    """The error for an answer or a payload that lacks what it must have."""
    return ApiError("malformed", f"what GitHub sent has no usable {what}", "run the job again")


def text(value: JsonObject, key: str, limit: int = MAX_TEXT) -> str:
    """A text. Raises ApiError when it is absent, of another kind or longer than `limit`."""
    found = value.get(key)
    if not isinstance(found, str) or len(found) > limit:
        raise malformed(key)
    return found


def text_or_empty(value: JsonObject, key: str, limit: int = MAX_TEXT) -> str:
    """A text, or "" when it is null or absent. Raises ApiError when it is of another kind or too long."""
    return "" if value.get(key) is None else text(value, key, limit)


def number(value: JsonObject, key: str) -> int:
    """A whole number that is not negative. Raises ApiError."""
    found = value.get(key)
    if not isinstance(found, int) or isinstance(found, bool) or found < 0:
        raise malformed(key)
    return found


def flag(value: JsonObject, key: str) -> bool:
    """A truth value; absent counts as false."""
    return value.get(key) is True


def part(value: JsonValue, key: str) -> JsonObject:
    """An object below `key`. Raises ApiError."""
    found = value.get(key) if is_object(value) else None
    if not is_object(found):
        raise malformed(key)
    return found


def part_or_empty(value: JsonObject, key: str) -> JsonObject:
    """An object below `key`, or an empty one."""
    found = value.get(key)
    return found if is_object(found) else {}


def parts(value: JsonObject, key: str) -> tuple[JsonObject, ...]:
    """The objects of a list below `key`; empty when there is no list."""
    found = value.get(key)
    return tuple(item for item in found if is_object(item)) if is_array(found) else ()


def sha(value: JsonObject, key: str) -> str:
    """A commit's id in hex. Raises ApiError."""
    found = text(value, key, 64)
    if not SHA.fullmatch(found):
        raise malformed(key)
    return found
