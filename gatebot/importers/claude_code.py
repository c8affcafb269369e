"""Claude Code and Agent SDK lines: Anthropic messages, one content block a line, with who else is in the session.

One message of the API is split over several lines of the same message id, each of which repeats its usage.
"""

from __future__ import annotations

from gatebot.importers.anthropic_messages import add_message
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import items, obj, objects, text
from gatebot.model.json_value import JsonObject, JsonValue, is_array
from gatebot.model.trajectory import Trajectory

_SPOKEN = ("user", "assistant")


class ClaudeCode:
    """The session on disk or the stream of `--output-format stream-json`, as a list of its lines."""

    name = "claude-code"

    def detects(self, document: JsonValue) -> bool:
        """Whether there are user or assistant lines with a message and with marks of a session."""
        return is_array(document) and any(_is_line(line) for line in objects(document))

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory of the main agent. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        for message in _whole_messages(builder, objects(document)):
            add_message(builder, message)
        return builder.build()


def _whole_messages(builder: TrajectoryBuilder, lines: list[JsonObject]) -> list[JsonObject]:
    """The main agent's messages, the lines of one message put together where its first line stands."""
    messages: list[JsonObject] = []
    contents: dict[str, list[JsonValue]] = {}
    for line in lines:
        if not _is_line(line):
            if line.get("type") == "result" and line.get("is_error") is True:
                builder.warn("the session ended in an error")
        elif line.get("isSidechain") is True or line.get("parent_tool_use_id") is not None:
            builder.warn("lines of sub-agents were left out")
        elif line.get("isMeta") is not True:
            message = {**obj(line.get("message")), "role": line["type"]}
            message_id = text(message, "id") if line["type"] == "assistant" else None
            if message_id in contents:
                contents[message_id] += items(message.get("content"))
                continue
            if message_id is not None:
                contents[message_id] = list(items(message.get("content")))
                message["content"] = contents[message_id]
            messages.append(message)
    return messages


def _is_line(line: JsonObject) -> bool:
    marks = ("sessionId", "session_id", "uuid", "parentUuid", "isSidechain")
    return (
        line.get("type") in _SPOKEN and bool(obj(line.get("message"))) and any(mark in line for mark in marks)
    )
