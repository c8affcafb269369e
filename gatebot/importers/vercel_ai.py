"""Vercel AI SDK: UI messages, whose parts hold a call with its state, and model messages with tool-call parts."""

from __future__ import annotations

from gatebot.errors import ImportFormatError
from gatebot.importers.arguments import Arguments, read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import as_text, first, obj, objects, string, text
from gatebot.importers.tool_names import tool_name
from gatebot.model.json_value import JsonObject, JsonValue, is_array
from gatebot.model.trajectory import Trajectory

_FINISHED = ("output-available", "output-error", "output-denied")
_MODEL_PARTS = ("tool-call", "tool-result")


class VercelUI:
    """UI messages: {id, role, parts}; parts between two step-start parts are one turn."""

    name = "vercel-ui"

    def detects(self, document: JsonValue) -> bool:
        """Whether messages with a role have parts that have types."""
        messages = _messages(document)
        parts = [part for message in messages for part in objects(message.get("parts"))]
        return (
            bool(parts)
            and all("role" in message and is_array(message.get("parts")) for message in messages)
            and all("type" in part and not ("content" in part and "text" not in part) for part in parts)
            and not any(part.get("type") in ("tool_call", "tool_call_response") for part in parts)
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        for message in _messages(document):
            parts = objects(message.get("parts"))
            if message.get("role") == "assistant":
                builder.say("assistant", "")
                for part in parts:
                    _add_part(builder, part)
            else:
                said = "".join(text(part, "text") or "" for part in parts if part.get("type") == "text")
                builder.say("system" if message.get("role") == "system" else "user", said)
        return builder.build()


class VercelModel:
    """Model messages: {role, content: [{type: tool-call | tool-result | text}]}."""

    name = "vercel-model"

    def detects(self, document: JsonValue) -> bool:
        """Whether some message has a tool-call or tool-result part."""
        return any(
            part.get("type") in _MODEL_PARTS
            for message in _messages(document)
            for part in objects(message.get("content"))
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        for message in _messages(document):
            _add_model_message(builder, message)
        return builder.build()


def _messages(document: JsonValue) -> list[JsonObject]:
    return objects(document) if is_array(document) else objects(obj(document).get("messages"))


def _add_part(builder: TrajectoryBuilder, part: JsonObject) -> None:
    kind = string(part.get("type")) or ""
    if kind == "text":
        builder.add_text(text(part, "text") or "")
    elif kind == "step-start":
        builder.say("assistant", "")
    elif kind == "dynamic-tool" or kind.startswith("tool-"):
        _add_tool_part(builder, part, kind)


def _add_tool_part(builder: TrajectoryBuilder, part: JsonObject, kind: str) -> None:
    name = tool_name(part, "toolName") if kind == "dynamic-tool" else kind.removeprefix("tool-")
    if not name:
        raise ImportFormatError("a tool part without a name", "type: tool-<name>")
    state, call_id = text(part, "state") or "", text(part, "toolCallId")
    executor = "server" if part.get("providerExecuted") is True else "client"
    if state == "input-streaming":
        builder.warn("a call whose arguments were still streaming has unknown arguments")
        written = Arguments()
    else:
        written = read_arguments(first(part, "input", "rawInput"))
    builder.call(name, written, call_id=call_id, executor=executor)
    if state in _FINISHED:
        said = first(part, "errorText", "output")
        builder.result(as_text(said), call_id=call_id, is_error=state != "output-available")


def _add_model_message(builder: TrajectoryBuilder, message: JsonObject) -> None:
    role, content = message.get("role"), message.get("content")
    parts = objects(content)
    said = string(content) or "".join(text(p, "text") or "" for p in parts if p.get("type") == "text")
    if role in ("system", "user"):
        builder.say("system" if role == "system" else "user", said)
        return
    if role == "assistant":
        builder.say("assistant", said)
    for part in parts:
        if part.get("type") == "tool-call":
            provider = part.get("providerExecuted") is True
            builder.call(
                tool_name(part, "toolName"),
                read_arguments(first(part, "input", "args")),
                call_id=text(part, "toolCallId"),
                executor="server" if provider else "client",
            )
        elif part.get("type") == "tool-result":
            _add_model_result(builder, part)


def _add_model_result(builder: TrajectoryBuilder, part: JsonObject) -> None:
    output = obj(part.get("output"))
    kind = text(output, "type")
    if kind is None:  # version 4 says isError, and has its result bare
        said, failed = first(part, "result", "output"), part.get("isError")
        is_error = failed if isinstance(failed, bool) else None
    else:
        said = first(output, "value", "reason")
        is_error = kind in ("error-text", "error-json", "execution-denied")
    builder.result(as_text(said), call_id=text(part, "toolCallId"), is_error=is_error)
