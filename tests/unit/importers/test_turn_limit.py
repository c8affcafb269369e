"""A stop by a limit of turns is kept where a format tells of one, and nothing else is taken for it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gatebot.importers.detect import load, load_text
from gatebot.importers.turn_limit import tells_turn_limit
from gatebot.model.json_value import JsonValue
from tests.unit.graders.trials import case, grade, trial

FIXTURES = Path(__file__).parent / "fixtures"
HELLO: list[JsonValue] = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "On it."}]


def mini(status: str, made: int, **agent: JsonValue) -> JsonValue:
    info: JsonValue = {
        "exit_status": status,
        "model_stats": {"api_calls": made},
        "config": {"agent": agent},
    }
    return {"trajectory_format": "mini-swe-agent-1", "messages": HELLO, "info": info}


def tau2(reason: str) -> JsonValue:
    return {"task_id": "1", "termination_reason": reason, "messages": HELLO}


def inspect(kind: str, limit: int) -> JsonValue:
    return {"id": 1, "epoch": 1, "messages": HELLO, "limit": {"type": kind, "limit": limit}}


def claude(subtype: str) -> JsonValue:
    said: JsonValue = {"role": "assistant", "content": [{"type": "text", "text": "On it."}]}
    return [
        {"type": "assistant", "uuid": "1", "sessionId": "s", "message": said},
        {"type": "result", "subtype": subtype, "is_error": True},
    ]


def smol(kind: str) -> JsonValue:
    step: JsonValue = {
        "step_number": 1,
        "timing": {"start_time": 1.0, "end_time": 2.0},
        "tool_calls": [],
        "model_output": "On it.",
        "error": {"type": kind, "message": "Reached max steps."},
    }
    return [{"task": "Hi"}, step]


def autogen(reason: str) -> JsonValue:
    said: list[JsonValue] = [{"type": "TextMessage", "source": "helper", "content": "On it."}]
    return {"messages": said, "stop_reason": reason}


def langsmith(error: str) -> JsonValue:
    return {
        "id": "1",
        "run_type": "chain",
        "trace_id": "1",
        "error": error,
        "outputs": {"messages": HELLO},
    }


def langfuse(message: str) -> JsonValue:
    root: JsonValue = {"id": "1", "traceId": "t", "type": "SPAN", "level": "ERROR", "statusMessage": message}
    return {"trace": {"output": {"messages": HELLO}}, "observations": [root]}


def agents(kind: str, message: str) -> JsonValue:
    data: JsonValue = {"type": kind, "name": "helper", "input": "{}"}
    return [{"object": "trace.span", "id": "1", "span_data": data, "error": {"message": message}}]


def langgraph(last: str) -> JsonValue:
    return [{"type": "human", "content": "Hi"}, {"type": "ai", "content": last, "tool_calls": []}]


def spans(kind: str, attributes: dict[str, JsonValue]) -> JsonValue:
    event: JsonValue = {"name": "exception", "attributes": {"exception.type": kind}}
    return [{"name": "run", "attributes": attributes, "events": [event], "status": {"status_code": "ERROR"}}]


AGENT: dict[str, JsonValue] = {"gen_ai.operation.name": "invoke_agent"}
TOOL: dict[str, JsonValue] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t"}
CHAIN: dict[str, JsonValue] = {"openinference.span.kind": "CHAIN"}
TOOL_SPAN: dict[str, JsonValue] = {"openinference.span.kind": "TOOL", "tool.name": "t"}
NO_STEPS = "Sorry, need more steps to process this request."
RECURSION = "GraphRecursionError('Recursion limit of 25 reached')"


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (mini("LimitsExceeded", 30, step_limit=30), "LimitsExceeded: step limit of 30"),
        (mini("LimitsExceeded", 12, step_limit=30), ""),  # the limit of money
        (mini("LimitsExceeded", 12), ""),
        (mini("Submitted", 30, step_limit=30), ""),
        (tau2("max_steps"), "max_steps"),
        (tau2("user_stop"), ""),
        (inspect("message", 20), "message limit of 20"),
        (inspect("turn", 20), "turn limit of 20"),
        (inspect("token", 20), ""),
        (claude("error_max_turns"), "error_max_turns"),
        (claude("error_during_execution"), ""),
        (smol("AgentMaxStepsError"), "AgentMaxStepsError: Reached max steps."),
        (smol("AgentToolExecutionError"), ""),
        (autogen("Maximum number of turns 3 reached."), "Maximum number of turns 3 reached."),
        (autogen("Text 'TERMINATE' mentioned"), ""),
        (langsmith(RECURSION), RECURSION),
        (langsmith("KeyError('step')"), ""),
        (langfuse(RECURSION), RECURSION),
        (langfuse("no such step"), ""),
        (agents("agent", "Max turns exceeded"), "Max turns exceeded"),
        (agents("function", "Max turns exceeded"), ""),  # a tool's own words
        (langgraph(NO_STEPS), f"recursion limit: {NO_STEPS}"),
        (langgraph(f"He said: {NO_STEPS}"), ""),
        (spans("agents.exceptions.MaxTurnsExceeded", AGENT), "agents.exceptions.MaxTurnsExceeded"),
        (spans("langgraph.errors.GraphRecursionError", CHAIN), "langgraph.errors.GraphRecursionError"),
        (spans("builtins.KeyError", CHAIN), ""),
        (spans("agents.exceptions.MaxTurnsExceeded", TOOL), ""),
        (spans("langgraph.errors.GraphRecursionError", TOOL_SPAN), ""),
    ],
)
def test_what_a_format_tells_of_a_turn_limit(document: JsonValue, told: str) -> None:
    assert load(document).turn_limit == told
    assert load_text(json.dumps(document)).turn_limit == told


def test_no_ordinary_run_is_taken_for_one() -> None:
    names = sorted(path.name for path in FIXTURES.iterdir() if path.is_file())
    assert names
    stopped = [name for name in names if load_text((FIXTURES / name).read_text("utf-8")).turn_limit]
    assert stopped == []


@pytest.mark.parametrize(
    "words",
    [
        "UsageLimitExceeded: The next request would exceed the request_limit of 50",
        "The next tool call(s) would exceed the tool_calls_limit of 3 (tool_calls=4).",
        "LlmCallsLimitExceededError: Max number of llm calls limit of `500` exceeded",
    ],
    ids=["pydantic-ai requests", "pydantic-ai calls", "adk"],
)
def test_words_of_exceptions(words: str) -> None:
    assert tells_turn_limit(words)


@pytest.mark.parametrize(
    "words",
    [
        "stop",
        "request limit",
        "max_tokens",
        "climax steps",
        "rate limit",
        "rate limit: max calls per minute exceeded",
        "429: max messages per day",
        "RecursionError: maximum recursion depth exceeded",
        "exit_cost",
        "",
    ],
)
def test_other_words_tell_of_none(words: str) -> None:
    assert not tells_turn_limit(words)


def test_a_completed_trial_that_a_limit_stopped_went_in_circles() -> None:
    made = case({"answer": {"contains": "done"}})
    ran = trial(answer="On it.")
    graded = grade(made, replace(ran, trajectory=replace(ran.trajectory, turn_limit="max_steps")))
    assert graded.status == "completed"
    assert (graded.scores["loop"].value, graded.failure) == (1.0, "infinite_loop")
    assert graded.scores["loop"].reason == "without a call: stopped by a turn limit: max_steps"
    assert grade(made, trial(answer="done")).scores["loop"].value == 0.0
