"""A model's answer read strictly: a whole judgement in the form asked for, or the fault that makes it unusable."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gatebot.errors import ImportFormatError
from gatebot.importers.strict_json import parse_json
from gatebot.judge.rubric import CATEGORIES, MAX_EXPLANATION, MAX_POINTS, TOOL_NAME, Rubric
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from gatebot.model.judgement import JudgeFailureCategory

MAX_ANSWER_BYTES = 1_000_000
_STEP = re.compile(r"\bsteps?\s*#?(\d{1,6})\b", re.IGNORECASE)
_SCORE = re.compile(
    r"\b(?:score[sd]?|rat(?:e|ed|ing)|judgement|verdict)\b[^0-9.\n]{0,16}([01](?:\.\d{1,4})?)(?![\d.]*\d)",
    re.IGNORECASE,
)
_HIGH, _LOW = 0.9, 0.1
_TOLERANCE = 0.25


@dataclass(frozen=True, slots=True)
class Stated:
    """A usable answer. `value` in [0, 1]; texts are the model's and bounded."""

    value: float
    explanation: str
    steps: tuple[int, ...]
    strengths: tuple[str, ...]
    weaknesses: tuple[str, ...]
    failure_category: JudgeFailureCategory


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens of one answer, as its `usage` says; `written`/`read`: tokens put into and taken from the prompt cache."""

    input: int = 0
    output: int = 0
    written: int = 0
    read: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer taken apart: what it cost is known even when it cannot be used. `fault` in our words, or empty."""

    stated: Stated | None
    fault: str
    model: str
    spent: Spent
    cut: bool = False


class _Unusable(Exception):  # noqa: N818 - it never leaves this module
    def __init__(self, fault: str, *, cut: bool = False) -> None:
        self.fault = fault
        self.cut = cut
        super().__init__(fault)


def read_form(raw: bytes, tool: str) -> tuple[JsonObject | None, Spent]:
    """The input of the one call of `tool` in an answer (None where there is none that is whole), and what it cost."""
    spent = Spent()
    try:
        message = _message(raw)
        spent = _spent(message.get("usage"))
        return _tool_input(message, tool), spent
    except _Unusable:
        return None, spent


def read_reply(raw: bytes, rubric: Rubric, steps: int) -> Reply:
    """Take a Messages API answer apart. `steps`: how many steps the material numbers. Never raises."""
    model, spent = "", Spent()
    try:
        message = _message(raw)
        model = _text(message.get("model"))[:100]
        spent = _spent(message.get("usage"))
        stated = _judged(_tool_input(message), rubric, steps)
    except _Unusable as unusable:
        return Reply(None, unusable.fault, model, spent, unusable.cut)
    return Reply(stated, "", model, spent)


def _message(raw: bytes) -> JsonObject:
    try:
        value = parse_json(raw, max_bytes=MAX_ANSWER_BYTES, max_depth=24)
    except ImportFormatError as error:
        raise _Unusable("it is not JSON") from error
    if not is_object(value) or value.get("type") != "message":
        raise _Unusable("it is not a message")
    return value


_STOPS = {
    "refusal": "the model refused",
    "pause_turn": "the model paused",
    "model_context_window_exceeded": "the material does not fit the model's context",
}


def _tool_input(message: JsonObject, tool: str = TOOL_NAME) -> JsonObject:
    stop = message.get("stop_reason")
    if stop == "max_tokens":
        raise _Unusable("it was cut off by max_tokens", cut=True)
    if stop in _STOPS:
        raise _Unusable(_STOPS[str(stop)])
    content = message.get("content")
    if not is_array(content) or not content:
        raise _Unusable("it is empty")
    blocks = [block for block in content if is_object(block)]
    calls = [block for block in blocks if block.get("type") == "tool_use"]
    if not calls:
        raise _Unusable(f"it does not call the tool {tool}")
    if len(calls) > 1:
        raise _Unusable(f"it calls the tool {len(calls)} times")
    if calls[0].get("name") != tool:
        raise _Unusable("it calls another tool")
    given = calls[0].get("input")
    if not is_object(given):
        raise _Unusable("the tool's input is not an object")
    return given


