"""Langfuse exports: one trace and its observations, whose inputs and outputs are whatever the traced framework wrote."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gatebot.importers.chat_formats import chat_trajectory
from gatebot.importers.fields import as_text, count, first, flag, obj, objects, string, text
from gatebot.importers.loose_values import from_text, loose_arguments
from gatebot.importers.openai_chat import result_text
from gatebot.importers.openinference import openinference_tools
from gatebot.importers.span import seconds
from gatebot.importers.tool_definitions import declare
from gatebot.importers.traced_steps import ModelStep, ToolStep, assemble, enriched
from gatebot.importers.turn_limit import limited
from gatebot.importers.usage import cost_of
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from gatebot.model.trajectory import Message, Trajectory, Usage


class Langfuse:
    """{trace, observations}, or a trace with its observations inside."""

    name = "langfuse"

    def detects(self, document: JsonValue) -> bool:
        """Whether there are observations with a trace id and a type."""
        found = _observations(document)
        return bool(found) and all("type" in o and ("traceId" in o or "trace_id" in o) for o in found)

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory: the root's message list where it has one, else what models and tools did."""
        found = sorted(_observations(document), key=lambda o: text(o, "startTime", "start_time") or "")
        tools = [_tool_step(o) for o in found if o.get("type") == "TOOL"]
        trace = obj(obj(document).get("trace")) or obj(document)
        ends = [text(o, "statusMessage", "status_message") for o in found if not _parent(o)]
        for root in (trace, *(o for o in found if not _parent(o))):
            messages = obj(_value(root.get("output"))).get("messages")
            whole = chat_trajectory(messages) if is_array(messages) else None
            if whole is not None and any(message.role == "assistant" for message in whole.messages):
                return declare(limited(enriched(whole, self.name, tools), *ends), *_tools(found))
        models = [_model_step(o) for o in found if o.get("type") == "GENERATION"]
        models = _with_root_question(models, trace)
        return declare(limited(assemble(self.name, models, tools), *ends), *_tools(found))


def _observations(document: JsonValue) -> list[JsonObject]:
    source = obj(document)
    return objects(source.get("observations")) or objects(obj(source.get("trace")).get("observations"))


def _parent(observation: JsonObject) -> str | None:
    return text(observation, "parentObservationId", "parent_observation_id")


def _value(written: JsonValue) -> JsonValue:
    """The value, where it was written as JSON text once, or, as the trace's own are, twice."""
    return from_text(from_text(written))


def _tools(observations: list[JsonObject]) -> Iterator[JsonValue]:
    """The lists of tools that the models were asked with: parameters, prompts, or attributes of the span behind."""
    for observation in observations:
        if observation.get("type") not in ("GENERATION", "AGENT", "SPAN"):
            continue
        yield obj(first(observation, "modelParameters", "model_parameters")).get("tools")
        yield obj(_value(observation.get("input"))).get("tools")
        attributes = obj(obj(_value(observation.get("metadata"))).get("attributes"))
        yield attributes.get("gen_ai.tool.definitions")
        yield from openinference_tools(attributes)


def _tool_step(observation: JsonObject) -> ToolStep:
    written = _value(observation.get("input"))
    wrapped = obj(written)
    if set(wrapped) == {"input"} and is_object(wrapped["input"]):
        written = wrapped["input"]
    output = _value(observation.get("output"))
    content = obj(output).get("content")
    said = result_text(content) if content is not None else as_text(output)
    level = text(observation, "level")
    failed = True if level == "ERROR" or flag(first(obj(output), "isError", "is_error")) else None
    return ToolStep(
        start=seconds(first(observation, "startTime", "start_time")),
        end=seconds(first(observation, "endTime", "end_time")),
        name=text(observation, "name") or "unnamed",
        arguments=loose_arguments(written),
        result=text(observation, "statusMessage") if failed and said is None else said,
        is_error=failed,
    )


def _model_step(observation: JsonObject) -> ModelStep:
    return ModelStep(
        start=seconds(first(observation, "startTime", "start_time")),
        prompt=_messages(_value(observation.get("input")), "user"),
        answer=_messages(_value(observation.get("output")), "assistant"),
        usage=_usage(observation),
        model=text(observation, "model"),
    )


def _messages(value: JsonValue, role: str) -> tuple[Message, ...]:
    """Messages in any chat format; one message alone; or text, which is the user's or the assistant's."""
    if value is None:
        return ()
    if isinstance(value, str):
        return _from_lines(value) if role == "user" else (Message("assistant", value),)
    found = chat_trajectory(value) or chat_trajectory([value])
    return found.messages if found else ()


def _from_lines(value: str) -> tuple[Message, ...]:
    """A prompt that was logged as text, `system: …` and `user: …` a line; other lines go on with the message before."""
    messages: list[Message] = []
    for line in value.split("\n"):
        role, colon, rest = line.partition(": ")
        if colon and role in ("system", "user", "assistant"):
            spoken = "system" if role == "system" else "user" if role == "user" else "assistant"
            messages.append(Message(spoken, rest))
        elif messages:
            messages[-1] = Message(messages[-1].role, f"{messages[-1].text}\n{line}")
        else:
            messages.append(Message("user", line))
    return tuple(messages)


def _with_root_question(models: list[ModelStep], trace: JsonObject) -> list[ModelStep]:
    """Without a single question in the models' prompts, the trace's own input is the question."""
    if any(message.role == "user" for step in models for message in step.prompt) or not models:
        return models
    asked = _value(trace.get("input"))
    prompt = _messages(asked, "user") if not is_object(asked) else ()
    question = string(obj(asked).get("prompt"))
    first_step = dataclasses.replace(models[0], prompt=prompt or _question(question))
    return [first_step, *models[1:]]


def _question(said: str | None) -> tuple[Message, ...]:
    return (Message("user", said),) if said else ()


def _usage(observation: JsonObject) -> Usage | None:
    details = obj(first(observation, "usageDetails", "usage_details", "usage"))
    cost = cost_of(first(obj(first(observation, "costDetails", "cost_details")), "total"))
    asked, said = count(details.get("input")), count(details.get("output"))
    if asked is None and said is None and cost is None:
        return None
    return Usage(asked, said, count(details.get("input_cache_read")), cost, responses=1)
