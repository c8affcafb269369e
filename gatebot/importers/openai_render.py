"""A trajectory's messages written as OpenAI chat messages: what agents get as history, and what agentevals reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import orjson

from gatebot.model.json_value import JsonObject
from gatebot.model.trajectory import Message, ToolCall


def render_openai_chat(messages: Sequence[Message]) -> list[JsonObject]:
    """OpenAI chat messages: arguments as JSON text, one `tool` message a result, an id on every call.

    Unknown arguments are written as what the model wrote, or `{}`; a call without a result gets no `tool` message.
    Ids are kept where they are unique, so that every result names exactly one call.
    """
    ids = _Ids(call.id for message in messages for call in message.calls)
    written: list[JsonObject] = []
    for message in messages:
        if not message.calls:
            written.append({"role": message.role, "content": message.text})
            continue
        named = [(ids.next(call.id), call) for call in message.calls]
        written.append(
            {
                "role": message.role,
                "content": message.text,
                "tool_calls": [
                    {
                        "id": call_id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": _arguments(call)},
                    }
                    for call_id, call in named
                ],
            }
        )
        written += [
            {"role": "tool", "tool_call_id": call_id, "name": call.name, "content": call.result}
            for call_id, call in named
            if call.result is not None
        ]
    return written


class _Ids:
    """Hands out each call's id, or a fresh one where the id is empty or was handed out before."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._used: set[str] = set()
        self._number = 0

    def next(self, wanted: str) -> str:
        if wanted and wanted not in self._used:
            self._used.add(wanted)
            return wanted
        while True:
            self._number += 1
            fresh = f"call-{self._number}"
            if fresh not in self._taken:
                self._taken.add(fresh)
                return fresh


def _arguments(call: ToolCall) -> str:
    if call.arguments is None:
        return call.raw_arguments if call.raw_arguments is not None else "{}"
    return orjson.dumps(call.arguments).decode()
