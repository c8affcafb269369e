"""Every way an answer can be wrong ends in a fault with words of ours; a good one is read as it is."""

from __future__ import annotations

import orjson
import pytest

from gatebot.judge.answer import read_reply
from gatebot.judge.rubric import Rubric, builtin_rubric
from gatebot.model.json_value import JsonValue
from tests.unit.judge.subjects import given, message, raw

TRAJECTORY = builtin_rubric("trajectory")
ANSWER = builtin_rubric("final_response")
TONE = Rubric("tone", "judge:tone", "Is it polite?", scale="boolean", looks_at="answer")
GRADES = Rubric(
    "g", "judge:g", "How good is it?", scale="choices", choices={"good": 1, "fair": 0.5, "bad": 0}
)
SIX = builtin_rubric("questions")
YES = dict.fromkeys(SIX.questions, True)


def without(key: str) -> dict[str, JsonValue]:
    return {name: value for name, value in given().items() if name != key}


def six(answers: JsonValue) -> dict[str, JsonValue]:
    return {**without("score"), "answers": answers}


@pytest.mark.parametrize(
    ("rubric", "tool_input", "value"),
    [
        (TRAJECTORY, given(0.8), 0.8),
        (TRAJECTORY, given(0), 0.0),
        (TRAJECTORY, given(1, explanation="Step 1: I score this 1.0 of 1."), 1.0),
        (TONE, given(True), 1.0),
        (TONE, given(False), 0.0),
        (GRADES, given("fair"), 0.5),
        (SIX, six({**YES, "tools_apt": False, "results_read": False, "answer_complete": False}), 0.5),
    ],
)
def test_a_good_answer_is_read(rubric: Rubric, tool_input: dict[str, JsonValue], value: float) -> None:
    reply = read_reply(raw(tool_input), rubric, 1)
    assert reply.fault == ""
    assert reply.stated is not None
    assert reply.stated.value == value
    assert (reply.model, reply.spent.input, reply.spent.output) == ("claude-sonnet-4-6", 1000, 100)


@pytest.mark.parametrize("score", [2.0, -1, "1.0", True, None, [1], {"score": 1}, 1.0001, -0.0001], ids=repr)
def test_no_score_is_made_up_of_what_is_none(score: JsonValue) -> None:
    reply = read_reply(raw(given(score)), TRAJECTORY, 1)
    assert reply.stated is None
    assert reply.fault.startswith("score must")


@pytest.mark.parametrize(
    ("rubric", "tool_input", "fault"),
    [
        (TRAJECTORY, without("score"), "score is missing"),
        (TRAJECTORY, without("explanation"), "explanation is missing"),
        (TRAJECTORY, given(bonus=1), "keys nobody asked for"),
        (TRAJECTORY, given(explanation="  "), "explanation is empty"),
        (TRAJECTORY, given(explanation="…"), "explanation is empty"),
        (TRAJECTORY, given(explanation=3), "explanation is empty"),
        (TRAJECTORY, given(explanation="Step 9 was apt."), "step that does not exist"),
        (TRAJECTORY, given(steps=[0]), "step that does not exist"),
        (TRAJECTORY, given(steps=[2]), "step that does not exist"),
        (TRAJECTORY, given(steps=[True]), "list of step numbers"),
        (TRAJECTORY, given(steps="1"), "list of step numbers"),
        (TRAJECTORY, given(steps=[], explanation="All was apt."), "neither steps nor explanation"),
        (TRAJECTORY, given(failure_category="sabotage"), "none of the words"),
        (TRAJECTORY, given(strengths="many"), "strengths must be a list"),
        (TRAJECTORY, given(weaknesses=[1]), "weaknesses must be a list"),
        (TRAJECTORY, given(0.9, explanation="Step 1 is bad. Score: 0.1"), "states another score"),
        (TRAJECTORY, given(0.95, failure_category="reasoning"), "failure is named beside a high score"),
        (TRAJECTORY, given(1, strengths=[], weaknesses=["bad"]), "only weaknesses"),
        (TRAJECTORY, given(0, strengths=["good"], weaknesses=[]), "only strengths"),
        (TONE, given(1), "true or false"),
        (TONE, given("true"), "true or false"),
        (GRADES, given("superb"), "none of the words"),
        (GRADES, given(1), "none of the words"),
        (SIX, six({**YES, "tools_apt": "yes"}), "true or false"),
        (SIX, six({"tools_apt": True}), "exactly the questions"),
        (SIX, six(1.0), "exactly the questions"),
        (SIX, given(1.0), "answers is missing"),
    ],
)
def test_a_bad_form_is_a_fault(rubric: Rubric, tool_input: dict[str, JsonValue], fault: str) -> None:
    reply = read_reply(raw(tool_input), rubric, 1)
    assert reply.stated is None
    assert fault in reply.fault


TEXT: JsonValue = [{"type": "text", "text": '```json\n{"score": 1.0}\n```'}]
TWICE: JsonValue = [
    {"type": "tool_use", "id": str(n), "name": "judgement", "input": given()} for n in range(2)
]


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (message(given(), stop="refusal"), "refused"),
        (message(given(), stop="max_tokens"), "cut off"),
        (message(given(), stop="pause_turn"), "paused"),
        (message(given(), stop="model_context_window_exceeded"), "does not fit"),
        (message(None, content=[], stop="end_turn"), "is empty"),
        (message(None, content=TEXT, stop="end_turn"), "does not call the tool"),
        (message(None, content=TWICE), "calls the tool 2 times"),
        (message(given(), name="other"), "another tool"),
        (message(None), "input is not an object"),
        ({"type": "error", "error": {"type": "api_error", "message": "x"}}, "is not a message"),
    ],
)
def test_an_answer_that_is_no_judgement_is_a_fault(answer: dict[str, JsonValue], fault: str) -> None:
    reply = read_reply(orjson.dumps(answer), TRAJECTORY, 1)
    assert reply.stated is None
    assert fault in reply.fault
    assert reply.cut == ("cut off" in fault)


GOOD = orjson.dumps(message(given()))


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"<html>busy</html>",
        GOOD[:-20],
        GOOD.replace(b'"score":0.8', b'"score":NaN'),
        GOOD.replace(b'"score":0.8', b'"score":1,"score":0.8'),
        GOOD + GOOD,
        b"[" * 5000 + b"]" * 5000,
        b"\xff\xfe{}",
        b'"' + b"x" * 2_000_000 + b'"',
    ],
    ids=["empty", "html", "torn", "nan", "duplicate", "two", "deep", "utf16", "huge"],
)
def test_what_is_not_one_strict_json_message_is_a_fault(answer: bytes) -> None:
    reply = read_reply(answer, TRAJECTORY, 1)
    assert reply.stated is None
    assert reply.fault == "it is not JSON"


def test_steps_of_an_answer_rubric_are_not_asked_for() -> None:
    reply = read_reply(raw(given(steps=[], explanation="Right in every fact.")), ANSWER, 0)
    assert reply.fault == ""


def test_texts_are_bounded() -> None:
    long = given(explanation="Step 1. " + "x" * 10_000, strengths=["y" * 1000] * 50)
    stated = read_reply(raw(long), TRAJECTORY, 1).stated
    assert stated is not None
    assert len(stated.explanation) == 2000
    assert [len(point) for point in stated.strengths] == [300] * 6
