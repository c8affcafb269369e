"""Claude Code and Agent SDK lines: Anthropic messages, one content block a line, with who else is in the session.

One message of the API is split over several lines of the same message id, each of which repeats its usage.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gatebot.importers.anthropic_messages import add_message
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import items, obj, objects, text
from gatebot.importers.turn_limit import limited
from gatebot.model.json_value import JsonObject, JsonValue, is_array
from gatebot.model.trajectory import Trajectory

MAIN_AGENT, SUB_AGENT = "main", "sub-agent"
_SPOKEN = ("user", "assistant")


class ClaudeCode:
    """The session on disk or the stream of `--output-format stream-json`, as a list of its lines."""

    name = "claude-code"

    def detects(self, document: JsonValue) -> bool:
        """Whether there are user or assistant lines with a message and with marks of a session."""
        return is_array(document) and any(_is_line(line) for line in objects(document))

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory; what sub-agents did is kept under their names. Raises ImportFormatError for a nameless call."""
        builder = TrajectoryBuilder(self.name)
        lines = objects(document)
        several = any(_is_line(line) and _is_sub(line) for line in lines)
        if several:
            builder.warn("the calls of sub-agents are counted, under their names")
        for spoken in _main_last(_whole_messages(builder, lines)):
            agent = spoken.sub_agent or (MAIN_AGENT if several else None)
            add_message(builder, spoken.message, agent=agent)
        ends = (text(line, "subtype") for line in lines if line.get("type") == "result")
        return limited(builder.build(), *ends)


@dataclass(frozen=True, slots=True)
class _Spoken:
    message: JsonObject
    sub_agent: str | None = None


def _whole_messages(builder: TrajectoryBuilder, lines: list[JsonObject]) -> list[_Spoken]:
    """The messages, the lines of one message put together where its first line stands."""
    messages: list[_Spoken] = []
    contents: dict[str, list[JsonValue]] = {}
    names: dict[str, str] = {}
    for line in lines:
        if not _is_line(line):
            if line.get("type") == "result" and line.get("is_error") is True:
                builder.warn("the session ended in an error")
        elif line.get("isMeta") is not True:
            message = {**obj(line.get("message")), "role": line["type"]}
            names.update(_started(message))
            sub_agent = (
                names.get(text(line, "parent_tool_use_id") or "", SUB_AGENT) if _is_sub(line) else None
            )
            if sub_agent is not None and line["type"] == "user":
                # What a sub-agent is asked stands in the call that started it; what its tools said is its own.
                message["content"] = [b for b in objects(message.get("content")) if b.get("type") != "text"]
            message_id = text(message, "id") if line["type"] == "assistant" else None
            if message_id in contents:
                contents[message_id] += items(message.get("content"))
                continue
            if message_id is not None:
                contents[message_id] = list(items(message.get("content")))
                message["content"] = contents[message_id]
            messages.append(_Spoken(message, sub_agent))
    return messages


def _main_last(messages: list[_Spoken]) -> list[_Spoken]:
    """The messages with the main agent's last words at the end: a sub-agent in the background does not answer for it."""
    last = max((i for i, one in enumerate(messages) if one.sub_agent is None), default=-1)
    if last < 0 or messages[last].message["role"] != "assistant":
        return messages
    return [*messages[:last], *messages[last + 1 :], messages[last]]


def _started(message: JsonObject) -> Iterator[tuple[str, str]]:
    """(id of the call, name) of the sub-agents that the message starts."""
    for block in objects(message.get("content")):
        name, call_id = text(obj(block.get("input")), "subagent_type"), text(block, "id")
        if block.get("type") == "tool_use" and name and call_id:
            yield call_id, name[:100]


def _is_sub(line: JsonObject) -> bool:
    return line.get("isSidechain") is True or line.get("parent_tool_use_id") is not None


def _is_line(line: JsonObject) -> bool:
    marks = ("sessionId", "session_id", "uuid", "parentUuid", "isSidechain")
    return (
        line.get("type") in _SPOKEN and bool(obj(line.get("message"))) and any(mark in line for mark in marks)
    )
