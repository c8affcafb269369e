"""The two hidden lines at the head of our comment: the marker that finds it, and a compact state.

The state answers "is this newer than mine?" and is never trusted to authorise anything: anybody who can edit the
comment can edit it.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass

from gatebot.model.json_value import JsonValue, is_object

MARKER_VERSION = "v1"
_FIELD_LIMIT = 100
_STATE = re.compile(r"^<!-- gatebot:state ([A-Za-z0-9+/=]{1,2000}) -->$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CommentState:
    """What a later run needs to know of an earlier comment. `attempt` 0 and empty strings mean unknown."""

    head_sha: str = ""
    base_sha: str = ""
    conclusion: str = ""
    result_digest: str = ""
    run_id: str = ""
    attempt: int = 0


def marker(suite: str) -> str:
    """The first line of the suite's comment. Characters that are no part of a suite's name become `_`."""
    slug = re.sub(r"[^A-Za-z0-9._-]", "_", suite)[:_FIELD_LIMIT] or "_"
    return f"<!-- gatebot:{MARKER_VERSION} suite={slug} -->"


def encode_state(state: CommentState) -> str:
    """The state as a hidden line of at most 2 KB; the alphabet of base64 cannot end the HTML comment."""
    fields = {
        "attempt": state.attempt,
        "base_sha": _plain(state.base_sha),
        "conclusion": _plain(state.conclusion),
        "head_sha": _plain(state.head_sha),
        "result_digest": _plain(state.result_digest),
        "run_id": _plain(state.run_id),
    }
    packed = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode("ascii")
    return f"<!-- gatebot:state {base64.b64encode(packed).decode('ascii')} -->"


def _plain(word: str) -> str:
    """Bounded, and without what JSON would have to spell out: so the whole line stays far below its limit."""
    return re.sub(r"[^A-Za-z0-9._:/-]", "_", word[:_FIELD_LIMIT])


def decode_state(body: str) -> CommentState | None:
    """The state in a comment's text, or None when there is none that can be read. Never raises."""
    found = _STATE.search(body[:8192])
    if found is None:
        return None
    try:
        fields: JsonValue = json.loads(base64.b64decode(found.group(1), validate=True))
    except (binascii.Error, ValueError, RecursionError):
        return None
    if not is_object(fields):
        return None
    attempt = fields.get("attempt")
    return CommentState(
        head_sha=_word(fields.get("head_sha")),
        base_sha=_word(fields.get("base_sha")),
        conclusion=_word(fields.get("conclusion")),
        result_digest=_word(fields.get("result_digest")),
        run_id=_word(fields.get("run_id")),
        attempt=attempt if isinstance(attempt, int) and not isinstance(attempt, bool) else 0,
    )


def _word(value: JsonValue) -> str:
    return value[:_FIELD_LIMIT] if isinstance(value, str) else ""
