"""OpenTelemetry GenAI spans, with the ways in which exporters differ: ADK, Vercel, Traceloop and older conventions.

A tool is told by the operation or the kind of its span, never by an attribute that merely has "tool" in its name.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gatebot.importers.fields import as_text, count, first, obj, string, text
from gatebot.importers.flat_keys import numbered
from gatebot.importers.loose_values import from_text, loose_arguments
from gatebot.importers.otel_content import answer_of, prompt_of
from gatebot.importers.span import Span, exceptions, read_spans
from gatebot.importers.tool_definitions import declare
from gatebot.importers.traced_steps import ModelStep, ToolStep, assemble
from gatebot.importers.turn_limit import limited
from gatebot.model.json_value import JsonObject, JsonValue
from gatebot.model.trajectory import Trajectory, Usage

_ASK_A_MODEL = ("chat", "generate_content", "text_completion")
_MARKS = (
    "gen_ai.operation.name",
    "gen_ai.system",
    "gen_ai.provider.name",
    "ai.operationId",
    "traceloop.span.kind",
)


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
            agents = [_agent_step(span) for span in spans if _operation(span) == "invoke_agent"]
            models += [step for step in agents if step.answer]
        if not any(step.answer for step in models):
            warnings.append("the spans hold no messages: the exporter was not asked to capture content")
        if any(step.arguments.values is None for step in tools) and not any(step.answer for step in models):
            warnings.append("the spans hold no arguments: they are unknown, and get no verdict")
        told = assemble(self.name, models, tools, warnings)
        ends = exceptions(span for span in spans if not _is_tool(span))
        return declare(limited(told, *ends), *_tools(spans))


def _tools(spans: list[Span]) -> Iterator[JsonValue]:
    """The lists of tools on the spans of models and agents; Strands tells a tool's schema on the tool's own span."""
    for span in spans:
        attributes = span.attributes
        yield attributes.get("gen_ai.tool.definitions")
        yield attributes.get("ai.prompt.tools")
        yield list(numbered(attributes, "llm.request.functions"))
        schema = obj(from_text(attributes.get("gen_ai.tool.json_schema")))
        name = text(attributes, "gen_ai.tool.name")
        if schema and name:
            yield [{"name": name, "parameters": first(schema, "json") or schema}]


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
    return ModelStep(
        start=span.start,
        prompt=prompt_of(span),
        answer=answer_of(span),
        agent=text(attributes, "gen_ai.agent.name"),
        usage=_usage(attributes),
        model=text(attributes, "gen_ai.response.model", "gen_ai.request.model", "ai.model.id"),
    )


def _agent_step(span: Span) -> ModelStep:
    """What an agent's span tells of the whole run; Pydantic AI's tells question and answers in one list."""
    step = _model_step(span)
    spoken = tuple(message for message in step.prompt if message.role == "assistant")
    return dataclasses.replace(step, answer=step.answer or spoken)


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
