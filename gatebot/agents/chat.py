"""A conversation in the shape of OpenAI chat messages: how history goes back to an agent, whatever it spoke."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from gatebot.model.json_value import JsonObject, JsonValue
from gatebot.model.trajectory import Message, ToolCall


def chat_messages(messages: Iterable[Message]) -> list[JsonObject]:
    """The messages as OpenAI chat messages; results follow, in order, the assistant message that made the calls.

    Calls without an id are given one, so that results can name them; a call whose result is unknown has an empty
    one, because chat models refuse a call without.
    """
    shaped: list[JsonObject] = []
    unnamed = 0
    for message in messages:
        calls: list[tuple[str, ToolCall]] = []
        for call in message.calls:
            unnamed += not call.id
            calls.append((call.id or f"call_{unnamed}", call))
        shaped.extend(_one_message(message, calls))
    return shaped


def _one_message(message: Message, calls: list[tuple[str, ToolCall]]) -> Iterator[JsonObject]:
    spoken: dict[str, JsonValue] = {"role": message.role, "content": message.text}
    if calls:
        spoken["tool_calls"] = [_one_call(name, call) for name, call in calls]
    yield spoken
    for name, call in calls:
        yield {"role": "tool", "tool_call_id": name, "content": call.result or ""}


def _one_call(name: str, call: ToolCall) -> JsonObject:
    arguments = call.raw_arguments
    if call.arguments is not None:
        arguments = json.dumps(call.arguments, ensure_ascii=False, separators=(",", ":"))
    return {
        "id": name,
        "type": "function",
        "function": {"name": call.raw_name or call.name, "arguments": arguments or "{}"},
    }
