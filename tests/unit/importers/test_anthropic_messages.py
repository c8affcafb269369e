"""Anthropic messages: many results in one message, server tools within a turn, MCP, thinking, the cache in the usage."""

from __future__ import annotations

import pytest

from gatebot.errors import ImportFormatError
from gatebot.importers.detect import load
from gatebot.model.json_value import JsonValue


def use(call_id: str, kind: str = "tool_use", **more: JsonValue) -> dict[str, JsonValue]:
    return {"type": kind, "id": call_id, "name": "search", "input": {"q": call_id}, **more}


def result(call_id: str, kind: str = "tool_result", **more: JsonValue) -> dict[str, JsonValue]:
    return {"type": kind, "tool_use_id": call_id, **more}


def test_every_result_of_one_user_message_finds_its_call() -> None:
    trajectory = load(
        [
            {"role": "assistant", "content": [use("a"), use("b"), use("c")]},
            {
                "role": "user",
                "content": [
                    result("c", content="C", is_error=True),
                    result("a", content=[{"type": "text", "text": "A1"}, {"type": "text", "text": "A2"}]),
                    result("b"),
                    {"type": "text", "text": "And now?"},
                ],
            },
        ]
    )
    assert [(c.result, c.is_error) for c in trajectory.calls()] == [("A1\nA2", None), ("", None), ("C", True)]
    assert [(m.role, m.text) for m in trajectory.messages] == [("assistant", ""), ("user", "And now?")]


def test_a_message_of_nothing_but_results_is_none() -> None:
    trajectory = load(
        [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": [use("a")]},
            {"role": "user", "content": [result("a", content="A", is_error=False)]},
            {"role": "assistant", "content": "Done."},
        ]
    )
    assert [m.role for m in trajectory.messages] == ["user", "assistant", "assistant"]
    assert trajectory.calls()[0].is_error is False
    assert trajectory.final_text() == "Done."


def test_server_tools_answer_within_the_turn_and_what_follows_is_the_answer() -> None:
    trajectory = load(
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Looking. "},
                    use("srvtoolu_1", "server_tool_use"),
                    result(
                        "srvtoolu_1",
                        "web_search_tool_result",
                        content=[{"type": "web_search_result", "url": "u"}],
                    ),
                    use("srvtoolu_2", "server_tool_use"),
                    result(
                        "srvtoolu_2",
                        "web_search_tool_result",
                        content={"type": "web_search_tool_result_error", "error_code": "unavailable"},
                    ),
                    {"type": "text", "text": "It is "},
                    {"type": "text", "text": "so."},
                ],
            }
        ]
    )
    assert [(c.executor, c.is_error) for c in trajectory.calls()] == [("server", False), ("server", True)]
    assert trajectory.final_text() == "It is so."
    assert trajectory.warnings == ()


def test_mcp_tools_say_who_ran_them() -> None:
    trajectory = load(
        [
            {
                "role": "assistant",
                "content": [
                    use("mcptoolu_1", "mcp_tool_use", server_name="files"),
                    result(
                        "mcptoolu_1",
                        "mcp_tool_result",
                        content=[{"type": "text", "text": "A"}],
                        is_error=False,
                    ),
                ],
            }
        ]
    )
    (call,) = trajectory.calls()
    assert (call.executor, call.result, call.is_error) == ("mcp", "A", False)


def test_thinking_is_not_said_and_unknown_blocks_are_told() -> None:
    trajectory = load(
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "secret", "signature": "s"},
                    {"type": "redacted_thinking", "data": "x"},
                    {"type": "hologram"},
                    {"type": "text", "text": "Hi."},
                ],
            }
        ]
    )
    assert trajectory.final_text() == "Hi."
    assert trajectory.warnings == ("a content block of type 'hologram' was left out",)


def test_input_tokens_include_the_cache() -> None:
    usage = {
        "input_tokens": 5,
        "cache_read_input_tokens": 100,
        "cache_creation_input_tokens": 20,
        "output_tokens": 7,
    }
    trajectory = load({"role": "assistant", "content": [use("a")], "usage": usage, "model": "m-1"})
    told = trajectory.messages[0].usage
    assert told is not None
    assert (told.input_tokens, told.output_tokens, told.cached_input_tokens) == (125, 7, 100)


def test_input_that_is_no_object_is_malformed() -> None:
    trajectory = load([{"role": "assistant", "content": [use("a", input="{oops")]}])
    assert trajectory.calls()[0].arguments is None
    assert trajectory.calls()[0].arguments_error is not None


def test_a_call_must_name_its_tool() -> None:
    with pytest.raises(ImportFormatError, match="without a name"):
        load([{"role": "assistant", "content": [use("a", name="")]}])
