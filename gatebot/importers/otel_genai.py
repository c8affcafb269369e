"""OpenTelemetry GenAI spans, with the ways in which exporters differ: ADK, Vercel, Traceloop and older conventions.

A tool is told by the operation or the kind of its span, never by an attribute that merely has "tool" in its name.
"""

from __future__ import annotations

from gatebot.importers.chat_formats import chat_trajectory
from gatebot.importers.fields import as_text, count, first, inner, obj, string, text
from gatebot.importers.flat_keys import numbered
from gatebot.importers.loose_values import from_text, loose_arguments
from gatebot.importers.span import Span, read_spans
from gatebot.importers.traced_steps import ModelStep, ToolStep, assemble
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from gatebot.model.trajectory import Message, Trajectory, Usage

_ASK_A_MODEL = ("chat", "generate_content", "text_completion")
_MARKS = (
    "gen_ai.operation.name",
    "gen_ai.system",
    "gen_ai.provider.name",
    "ai.operationId",
    "traceloop.span.kind",
)
_EVENT_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}


class OtelGenAI:
    """OTLP JSON, Jaeger's query API, or a list of spans as SDKs write them."""

    name = "otel-genai"

    def detects(self, document: JsonValue) -> bool:
        """Whether some span has an attribute of these conventions."""
        return any(mark in span.attributes for span in read_spans(document) for mark in _MARKS)

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError when a value cannot be written as JSON."""
        spans = read_spans(document)
        tools = [_tool_step(span) for span in spans if _is_tool(span)]
        models = [_model_step(span) for span in spans if _is_model(span)]
        warnings: list[str] = []
        if not any(
            step.answer for step in models
        ):  # some exporters tell the messages on the agent's span only
            agents = [_model_step(span) for span in spans if _operation(span) == "invoke_agent"]
            models += [step for step in agents if step.answer]
        if not any(step.answer for step in models):
            warnings.append("the spans hold no messages: the exporter was not asked to capture content")
        if any(step.arguments.values is None for step in tools) and not any(step.answer for step in models):
            warnings.append("the spans hold no arguments: they are unknown, and get no verdict")
        return assemble(self.name, models, tools, warnings)


def _operation(span: Span) -> str | None:
    return text(span.attributes, "gen_ai.operation.name")


def _is_tool(span: Span) -> bool:
    return (
        _operation(span) == "execute_tool"
        or "ai.toolCall.name" in span.attributes
        or span.attributes.get("traceloop.span.kind") == "tool"
    )


def _is_model(span: Span) -> bool:
    attributes = span.attributes
    return (
        _operation(span) in _ASK_A_MODEL
        or (_operation(span) is None and "gcp.vertex.agent.llm_request" in attributes)
        or attributes.get("llm.request.type") in ("chat", "completion")
        or (text(attributes, "ai.operationId") or "").endswith((".doGenerate", ".doStream"))
    )


def _tool_step(span: Span) -> ToolStep:
    attributes = span.attributes
    written = first(
        attributes, "gen_ai.tool.call.arguments", "ai.toolCall.args", "gcp.vertex.agent.tool_call_args"
    )
    if written is None and "traceloop.entity.input" in attributes:
        wrapped = from_text(attributes["traceloop.entity.input"])
        written = obj(wrapped).get("inputs", wrapped)
    result = first(
        attributes,
        "gen_ai.tool.call.result",
        "ai.toolCall.result",
        "gcp.vertex.agent.tool_response",
        "traceloop.entity.output",
    )
    name = first(attributes, "gen_ai.tool.name", "ai.toolCall.name", "traceloop.entity.name")
    return ToolStep(
        start=span.start,
        end=span.end,
        name=string(name) or span.name.removeprefix("execute_tool ") or "unnamed",
        arguments=loose_arguments(written),
        call_id=text(attributes, "gen_ai.tool.call.id", "ai.toolCall.id"),
        result=as_text(result),
        is_error=_failed(span, result),
        agent=text(attributes, "gen_ai.agent.name"),
    )


def _failed(span: Span, result: JsonValue) -> bool | None:
    """By status or error.type, or by the flag inside an MCP result; a result without either is said on success only."""
    if span.failed or text(span.attributes, "error.type"):
        return True
    inside = obj(from_text(result)).get("isError")
    if isinstance(inside, bool):
        return inside
    return False if span.failed is False or result is not None else None


def _model_step(span: Span) -> ModelStep:
    attributes = span.attributes
    asked = first(attributes, "gen_ai.input.messages", "pydantic_ai.all_messages", "ai.prompt.messages")
    said = first(attributes, "gen_ai.output.messages")
    prompt = _messages(asked) or _from_adk(attributes.get("gcp.vertex.agent.llm_request"))
    answer = _messages(said) or _from_adk(attributes.get("gcp.vertex.agent.llm_response"))
    prompt = (
        prompt or _messages(_from_numbered(attributes, "gen_ai.prompt")) or _from_events(span, answers=False)
    )
    answer = (
        answer
        or _messages(_from_numbered(attributes, "gen_ai.completion"))
        or _from_events(span, answers=True)
    )
    answer = answer or _from_vercel(attributes)
    instructions = from_text(attributes.get("gen_ai.system_instructions"))
    if instructions:
        prompt = (*_messages([{"role": "system", "parts": instructions}]), *prompt)
    return ModelStep(
        start=span.start,
        prompt=prompt,
        answer=answer,
        agent=text(attributes, "gen_ai.agent.name"),
        usage=_usage(attributes),
        model=text(attributes, "gen_ai.response.model", "gen_ai.request.model", "ai.model.id"),
    )


def _messages(written: JsonValue) -> tuple[Message, ...]:
    """Messages in any chat format, as a value or as JSON text."""
    value = from_text(written)
    found = chat_trajectory(value) if value is not None else None
    return found.messages if found else ()


def _from_adk(written: JsonValue) -> tuple[Message, ...]:
    value = obj(from_text(written))
    if "contents" in value:
        return _messages({"contents": value["contents"], "config": inner(value, "config")})
    return _messages([value["content"]]) if is_object(value.get("content")) else ()


def _from_numbered(attributes: JsonObject, prefix: str) -> JsonValue:
    """Messages of the conventions before 2025, an attribute a field: gen_ai.prompt.0.role."""
    return [_numbered_message(message) for message in numbered(attributes, prefix)]


def _numbered_message(message: JsonObject) -> JsonObject:
    calls = [
        {"id": call.get("id"), "function": {"name": call.get("name"), "arguments": call.get("arguments")}}
        for call in numbered(message, "tool_calls")
    ]
    plain: dict[str, JsonValue] = {
        "role": string(message.get("role")) or "assistant",
        "content": as_text(message.get("content")),
        "tool_call_id": message.get("tool_call_id"),
    }
    return {**plain, "tool_calls": calls} if calls else plain


def _from_events(span: Span, *, answers: bool) -> tuple[Message, ...]:
    """Messages of the conventions up to 1.36, an event a message; a `gen_ai.choice` event is an answer."""
    chat: list[JsonValue] = []
    for event in span.events:
        name = text(event, "name") or ""
        body = obj(event.get("attributes"))
        if name == "gen_ai.client.inference.operation.details":
            key = "gen_ai.output.messages" if answers else "gen_ai.input.messages"
            return _messages(body.get(key))
        if name in _EVENT_ROLES and (name == "gen_ai.choice") == answers:
            message = obj(from_text(body.get("message"))) or body
            calls = from_text(message.get("tool_calls"))
            chat.append(
                {
                    "role": _EVENT_ROLES[name],
                    "content": as_text(message.get("content")),
                    "tool_calls": calls if is_array(calls) else None,
                    "tool_call_id": first(message, "tool_call_id", "id"),
                }
            )
    return _messages(chat) if chat else ()


def _from_vercel(attributes: JsonObject) -> tuple[Message, ...]:
    said = text(attributes, "ai.response.text")
    calls = from_text(attributes.get("ai.response.toolCalls"))
    parts: list[JsonValue] = [{"type": "text", "text": said}] if said else []
    if is_array(calls):
        parts += [{**obj(call), "type": "tool-call"} for call in calls]
    return _messages([{"role": "assistant", "content": parts}]) if parts else ()


def _usage(attributes: JsonObject) -> Usage | None:
    asked = count(
        first(attributes, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "ai.usage.promptTokens")
    )
    said = count(
        first(
            attributes,
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.completion_tokens",
            "ai.usage.completionTokens",
        )
    )
    if asked is None and said is None:
        return None
    return Usage(asked, said, count(attributes.get("gen_ai.usage.cache_read.input_tokens")), responses=1)
