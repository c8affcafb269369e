"""OpenInference spans, as Phoenix and many instrumentors export them, with flat or nested attributes.

`tool.parameters` is a schema in some instrumentors and the arguments in others, so it is never read.
"""

from __future__ import annotations

from gatebot.importers.chat_formats import chat_trajectory
from gatebot.importers.fields import as_text, count, flag, obj, string, text
from gatebot.importers.flat_keys import numbered, under, value_of
from gatebot.importers.langchain import flatten
from gatebot.importers.loose_values import from_text, loose_arguments
from gatebot.importers.openai_chat import result_text
from gatebot.importers.span import Span, exceptions, read_spans
from gatebot.importers.tool_definitions import declare
from gatebot.importers.traced_steps import ModelStep, ToolStep, assemble
from gatebot.importers.turn_limit import limited
from gatebot.model.json_value import JsonObject, JsonValue, is_object
from gatebot.model.trajectory import Message, Trajectory, Usage

_KIND = "openinference.span.kind"


class OpenInference:
    """Spans with a kind of OpenInference: LLM and TOOL spans tell the same calls, each counted once."""

    name = "openinference"

    def detects(self, document: JsonValue) -> bool:
        """Whether some span says its kind."""
        return any(_kind(span) for span in read_spans(document))

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError when a value cannot be written as JSON."""
        spans = read_spans(document)
        models = [_model_step(span) for span in spans if _kind(span) == "LLM"]
        tools = [_tool_step(span) for span in spans if _kind(span) == "TOOL"]
        if not any(step.answer for step in models):  # smolagents' and others' agents answer on their own span
            agents = [_agent_step(span) for span in spans if _kind(span) in ("AGENT", "CHAIN")]
            models += [step for step in agents if step.answer][:1]
        attributes = [span.attributes for span in spans if _kind(span) == "LLM"]
        listed = [found for one in attributes for found in openinference_tools(one)]
        ends = exceptions(span for span in spans if _kind(span) != "TOOL")
        return declare(limited(assemble(self.name, models, tools), *ends), *listed)


def openinference_tools(attributes: JsonObject) -> list[JsonValue]:
    """The lists of tools that the attributes of one model's span hold: numbered schemas, or the invocation's."""
    numbered_tools = numbered(attributes, "llm.tools")
    invoked = obj(from_text(value_of(attributes, "llm.invocation_parameters")))
    return [[value_of(tool, "tool.json_schema") for tool in numbered_tools], invoked.get("tools")]


def _kind(span: Span) -> str:
    return (string(value_of(span.attributes, _KIND)) or "").upper()


def _tool_step(span: Span) -> ToolStep:
    attributes = span.attributes
    written = from_text(value_of(attributes, "input.value"))
    wrapped = obj(written)
    if set(wrapped) <= {"args", "kwargs", "sanitize_inputs_outputs"} and is_object(wrapped.get("kwargs")):
        written = wrapped["kwargs"]  # smolagents wraps the arguments
    output = from_text(value_of(attributes, "output.value"))
    message = flatten(output) if is_object(output) else None
    failed = span.failed
    call_id = string(value_of(attributes, "tool.id")) or string(value_of(attributes, "tool_call.id"))
    if message is not None:  # a LangChain tool's output is the whole message
        failed = True if failed or message.get("status") == "error" else failed
        call_id = call_id or text(message, "tool_call_id")
        result = result_text(message.get("content"))
    else:
        result = as_text(value_of(attributes, "output.value"))
        failed = True if failed or flag(obj(output).get("isError")) else failed
    return ToolStep(
        start=span.start,
        end=span.end,
        name=string(value_of(attributes, "tool.name")) or span.name or "unnamed",
        arguments=loose_arguments(written),
        call_id=call_id,
        result=result,
        is_error=failed,
        agent=string(value_of(attributes, "agent.name")),
    )


def _model_step(span: Span) -> ModelStep:
    attributes = span.attributes
    return ModelStep(
        start=span.start,
        prompt=_messages(numbered(attributes, "llm.input_messages")),
        answer=_messages(numbered(attributes, "llm.output_messages")),
        agent=string(value_of(attributes, "agent.name")),
        usage=_usage(attributes),
        model=string(value_of(attributes, "llm.model_name")),
    )


def _agent_step(span: Span) -> ModelStep:
    """An agent's question and answer, where they are plain text."""
    asked, said = value_of(span.attributes, "input.value"), value_of(span.attributes, "output.value")
    task = string(obj(from_text(asked)).get("task")) or (asked if isinstance(from_text(asked), str) else None)
    answer = said if isinstance(from_text(said), str) else None
    return ModelStep(
        start=span.end,
        prompt=(Message("user", string(task) or ""),) if task else (),
        answer=(Message("assistant", string(answer) or ""),) if answer else (),
    )


def _messages(listed: list[JsonObject]) -> tuple[Message, ...]:
    chat = [_message(under(item, "message") or item) for item in listed]
    found = chat_trajectory(chat) if chat else None
    return found.messages if found else ()


def _message(source: JsonObject) -> JsonObject:
    """One message as OpenAI chat; its role may be missing on an answer."""
    said = as_text(value_of(source, "content"))
    parts = [under(part, "message_content") or part for part in numbered(source, "contents")]
    if said is None and parts:
        said = "".join(string(value_of(part, "text")) or "" for part in parts)
    calls: list[JsonValue] = []
    for item in numbered(source, "tool_calls"):
        call = under(item, "tool_call") or item
        function = {
            "name": value_of(call, "function.name"),
            "arguments": value_of(call, "function.arguments"),
        }
        if function["name"]:
            calls.append({"id": value_of(call, "id"), "function": function})
    role = string(value_of(source, "role")) or "assistant"
    role = {"model": "assistant", "human": "user", "ai": "assistant", "tool-response": "tool"}.get(role, role)
    message: dict[str, JsonValue] = {"role": role, "content": said}
    if role == "tool":
        message["tool_call_id"] = value_of(source, "tool_call_id")
    return {**message, "tool_calls": calls} if calls else message


def _usage(attributes: JsonObject) -> Usage | None:
    asked = count(value_of(attributes, "llm.token_count.prompt"))
    said = count(value_of(attributes, "llm.token_count.completion"))
    if asked is None and said is None:
        return None
    return Usage(
        asked, said, count(value_of(attributes, "llm.token_count.prompt_details.cache_read")), responses=1
    )
