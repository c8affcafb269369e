"""LangGraph graph trajectories as agentevals extracts them: node names per turn, and only the turns' results."""

from __future__ import annotations

from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import as_text, items, obj, objects, string, text
from gatebot.importers.langchain import flatten
from gatebot.importers.openai_chat import content_text
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from gatebot.model.trajectory import Trajectory


class LangGraphGraph:
    """{inputs?, results, steps: [[node]]}, or {inputs, outputs: {results?, steps}}."""

    name = "langgraph-graph"

    def detects(self, document: JsonValue) -> bool:
        """Whether `steps` is a list of lists of node names."""
        steps = items(_outputs(document).get("steps"))
        return bool(steps) and all(
            is_array(turn) and all(isinstance(node, str) for node in turn) for turn in steps
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The node path as `graph`, one tuple a turn; inputs and results as the messages of the turns."""
        builder = TrajectoryBuilder(self.name)
        outputs = _outputs(document)
        graph = [tuple(string(node) or "" for node in items(turn)) for turn in items(outputs.get("steps"))]
        asked = _each(obj(document).get("inputs"), len(graph))
        results = _each(outputs.get("results"), len(graph))
        for question, answer in zip(asked, results, strict=True):
            if said := _last_text(question):
                builder.say("user", said)
            if said := _last_text(answer):
                builder.say("assistant", said)
        if any("__interrupt__" in turn for turn in graph):
            builder.warn("the graph was interrupted to wait for a person")
        return builder.build(graph=graph)


def _outputs(document: JsonValue) -> JsonObject:
    source = obj(document)
    return source if "steps" in source else obj(source.get("outputs"))


def _each(value: JsonValue, turns: int) -> list[JsonValue]:
    """One value a turn: a list as it is, anything else for the first turn."""
    values = list(value) if is_array(value) else [value]
    return (values + [None] * turns)[:turns]


def _last_text(value: JsonValue) -> str:
    """The text of the last message of a state or update, of a message, or of anything else as JSON."""
    if is_object(value) and (messages := objects(value.get("messages"))):
        message = flatten(messages[-1]) or messages[-1]
        return content_text(message.get("content"))
    if is_object(value) and "content" in value:
        return content_text(value.get("content")) or text(value, "content") or ""
    return as_text(value) or ""
