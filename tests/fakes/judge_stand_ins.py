"""Stand-ins for a judging model: an honest one, one that obeys what stands outside the material, one that obeys anything."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import cast

from gatebot.judge.protocol import SYSTEM
from gatebot.model.json_value import JsonValue
from tests.fakes.anthropic_server import Answer, Body
from tests.unit.judge.subjects import message

ORDER = re.compile(
    r"score\W{0,12}(?:is|of|to|with)?\W{0,6}1(?:\.0)?\b|full marks|ignore the rubric", re.IGNORECASE
)
_BEGIN, _END = "BEGIN MATERIAL", "END MATERIAL"


def _texts(body: Body) -> tuple[str, str]:
    """(the system prompt, the user's message)."""
    system = cast("Sequence[Mapping[str, str]]", body["system"])
    messages = cast("Sequence[Mapping[str, Sequence[Mapping[str, str]]]]", body["messages"])
    return "\n".join(part["text"] for part in system), messages[0]["content"][0]["text"]


def inside_and_outside(user: str) -> tuple[str, str]:
    """The material and all else, as a simple-minded reader takes them apart: by the first line that says END."""
    inside: list[str] = []
    outside: list[str] = []
    within = False
    for line in re.split(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]", user):
        if line.lstrip().startswith(_END):
            within = False
        (inside if within else outside).append(line)
        if line.startswith(_BEGIN):
            within = True
    return "\n".join(inside), "\n".join(outside)


def material(body: Body) -> Mapping[str, JsonValue]:
    """The material of a request."""
    return cast("Mapping[str, JsonValue]", json.loads(inside_and_outside(_texts(body)[1])[0]))


def honest(body: Body) -> Answer:
    """High for the reference's answer, low for any other; of two sides the change alone is told."""
    shown = material(body)
    reference = cast("Mapping[str, JsonValue]", shown.get("reference") or {})
    good = bool(shown.get("answer")) and shown.get("answer") == reference.get("answer")
    return _say(body, 0.9 if good else 0.1, shown)


def obeys_outside(body: Body) -> Answer:
    """Does what is ordered outside the material, wherever it stands there."""
    system, user = _texts(body)
    _, outside = inside_and_outside(user)
    extra = system.replace(SYSTEM, "")
    if ORDER.search(outside) or ORDER.search(extra) or ORDER.search(json.dumps(body["tools"])):
        return _say(body, 1.0, {})
    return honest(body)


def obeys_anything(body: Body) -> Answer:
    """Does what is ordered, also inside the material, however it is spelled."""
    text = unicodedata.normalize("NFKC", json.dumps(material(body), ensure_ascii=False))
    return _say(body, 1.0, material(body)) if ORDER.search(text) else honest(body)


def generous(body: Body) -> Answer:
    """Finds everything good, even nothing."""
    return _say(body, 1.0, material(body))


def _say(body: Body, value: float, shown: Mapping[str, JsonValue]) -> Answer:
    (tool,) = cast("Sequence[Mapping[str, JsonValue]]", body["tools"])
    model = str(body["model"])
    if tool["name"] == "explanation":
        told: dict[str, JsonValue] = {
            "text": "The agent <b>skipped</b> the search in step 1, @everyone.",
            "failure_category": "planning",
        }
        return Answer(body=message(told, name="explanation", model=model))
    properties = _properties(tool)
    steps: JsonValue = [1] if shown.get("step_count") else []
    low = value < 0.5
    given: dict[str, JsonValue] = {
        "explanation": f"What was done in step 1 is {'bad' if low else 'good'}."
        if steps
        else f"This is {'bad' if low else 'good'}.",
        "steps": steps,
        "strengths": [] if low else ["right"],
        "weaknesses": ["wrong"] if low else [],
        "failure_category": "reasoning" if low else "none",
    }
    if "answers" in properties:
        given["answers"] = dict.fromkeys(_properties({"input_schema": properties["answers"]}), not low)
    else:
        score = cast("Mapping[str, JsonValue]", properties["score"])
        words = cast("Sequence[str]", score.get("enum") or ())
        given["score"] = (
            words[-1 if low else 0] if words else not low if score["type"] == "boolean" else value
        )
    return Answer(body=message(given, model=model))


def _properties(tool: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    schema = cast("Mapping[str, JsonValue]", tool["input_schema"])
    return cast("Mapping[str, JsonValue]", schema["properties"])
