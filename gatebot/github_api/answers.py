"""From what GitHub answers to values and errors: a refusal becomes a sentence that says what to do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from gatebot.github_api.errors import PERMISSIONS, ApiError, Kind
from gatebot.github_api.retry import Answer, is_rate_limit
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object

_KINDS: dict[int, Kind] = {
    0: "unreachable",
    401: "unauthorized",
    403: "permission",
    404: "not_found",
    409: "conflict",
    410: "not_found",
    422: "invalid",
    423: "locked",
    451: "permission",
}


def lower(headers: Mapping[str, str | int] | None) -> dict[str, str]:
    """Headers by their lower-case names."""
    return {name.lower(): str(value) for name, value in (headers or {}).items()}


def message_of(data: object) -> str:
    """GitHub's own sentence, bounded; never the whole body."""
    if isinstance(data, dict):
        found = cast("dict[str, object]", data).get("message")
        return found[:300] if isinstance(found, str) else ""
    return ""


def message_in(output: str) -> str:
    """GitHub's own sentence in the body of a refusal; "" for one that is no JSON."""
    try:
        return message_of(json.loads(output))
    except (ValueError, RecursionError):
        return ""


def an_object(value: JsonValue) -> JsonObject:
    """The value as an object. Raises ApiError for anything else."""
    if not is_object(value):
        raise ApiError("malformed", "GitHub answered something else than an object")
    return value


def graphql_data(answer: JsonValue, purpose: str) -> JsonObject:
    """The data of a GraphQL answer. An answer with errors is no success, whatever data stand beside them."""
    whole = an_object(answer)
    errors = whole.get("errors")
    if errors is not None:
        first = errors[0] if is_array(errors) and errors else None
        kind = first.get("type") if is_object(first) else None
        told = first.get("message") if is_object(first) else None
        sentence = told[:300] if isinstance(told, str) else "an error without a message"
        if kind == "STALE_DATA" or "Expected branch to point to" in sentence:
            raise ApiError("conflict", f"the branch has moved: {sentence}")
        if kind in ("FORBIDDEN", "INSUFFICIENT_SCOPES"):
            raise refused(Answer(403, {}, sentence), purpose)
        raise ApiError("not_found" if kind == "NOT_FOUND" else "invalid", f"GitHub refused: {sentence}")
    return an_object(whole.get("data"))


def refused(answer: Answer, purpose: str) -> ApiError:
    """The error for a refusal, in a sentence that says what to do."""
    told = f": {answer.message}" if answer.message else ""
    if answer.status == 0:
        return ApiError("unreachable", "GitHub cannot be reached, or its answer was cut off")
    if is_rate_limit(answer):
        return ApiError("rate_limited", f"GitHub's rate limit is used up{told}", "run the job again later")
    if answer.status >= 500:
        return ApiError("server", f"GitHub answered {answer.status}", "run the job again later")
    if answer.status == 403:
        needed = PERMISSIONS.get(purpose, "")
        hint = f"the workflow needs `permissions: {needed}`" if needed else ""
        kind: Kind = "locked" if "locked" in answer.message.lower() else "permission"
        return ApiError(kind, f"GitHub refuses this token (403){told}", hint)
    if answer.status == 401:
        hint = "it may have ended: an App's token lives for an hour; with app-id and app-private-key new ones are made"
        return ApiError("unauthorized", "GitHub does not know this token (401)", hint)
    kind = _KINDS.get(answer.status, "malformed")
    return ApiError(kind, f"GitHub answered {answer.status}{told}")
