"""AutoGen and AG2 team messages: requests and executions of tool calls, each with the agent that sent it."""

from __future__ import annotations

from gatebot.importers.arguments import read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import as_text, flag, obj, objects, shown, string, text
from gatebot.importers.tool_names import tool_name
from gatebot.importers.turn_limit import limited
from gatebot.importers.usage import usage_of
from gatebot.model.json_value import JsonObject, JsonValue, is_array
from gatebot.model.trajectory import Trajectory

_REQUESTS = ("ToolCallRequestEvent", "ToolCallMessage")
_EXECUTIONS = ("ToolCallExecutionEvent", "ToolCallResultMessage")
_TEXTS = ("TextMessage", "StopMessage", "HandoffMessage", "MultiModalMessage", "StructuredMessage")
_SILENT = ("ThoughtEvent", "MemoryQueryEvent", "ModelClientStreamingChunkEvent", "SelectSpeakerEvent")


class AutoGen:
    """The messages of a TaskResult, or an object that holds them."""

    name = "autogen"

    def detects(self, document: JsonValue) -> bool:
        """Whether messages have a source and a type of AutoGen's."""
        messages = _messages(document)
        known = (*_REQUESTS, *_EXECUTIONS, *_TEXTS, "ToolCallSummaryMessage")
        return bool(messages) and any("source" in m and m.get("type") in known for m in messages)

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        messages = _messages(document)
        for number, message in enumerate(messages):
            _add(builder, message, last=number == len(messages) - 1)
        return limited(builder.build(), text(obj(document), "stop_reason"))


def _messages(document: JsonValue) -> list[JsonObject]:
    return objects(document) if is_array(document) else objects(obj(document).get("messages"))


def _add(builder: TrajectoryBuilder, message: JsonObject, *, last: bool) -> None:
    kind, source = string(message.get("type")) or "", text(message, "source")
    usage = usage_of(message.get("models_usage"))
    said = as_text(message.get("content")) or ""
    if kind in _REQUESTS:
        builder.say("assistant", "", agent=source, usage=usage)
        for call in objects(message.get("content")):
            builder.call(tool_name(call), read_arguments(call.get("arguments")), call_id=text(call, "id"))
    elif kind in _EXECUTIONS:
        for result in objects(message.get("content")):
            builder.result(
                as_text(result.get("content")),
                call_id=text(result, "call_id"),
                name=text(result, "name"),
                is_error=flag(result.get("is_error")),
            )
    elif kind == "ToolCallSummaryMessage":
        # It repeats the results as text; only where it ends the run is it the answer.
        if last:
            builder.say("assistant", said, agent=source)
    elif kind in _TEXTS:
        from_user = source is not None and source.lower() in ("user", "user_proxy")
        builder.say(
            "user" if from_user else "assistant", said, agent=None if from_user else source, usage=usage
        )
    elif kind not in _SILENT:
        builder.warn(f"a message of type {shown(kind)} was left out")
