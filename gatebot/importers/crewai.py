"""CrewAI: the output of a task or a crew, whose messages are chat dictionaries, and lists of its tool events."""

from __future__ import annotations

import dataclasses

from gatebot.importers.arguments import read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import as_text, count, first, obj, objects, string, text
from gatebot.importers.openai_chat import OpenAIChat, add_message
from gatebot.importers.tool_names import tool_name
from gatebot.importers.usage import usage_of
from gatebot.model.json_value import JsonObject, JsonValue, is_array
from gatebot.model.trajectory import Trajectory

_EVENTS = ("tool_usage_started", "tool_usage_finished", "tool_usage_error")


class CrewOutput:
    """A CrewOutput (`tasks_output`) or TaskOutput (`raw`, `messages`)."""

    name = "crewai-output"

    def detects(self, document: JsonValue) -> bool:
        """Whether it is the output of a task or of several, with their messages."""
        tasks = _tasks(document)
        return (
            bool(tasks)
            and all("raw" in task and "agent" in task for task in tasks)
            and any(OpenAIChat().detects(task.get("messages")) for task in tasks)
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory of all tasks in order. Raises ImportFormatError for an unknown role."""
        builder = TrajectoryBuilder(self.name)
        for task in _tasks(document):
            for message in objects(task.get("messages")):
                add_message(builder, message, agent=text(task, "agent"))
            raw = text(task, "raw")
            if raw and not builder.says_last(raw):
                builder.say("assistant", raw, agent=text(task, "agent"))
        totals = obj(obj(document).get("token_usage"))
        usage = usage_of(totals)
        if usage is not None and builder.open_turn:  # of the whole run: kept where the run ends
            builder.add_usage(dataclasses.replace(usage, responses=count(totals.get("successful_requests"))))
        return builder.build()


class CrewEvents:
    """A list of events; each call is started once and then finished or failed, possibly after more attempts."""

    name = "crewai-events"

    def detects(self, document: JsonValue) -> bool:
        """Whether there is an event of a tool."""
        return is_array(document) and any(event.get("type") in _EVENTS for event in objects(document))

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        for event in objects(document):
            _add_event(builder, event)
        return builder.build()


def _tasks(document: JsonValue) -> list[JsonObject]:
    source = obj(document)
    return objects(source.get("tasks_output")) or (
        [source] if "raw" in source and "messages" in source else []
    )


def _add_event(builder: TrajectoryBuilder, event: JsonObject) -> None:
    kind = string(event.get("type"))
    name = text(event, "tool_name")
    if kind == "tool_usage_started":
        builder.say("assistant", "", agent=text(event, "agent_role"))
        builder.call(tool_name(event, "tool_name"), read_arguments(event.get("tool_args")))
    elif kind == "tool_usage_finished":
        failed = event.get("failure") is not None and event.get("failure") is not False
        builder.result(as_text(first(event, "output", "failure")), name=name, is_error=failed)
    elif kind == "tool_usage_error":
        builder.result(as_text(event.get("error")), name=name, is_error=True)
    elif kind in ("agent_execution_completed", "lite_agent_execution_completed"):
        builder.say("assistant", text(event, "output") or "", agent=text(event, "agent_role"))
