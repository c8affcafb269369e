"""What a grader of the user's own said, read from what it printed: bounded, strict, or a typed refusal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gatebot.errors import GatebotError, ImportFormatError
from gatebot.importers.strict_json import parse_json
from gatebot.model.json_value import JsonValue, is_object
from gatebot.model.trial import GraderResult
from gatebot.render.visible import visible

REASON_LIMIT: Final = 300
_MAX_DEPTH: Final = 8
_KEYS: Final = ("passed", "reason", "score")


class BrokenVerdictError(GatebotError):
    """A grader's output is no verdict: the grader is at fault."""


def last_line(output: bytes) -> str:
    """The last line that says something, as one visible line; empty when there is none."""
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return visible(lines[-1].strip(), REASON_LIMIT) if lines else ""


def read_verdict(output: bytes, threshold: float) -> GraderResult:
    """The verdict a Python grader's worker printed: `passed`, or a `score` in [0, 1] held against `threshold`.

    Where both are given, `passed` decides. Raises BrokenVerdictError.
    """
    try:
        said = parse_json(output.decode("utf-8", "replace"), max_bytes=len(output) * 3, max_depth=_MAX_DEPTH)
    except ImportFormatError as error:
        message = f"answered no JSON: {visible(error.message)}"
        raise BrokenVerdictError(message) from error
    if not is_object(said):
        message = "answered no object"
        raise BrokenVerdictError(message)
    unknown = sorted(key for key in said if key not in _KEYS)
    if unknown:
        message = f"answered with the unknown key {visible(unknown[0], 40)!a}; known are {', '.join(_KEYS)}"
        raise BrokenVerdictError(message)
    score, passed = _score(said), said.get("passed")
    if passed is None and score is not None:
        passed = score >= threshold
    if not isinstance(passed, bool):
        message = "answered neither passed (true or false) nor a score"
        raise BrokenVerdictError(message)
    return GraderResult("python", passed, score, _reason(said, score, threshold, passed=passed))


def _score(said: Mapping[str, JsonValue]) -> float | None:
    score = said.get("score")
    if score is None:
        return None
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        message = f"gave a score that is no number from 0 to 1: {visible(repr(score), 40)}"
        raise BrokenVerdictError(message)
    return float(score)


def _reason(said: Mapping[str, JsonValue], score: float | None, threshold: float, *, passed: bool) -> str:
    reason = said.get("reason")
    if reason is not None and not isinstance(reason, str):
        message = "gave a reason that is no text"
        raise BrokenVerdictError(message)
    if reason:
        return visible(reason, REASON_LIMIT)
    return f"score {score:g}, needs {threshold:g}" if score is not None and not passed else ""
