"""Pydantic AI message history: requests and responses whose parts tell their kind."""

from __future__ import annotations

from gatebot.importers.arguments import read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import as_text, count, first, inner, items, obj, objects, string, text
from gatebot.importers.tool_names import tool_name
from gatebot.model.json_value import JsonObject, JsonValue, is_array
from gatebot.model.trajectory import Trajectory, Usage

_CALLS = ("tool-call", "builtin-tool-call", "native-tool-call")
_RETURNS = ("tool-return", "builtin-tool-return", "native-tool-return")
_FAILED = ("failed", "denied", "interrupted", "retried")


class PydanticAI:
    """`all_messages_json()` of a run."""

    name = "pydantic-ai"

    def detects(self, document: JsonValue) -> bool:
        """Whether every item is a request or a response with parts."""
        listed = objects(document)
        return (
            is_array(document)
            and len(listed) == len(document) > 0
            and all(m.get("kind") in ("request", "response") and is_array(m.get("parts")) for m in listed)
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        for message in objects(document):
            if message.get("kind") == "response":
                builder.model(text(message, "model_name"))
                builder.say("assistant", "", usage=_usage(obj(message.get("usage"))))
            for part in objects(message.get("parts")):
                _add(builder, part)
        return builder.build()


def _add(builder: TrajectoryBuilder, part: JsonObject) -> None:
    kind = string(part.get("part_kind"))
    call_id = text(part, "tool_call_id")
    if kind == "system-prompt":
        builder.say("system", text(part, "content") or "")
    elif kind == "user-prompt":
        builder.say("user", _prompt(part.get("content")))
    elif kind == "text":
        builder.add_text(text(part, "content") or "")
    elif kind in _CALLS:
        executor = "client" if kind == "tool-call" else "server"
        builder.call(
            tool_name(part, "tool_name"), read_arguments(part.get("args")), call_id=call_id, executor=executor
        )
    elif kind in _RETURNS:
        if "pydantic_ai_synthesized_tool_return" in inner(part, "metadata"):
            builder.warn("a tool result was made up by Pydantic AI for a call that never ran")
        outcome = text(part, "outcome")
        failed = None if outcome is None else outcome in _FAILED
        builder.result(as_text(part.get("content")), call_id=call_id, is_error=failed)
    elif kind == "retry-prompt":
        if text(part, "tool_name"):
            builder.result(as_text(part.get("content")), call_id=call_id, is_error=True)
        else:
            builder.say("user", as_text(part.get("content")) or "")


def _prompt(content: JsonValue) -> str:
    """A string, or the strings among what else a user may show."""
    return content if isinstance(content, str) else "".join(string(item) or "" for item in items(content))


def _usage(source: JsonObject) -> Usage | None:
    prompt = count(first(source, "input_tokens", "request_tokens"))
    completion = count(first(source, "output_tokens", "response_tokens"))
    if prompt is None and completion is None:
        return None
    return Usage(prompt, completion, count(source.get("cache_read_tokens")), responses=1)
