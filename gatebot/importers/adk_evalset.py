"""Eval sets of Google's ADK: conversations with the tools used, in today's form and in the old one.

They are golden sets: most hold what should happen, without results.
"""

from __future__ import annotations

from gatebot.errors import ImportFormatError
from gatebot.importers.arguments import read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import first, obj, objects, text
from gatebot.importers.gemini import add_content, add_event, content_text
from gatebot.importers.tool_names import tool_name
from gatebot.model.json_value import JsonObject, JsonValue, is_array
from gatebot.model.trajectory import Trajectory


class AdkEvalSet:
    """An eval set of one case; its invocations are the turns of one conversation."""

    name = "adk-evalset"

    def detects(self, document: JsonValue) -> bool:
        """Whether it is an eval set, or the list of the old form."""
        if is_array(document):
            entries = _entries(document)
            return bool(entries) and all("data" in item and "name" in item for item in entries)
        return is_array(first(obj(document), "eval_cases", "evalCases"))

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError unless there is exactly one case, and for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        entries = _entries(document)
        if len(entries) != 1:
            message = f"an eval set of {len(entries)} cases is not one trajectory"
            raise ImportFormatError(message, "give a file with one case")
        for turn in objects(entries[0].get("data")):
            _add_legacy(builder, turn)
        for turn in objects(entries[0].get("conversation")):
            _add_invocation(builder, turn)
        return builder.build()


def _entries(document: JsonValue) -> list[JsonObject]:
    return objects(document) or objects(first(obj(document), "eval_cases", "evalCases"))


def _add_legacy(builder: TrajectoryBuilder, turn: JsonObject) -> None:
    builder.say("user", text(turn, "query") or "")
    for said in objects(turn.get("expected_intermediate_agent_responses")):
        builder.say("assistant", text(said, "text") or "", agent=text(said, "author"))
    for use in objects(turn.get("expected_tool_use")):
        builder.say("assistant", "")
        builder.call(tool_name(use, "tool_name"), read_arguments(use.get("tool_input")))
        if use.get("mock_tool_output") is not None:
            builder.result(text(use, "mock_tool_output"))
    if reference := text(turn, "reference"):
        builder.say("assistant", reference)


def _add_invocation(builder: TrajectoryBuilder, turn: JsonObject) -> None:
    builder.say("user", content_text(obj(first(turn, "user_content", "userContent"))))
    data = obj(first(turn, "intermediate_data", "intermediateData"))
    for event in objects(first(data, "invocation_events", "invocationEvents")):
        add_event(builder, event)
    for said in first_list(data, "intermediate_responses", "intermediateResponses"):
        if is_array(said) and len(said) == 2:  # [author, parts]
            add_content(builder, {"role": "model", "parts": said[1]}, own_turn=True)
    for use in objects(first(data, "tool_uses", "toolUses")):  # the order is all that is known: a turn each
        builder.say("assistant", "")
        builder.call(tool_name(use), read_arguments(use.get("args")), call_id=text(use, "id"))
    for answer in objects(first(data, "tool_responses", "toolResponses")):
        add_content(builder, {"role": "user", "parts": [{"function_response": answer}]})
    final = obj(first(turn, "final_response", "finalResponse"))
    if said := content_text(final):
        builder.say("assistant", said)


def first_list(source: JsonObject, *keys: str) -> list[JsonValue]:
    """The first of these keys that holds an array, as a list."""
    value = first(source, *keys)
    return list(value) if is_array(value) else []
