"""Messages as OpenTelemetry's GenAI conventions write them: a role, and parts that are text, calls or responses."""

from __future__ import annotations

from gatebot.importers.arguments import read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import as_text, first, objects, text
from gatebot.importers.tool_names import tool_name
from gatebot.model.json_value import JsonObject, JsonValue, is_array
from gatebot.model.trajectory import Trajectory

_PART_TYPES = (
    "text",
    "tool_call",
    "tool_call_response",
    "reasoning",
    "blob",
    "uri",
    "file",
    "server_tool_call",
)


class OtelMessages:
    """A list of {role, parts: [{type, …}]}."""

    name = "otel-messages"

    def detects(self, document: JsonValue) -> bool:
        """Whether messages have parts of these types, text under `content`."""
        messages = objects(document)
        parts = [part for message in messages for part in objects(message.get("parts"))]
        return (
            is_array(document)
            and len(messages) == len(document)
            and bool(parts)
            and all("role" in message and is_array(message.get("parts")) for message in messages)
            and any(part.get("type") in _PART_TYPES and "text" not in part for part in parts)
            and not any("state" in part or part.get("type") == "step-start" for part in parts)
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        for message in objects(document):
            _add(builder, message)
        return builder.build()


def _add(builder: TrajectoryBuilder, message: JsonObject) -> None:
    role, parts = message.get("role"), objects(message.get("parts"))
    said = "".join(text(p, "content", "text") or "" for p in parts if p.get("type") == "text")
    if role == "assistant":
        builder.say("assistant", said)
    for part in parts:
        kind = part.get("type")
        if kind in ("tool_call", "server_tool_call"):
            executor = "client" if kind == "tool_call" else "server"
            arguments = read_arguments(part.get("arguments"))
            builder.call(tool_name(part), arguments, call_id=text(part, "id"), executor=executor)
        elif kind in ("tool_call_response", "server_tool_call_response"):
            builder.result(as_text(first(part, "response", "result")), call_id=text(part, "id"))
    if role != "assistant" and said:
        builder.say("system" if role == "system" else "user", said)
