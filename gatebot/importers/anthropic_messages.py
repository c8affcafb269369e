"""Anthropic messages: content blocks with `tool_use` and `tool_result`, tools of the client, the server and MCP."""

from __future__ import annotations

from gatebot.errors import ImportFormatError
from gatebot.importers.arguments import read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.envelope import chat_messages, request_tools
from gatebot.importers.fields import flag, obj, objects, shown, string, text
from gatebot.importers.openai_chat import content_text, result_text
from gatebot.importers.tool_definitions import declare
from gatebot.importers.tool_names import tool_name
from gatebot.importers.usage import anthropic_usage
from gatebot.model.json_value import JsonObject, JsonValue
from gatebot.model.trajectory import Executor, Trajectory

_CALLS: dict[str, Executor] = {"tool_use": "client", "server_tool_use": "server", "mcp_tool_use": "mcp"}
_SILENT = ("thinking", "redacted_thinking", "image", "document", "container_upload", "search_result")
_OWN_BLOCKS = (*_CALLS, "tool_result", "mcp_tool_result", "thinking", "redacted_thinking")


class AnthropicMessages:
    """Messages of the Anthropic Messages API, alone or in a request, a response, or both."""

    name = "anthropic-messages"

    def detects(self, document: JsonValue) -> bool:
        """Whether some message has a content block that only this API has."""
        return any(
            block.get("type") in _OWN_BLOCKS
            for message in chat_messages(document)
            for block in objects(message.get("content"))
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for an unknown role or a call without a name."""
        builder = TrajectoryBuilder(self.name)
        for message in chat_messages(document):
            add_message(builder, message)
        return declare(builder.build(), *request_tools(document))


def add_message(builder: TrajectoryBuilder, message: JsonObject, *, agent: str | None = None) -> None:
    """Add one message; results find their calls, and a message of nothing but results is none of its own.

    `agent`: who speaks, where there are several.
    """
    role, content = message.get("role"), message.get("content")
    if role == "assistant":
        builder.model(text(message, "model"))
        builder.say("assistant", "", agent=agent, usage=anthropic_usage(message.get("usage")))
        _add_assistant(builder, content)
    elif role == "user":
        _add_results(builder, content)
        said = "".join(text(b, "text") or "" for b in objects(content) if b.get("type") == "text")
        said = string(content) or said
        if said:
            builder.say("user", said)
    elif role in ("system", "developer"):
        builder.say("system", content_text(content))
    else:
        name = shown(role) if isinstance(role, str) else "something that is no text"
        raise ImportFormatError(f"unknown role {name} of an Anthropic message", "one of user, assistant")


def _add_assistant(builder: TrajectoryBuilder, content: JsonValue) -> None:
    if isinstance(content, str):
        builder.add_text(content)
    for block in objects(content):
        kind = string(block.get("type")) or ""
        if kind == "text":
            builder.add_text(text(block, "text") or "")
        elif kind in _CALLS:
            name = text(block, "name")
            if name is None:
                raise ImportFormatError(
                    f"a {kind} block without a name", "every call names the tool it calls"
                )
            arguments = read_arguments(block.get("input"))
            builder.call(tool_name(block), arguments, call_id=text(block, "id"), executor=_CALLS[kind])
        elif kind.endswith("tool_result"):
            _add_result(builder, block)
        elif kind not in _SILENT:
            builder.warn(f"a content block of type {shown(kind)} was left out")


def _add_results(builder: TrajectoryBuilder, content: JsonValue) -> None:
    for block in objects(content):
        if (string(block.get("type")) or "").endswith("tool_result"):
            _add_result(builder, block)


def _add_result(builder: TrajectoryBuilder, block: JsonObject) -> None:
    content = block.get("content")
    is_error = flag(block.get("is_error"))
    if block.get("type") not in ("tool_result", "mcp_tool_result") and is_error is None:
        # A server tool's result is either a list, or an object whose type says that it failed.
        is_error = (string(obj(content).get("type")) or "").endswith("_error")
    builder.result(result_text(content), call_id=text(block, "tool_use_id"), is_error=is_error)