def _judged(given: JsonObject, rubric: Rubric, steps: int) -> Stated:
    wanted = {"explanation", "steps", "strengths", "weaknesses", "failure_category"}
    wanted.add("answers" if rubric.scale == "questions" else "score")
    missing, extra = sorted(wanted - set(given)), set(given) - wanted
    if missing:
        raise _Unusable(f"{missing[0]} is missing")
    if extra:
        raise _Unusable("it has keys nobody asked for")
    category = given["failure_category"]
    if category not in CATEGORIES:
        raise _Unusable("failure_category is none of the words to choose from")
    stated = Stated(
        value=_value(given, rubric),
        explanation=_explanation(given["explanation"]),
        steps=_steps(given["steps"], steps),
        strengths=_points(given["strengths"], "strengths"),
        weaknesses=_points(given["weaknesses"], "weaknesses"),
        failure_category=category,
    )
    _check_steps(stated, rubric, steps)
    _check_agreement(stated, rubric)
    return stated


def _value(given: JsonObject, rubric: Rubric) -> float:
    if rubric.scale == "questions":
        answers = given["answers"]
        if not is_object(answers) or set(answers) != set(rubric.questions):
            raise _Unusable("answers must hold exactly the questions asked")
        if any(not isinstance(answer, bool) for answer in answers.values()):
            raise _Unusable("each question is answered by true or false")
        return sum(answer is True for answer in answers.values()) / len(answers)
    score = given["score"]
    if rubric.scale == "choices":
        if not isinstance(score, str) or score not in rubric.choices:
            raise _Unusable("score is none of the words to choose from")
        return rubric.choices[score]
    if rubric.scale == "boolean":
        if not isinstance(score, bool):
            raise _Unusable("score must be true or false")
        return float(score)
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise _Unusable("score must be a number")
    if not 0 <= score <= 1:
        raise _Unusable("score must lie between 0 and 1")
    return float(score)


def _explanation(given: JsonValue) -> str:
    if not isinstance(given, str) or not any(char.isalpha() for char in given):
        raise _Unusable("the explanation is empty")
    return given.strip()[:MAX_EXPLANATION]


def _steps(given: JsonValue, steps: int) -> tuple[int, ...]:
    if not is_array(given):
        raise _Unusable("steps must be a list of step numbers")
    numbers: list[int] = []
    for number in given[:1000]:
        if isinstance(number, bool) or not isinstance(number, int):
            raise _Unusable("steps must be a list of step numbers")
        if not 1 <= number <= steps:
            raise _Unusable("it names a step that does not exist")
        numbers.append(number)
    return tuple(sorted(set(numbers)))


def _points(given: JsonValue, name: str) -> tuple[str, ...]:
    if not is_array(given):
        raise _Unusable(f"{name} must be a list of texts")
    points: list[str] = []
    for point in given:
        if not isinstance(point, str):
            raise _Unusable(f"{name} must be a list of texts")
        if point.strip():
            points.append(point.strip()[:300])
    return tuple(points[:MAX_POINTS])


def _check_steps(stated: Stated, rubric: Rubric, steps: int) -> None:
    """Where there are steps, a judgement of the trajectory rests on some, and none that is named is made up."""
    named = {int(found) for found in _STEP.findall(stated.explanation)}
    if rubric.looks_at != "trajectory":
        return
    if any(not 1 <= number <= steps for number in named):
        raise _Unusable("the explanation names a step that does not exist")
    if steps and not named and not stated.steps:
        raise _Unusable("neither steps nor explanation name a step")


def _check_agreement(stated: Stated, rubric: Rubric) -> None:
    """An explanation that says the opposite of the score: none of the two can be believed."""
    if rubric.scale == "unit":
        numbers = [float(found) for found in _SCORE.findall(stated.explanation)]
        if numbers and all(abs(number - stated.value) > _TOLERANCE for number in numbers):
            raise _Unusable("the explanation states another score")
    if stated.value >= _HIGH and stated.failure_category != "none":
        raise _Unusable("a failure is named beside a high score")
    if stated.value >= _HIGH and stated.weaknesses and not stated.strengths:
        raise _Unusable("only weaknesses are named beside a high score")
    if stated.value <= _LOW and stated.strengths and not stated.weaknesses:
        raise _Unusable("only strengths are named beside a low score")


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""


def _spent(usage: JsonValue) -> Spent:
    if not is_object(usage):
        return Spent()

    def number(name: str) -> int:
        found = usage.get(name)
        if isinstance(found, bool) or not isinstance(found, int):
            return 0
        return found if 0 <= found < 10**9 else 0

    return Spent(
        input=number("input_tokens"),
        output=number("output_tokens"),
        written=number("cache_creation_input_tokens"),
        read=number("cache_read_input_tokens"),
    )
