"""OpenAI chat messages: tool calls with JSON text as arguments, results as messages of their own; with the old form.

The format has no error flag, so `is_error` stays unknown.
"""

from __future__ import annotations

from gatebot.errors import ImportFormatError
from gatebot.importers.arguments import Arguments, read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.envelope import chat_messages, request_tools
from gatebot.importers.fields import as_text, flag, obj, objects, shown, string, text
from gatebot.importers.tool_definitions import declare
from gatebot.importers.tool_names import tool_name
from gatebot.importers.usage import usage_of
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from gatebot.model.trajectory import Trajectory

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_TEXT_KEYS = ("text", "refusal")


class OpenAIChat:
    """Messages of the chat completions API, alone or in a request, a response, or both."""

    name = "openai-chat"

    def detects(self, document: JsonValue) -> bool:
        """Whether every message has a role of this API, and text, parts with a type, or tool calls."""
        messages = chat_messages(document)
        return bool(messages) and all(
            message.get("role") in _ROLES and _is_content(message.get("content")) for message in messages
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for an unknown role or a call without a name."""
        builder = TrajectoryBuilder(self.name)
        for message in chat_messages(document):
            add_message(builder, message)
        return declare(builder.build(), *request_tools(document))


def content_text(content: JsonValue) -> str:
    """The text of a message: a string, or the joined text and refusal parts of a list; pictures and sound are left out."""
    if isinstance(content, str):
        return content
    return "".join(text(part, *_TEXT_KEYS) or "" for part in objects(content))


def result_text(content: JsonValue) -> str | None:
    """A tool's result: a string, text parts joined by line ends, or any other JSON as it is; null is an empty result."""
    if is_array(content) and content and all(is_object(part) and "text" in part for part in content):
        return "\n".join(string(part.get("text")) or "" for part in objects(content))
    return "" if content is None else as_text(content)


def _is_content(content: JsonValue) -> bool:
    if content is None or isinstance(content, str):
        return True
    return is_array(content) and all(is_object(part) and "type" in part for part in content)


def add_message(builder: TrajectoryBuilder, message: JsonObject, *, agent: str | None = None) -> None:
    """Add one message; `agent` names who the assistant is. Raises ImportFormatError for an unknown role."""
    role, content = message.get("role"), message.get("content")
    if role in ("system", "developer"):
        builder.say("system", content_text(content))
    elif role == "user":
        builder.say("user", content_text(content))
    elif role == "assistant":
        builder.model(text(message, "model"))
        said = content_text(content) + (text(message, "refusal") or "")
        builder.say("assistant", said, agent=agent, usage=usage_of(message.get("usage")))
        for call in objects(message.get("tool_calls")):
            _add_call(builder, call)
        legacy = obj(message.get("function_call"))
        if legacy and not message.get("tool_calls"):
            builder.call(tool_name(legacy), read_arguments(legacy.get("arguments")))
    elif role in ("tool", "function"):
        builder.result(
            result_text(content),
            call_id=text(message, "tool_call_id"),
            name=text(message, "name") if role == "function" else None,
            is_error=flag(message.get("is_error")),
        )
    else:
        name = shown(role) if isinstance(role, str) else "something that is no text"
        raise ImportFormatError(f"unknown role {name} of a chat message", f"one of {', '.join(_ROLES)}")


def _add_call(builder: TrajectoryBuilder, call: JsonObject) -> None:
    custom = obj(call.get("custom"))
    if (
        custom
    ):  # a custom tool takes free text; there is no object to compare, so the text is the one argument
        written = custom.get("input")
        free = Arguments(None if written is None else {"input": written}, raw=string(written))
        builder.call(tool_name(custom), free, call_id=text(call, "id"))
        return
    function = obj(call.get("function")) or call
    builder.call(tool_name(function), read_arguments(function.get("arguments")), call_id=text(call, "id"))
