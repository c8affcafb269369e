"""OpenAI Agents SDK: exported trace spans, and the run items of a result; `to_input_list()` is Responses items."""

from __future__ import annotations

from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.chat_formats import chat_trajectory
from gatebot.importers.fields import as_text, first, inner, obj, objects, string, text
from gatebot.importers.loose_values import from_text, loose_arguments
from gatebot.importers.openai_responses import add_item
from gatebot.importers.span import seconds
from gatebot.importers.traced_steps import ModelStep, ToolStep, assemble
from gatebot.importers.turn_limit import limited
from gatebot.importers.usage import usage_of
from gatebot.model.json_value import JsonObject, JsonValue, is_array
from gatebot.model.trajectory import Message, Trajectory

_SPAN = "trace.span"


class AgentsSpans:
    """Spans of the SDK's tracing, with or without the trace object; function spans carry no call id."""

    name = "openai-agents-spans"

    def detects(self, document: JsonValue) -> bool:
        """Whether some object says that it is such a span."""
        return any(span.get("object") == _SPAN for span in _spans(document))

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError when a value cannot be written as JSON."""
        spans = [span for span in _spans(document) if span.get("object") == _SPAN]
        agents = {
            text(s, "id") or "": text(inner(s, "span_data"), "name") for s in spans if _type(s) == "agent"
        }
        models: list[ModelStep] = []
        tools: list[ToolStep] = []
        warnings: list[str] = []
        for span in spans:
            agent = agents.get(text(span, "parent_id") or "")
            if _type(span) == "function":
                tools.append(_tool_step(span, agent))
            elif _type(span) in ("generation", "response"):
                models.append(_model_step(span, agent))
            elif _type(span) == "handoff":
                warnings.append("a handoff from one agent to another is not shown as a call")
        if models and not any(step.answer for step in models):
            warnings.append("the spans name responses and do not hold them: texts and questions are unknown")
        ends = (text(obj(span.get("error")), "message") for span in spans if _type(span) == "agent")
        return limited(assemble(self.name, models, tools, warnings), *ends)


class AgentsItems:
    """`new_items` of a result: each with the raw item of the Responses API."""

    name = "openai-agents-items"

    def detects(self, document: JsonValue) -> bool:
        """Whether every item has a type of the SDK and a raw item."""
        found = objects(document)
        return bool(found) and all(
            (string(item.get("type")) or "").endswith("_item") and "raw_item" in item for item in found
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        for item in objects(document):
            raw = obj(item.get("raw_item"))
            agent = text(obj(item.get("agent")), "name") or text(item, "agent")
            if raw:
                add_item(builder, raw, agent=agent)
        return builder.build()


def _spans(document: JsonValue) -> list[JsonObject]:
    source = obj(document)
    return objects(document) if is_array(document) else objects(first(source, "data", "spans"))


def _type(span: JsonObject) -> str | None:
    return text(inner(span, "span_data"), "type")


def _tool_step(span: JsonObject, agent: str | None) -> ToolStep:
    data, error = inner(span, "span_data"), span.get("error")
    output = as_text(data.get("output"))
    if output is None and error:
        output = text(obj(error), "message")
    return ToolStep(
        start=seconds(span.get("started_at")),
        end=seconds(span.get("ended_at")),
        name=text(data, "name") or "unnamed",
        arguments=loose_arguments(data.get("input")),
        result=output,
        is_error=bool(error) if error or output is not None else None,
        agent=agent,
        executor="mcp" if data.get("mcp_data") else "client",
    )


def _model_step(span: JsonObject, agent: str | None) -> ModelStep:
    data = inner(span, "span_data")
    response = obj(data.get("response"))
    written = first(response, "output") or data.get("output")
    return ModelStep(
        start=seconds(span.get("started_at")),
        prompt=_messages(data.get("input"), "user"),
        answer=_messages(written, "assistant"),
        agent=agent,
        usage=usage_of(data.get("usage")) or usage_of(response.get("usage")),
        model=text(data, "model") or text(response, "model"),
    )


def _messages(written: JsonValue, role: str) -> tuple[Message, ...]:
    value = from_text(written)
    if isinstance(value, str):
        return (Message("user" if role == "user" else "assistant", value),)
    found = chat_trajectory(value) if value else None
    return found.messages if found else ()
