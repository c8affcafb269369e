"""LangChain messages: three places for the same calls, invalid ones, statuses, removed messages."""

from __future__ import annotations

import pytest

from gatebot.errors import ImportFormatError
from gatebot.importers.detect import load
from gatebot.importers.langchain import LangChain
from gatebot.model.json_value import JsonValue


def ai(**fields: JsonValue) -> dict[str, JsonValue]:
    return {"type": "ai", "content": "", **fields}


CALL: dict[str, JsonValue] = {"name": "search", "args": {"q": 1}, "id": "a", "type": "tool_call"}
OPENAI: dict[str, JsonValue] = {"id": "a", "function": {"name": "search", "arguments": '{"q": 1}'}}
BLOCK: dict[str, JsonValue] = {"type": "tool_use", "id": "a", "name": "search", "input": {"q": 1}}


@pytest.mark.parametrize(
    "message",
    [
        ai(tool_calls=[CALL], content=[BLOCK], additional_kwargs={"tool_calls": [OPENAI]}),
        ai(content=[BLOCK]),
        ai(content=[{"type": "tool_call", "id": "a", "name": "search", "args": {"q": 1}}]),
        ai(content=[{"type": "function_call", "call_id": "a", "name": "search", "arguments": '{"q": 1}'}]),
        ai(additional_kwargs={"tool_calls": [OPENAI]}),
        ai(additional_kwargs={"function_call": {"name": "search", "arguments": '{"q": 1}'}}),
    ],
)
def test_a_call_counts_once_wherever_it_stands(message: JsonValue) -> None:
    (call,) = load([{"type": "human", "content": "Hi"}, message]).calls()
    assert (call.name, call.arguments) == ("search", {"q": 1})


def test_invalid_calls_are_calls_whose_arguments_cannot_be_read() -> None:
    invalid = {"name": "search", "args": "{oops", "id": "b", "error": "bad", "type": "invalid_tool_call"}
    trajectory = load([ai(tool_calls=[CALL], invalid_tool_calls=[invalid])])
    assert [c.id for c in trajectory.calls()] == ["a", "b"]
    assert trajectory.calls()[1].arguments_error is not None
    assert trajectory.calls()[1].raw_arguments == "{oops"


def test_status_says_error_success_or_nothing() -> None:
    calls = [{**CALL, "id": i} for i in "abc"]
    results = [
        {"type": "tool", "content": "A", "tool_call_id": "a", "status": "success"},
        {"type": "tool", "content": [{"type": "text", "text": "B"}], "tool_call_id": "b", "status": "error"},
        {"type": "tool", "content": "C", "tool_call_id": "c"},
    ]
    told = load([ai(tool_calls=calls), *results]).calls()
    assert [(c.result, c.is_error) for c in told] == [("A", False), ("B", True), ("C", None)]


def test_removed_messages_are_told() -> None:
    trajectory = load([{"type": "human", "content": "Hi"}, {"type": "remove", "content": "", "id": "x"}])
    assert len(trajectory.messages) == 1
    assert any("RemoveMessage" in warning for warning in trajectory.warnings)


def test_chunks_and_chat_messages_are_messages() -> None:
    trajectory = load(
        [
            {"type": "HumanMessageChunk", "content": "Hi"},
            {"type": "chat", "role": "assistant", "content": "Ho"},
            {"type": "AIMessageChunk", "content": "Hey", "name": "desk"},
        ]
    )
    assert [(m.role, m.text, m.agent) for m in trajectory.messages] == [
        ("user", "Hi", None),
        ("assistant", "Ho", None),
        ("assistant", "Hey", "desk"),
    ]


def test_what_is_no_message_is_refused() -> None:
    with pytest.raises(ImportFormatError, match="no LangChain message"):
        LangChain().load([{"type": "human", "content": "Hi"}, {"type": "parrot", "content": "Hi"}])
