"""Bedrock Converse messages, which Strands Agents keeps as they are: `toolUse` and `toolResult` blocks with a status."""

from __future__ import annotations

from gatebot.errors import ImportFormatError
from gatebot.importers.arguments import read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.envelope import chat_messages, request_tools
from gatebot.importers.fields import as_text, inner, obj, objects, text
from gatebot.importers.tool_definitions import declare
from gatebot.importers.tool_names import tool_name
from gatebot.importers.usage import anthropic_usage, usage_of
from gatebot.model.json_value import JsonObject, JsonValue
from gatebot.model.trajectory import Trajectory, Usage

_BLOCKS = (
    "text",
    "toolUse",
    "toolResult",
    "reasoningContent",
    "cachePoint",
    "image",
    "document",
    "guardContent",
)


class Converse:
    """Messages of the Converse API, alone or with the response; Strands' messages."""

    name = "bedrock-converse"

    def detects(self, document: JsonValue) -> bool:
        """Whether every content block is one key of this API without a type, and there is at least one."""
        messages = chat_messages(document)
        blocks = [block for message in messages for block in objects(message.get("content"))]
        return bool(blocks) and all("type" not in b and any(key in b for key in _BLOCKS) for b in blocks)

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for an unknown role or a call without a name."""
        builder = TrajectoryBuilder(self.name)
        for message in chat_messages(document):
            _add(builder, message)
        return declare(builder.build(), *request_tools(document))


def _add(builder: TrajectoryBuilder, message: JsonObject) -> None:
    role, blocks = message.get("role"), objects(message.get("content"))
    said = "".join(text(block, "text") or "" for block in blocks) or text(message, "content") or ""
    if role == "assistant":
        usage = obj(message.get("usage")) or inner(message, "metadata", "usage")
        builder.say("assistant", said, usage=_usage(usage))
        for block in blocks:
            use = obj(block.get("toolUse"))
            if use:
                builder.call(tool_name(use), read_arguments(use.get("input")), call_id=text(use, "toolUseId"))
    elif role == "user":
        for block in blocks:
            result = obj(block.get("toolResult"))
            if result:
                status = text(result, "status")
                builder.result(
                    _result_text(result.get("content")),
                    call_id=text(result, "toolUseId"),
                    is_error=None if status is None else status == "error",
                )
        if said:
            builder.say("user", said)
    elif role == "system":
        builder.say("system", said)
    else:
        raise ImportFormatError(
            "a message that is neither the user's nor the assistant's", "role: user or assistant"
        )


def _result_text(content: JsonValue) -> str:
    """Text blocks as they are and JSON blocks as JSON, a line each."""
    if isinstance(content, str):
        return content
    return "\n".join(text(block, "text") or as_text(block.get("json")) or "" for block in objects(content))


def _usage(source: JsonObject) -> Usage | None:
    """Converse's input leaves out what was read from and written to the cache; all zero means that nothing was counted."""
    usage = usage_of(source)
    if usage is None or usage.total_tokens == 0:
        return None
    cached = anthropic_usage({**source, "input_tokens": source.get("inputTokens")})
    return Usage(
        cached.input_tokens if cached else usage.input_tokens,
        usage.output_tokens,
        cached.cached_input_tokens if cached else None,
        responses=1,
    )
