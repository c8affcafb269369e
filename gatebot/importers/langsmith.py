"""LangSmith runs: a tree of `child_runs` or a flat list, in order of `dotted_order`."""

from __future__ import annotations

from gatebot.importers.chat_formats import chat_trajectory
from gatebot.importers.fields import as_text, count, first, inner, items, obj, objects, string, text
from gatebot.importers.langchain import LangChain, flatten
from gatebot.importers.loose_values import loose_arguments
from gatebot.importers.openai_chat import result_text
from gatebot.importers.span import seconds
from gatebot.importers.tool_definitions import declare
from gatebot.importers.traced_steps import ModelStep, ToolStep, assemble, enriched
from gatebot.importers.turn_limit import limited
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from gatebot.model.trajectory import Message, Trajectory, Usage


class LangSmith:
    """The runs of one trace: the root's messages where it has them, else what models and tools did."""

    name = "langsmith"

    def detects(self, document: JsonValue) -> bool:
        """Whether runs have a type and a place in a trace."""
        found = objects(document) if is_array(document) else [obj(document)]
        return bool(found) and all(
            "run_type" in run and ("trace_id" in run or "dotted_order" in run) for run in found
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for a call without a name."""
        runs = _all_runs(objects(document) if is_array(document) else [obj(document)])
        tools = [_tool_step(run) for run in runs if run.get("run_type") == "tool"]
        root, end = obj(runs[0].get("outputs")), as_text(runs[0].get("error"))
        messages = first(root, "messages", "output")
        whole = chat_trajectory(messages) if is_array(messages) else None
        if whole is not None and any(message.role == "assistant" for message in whole.messages):
            return declare(limited(enriched(whole, self.name, tools), end), *_tools(runs))
        models = [_model_step(run) for run in runs if run.get("run_type") == "llm"]
        return declare(limited(assemble(self.name, models, tools), end), *_tools(runs))


def _all_runs(roots: list[JsonObject]) -> list[JsonObject]:
    """Every run of the tree once, in dotted order; iterative."""
    found: dict[str, JsonObject] = {}
    frontier = list(reversed(roots))
    while frontier:
        run = frontier.pop()
        found.setdefault(text(run, "id") or f"run {len(found)}", run)
        frontier += reversed(objects(run.get("child_runs")))
    return sorted(found.values(), key=lambda run: text(run, "dotted_order") or text(run, "start_time") or "")


def _tools(runs: list[JsonObject]) -> list[JsonValue]:
    """The lists of tools that the models were invoked with."""
    invoked = [inner(run, "extra", "invocation_params") for run in runs if run.get("run_type") == "llm"]
    return [asked.get(key) for asked in invoked for key in ("tools", "functions")]


def _tool_step(run: JsonObject) -> ToolStep:
    inputs, outputs = obj(run.get("inputs")), obj(run.get("outputs"))
    written: JsonValue = inputs
    if set(inputs) == {"input"} and not is_object(inputs["input"]):
        written = inputs["input"]  # often Python's repr of the arguments
    elif set(inputs) == {"input"}:
        written = inputs["input"]
    output = outputs.get("output", run.get("outputs"))
    message = flatten(output) if is_object(output) else None
    failed = bool(run.get("error"))
    if message is not None:
        failed = failed or message.get("status") == "error"
    result = as_text(run.get("error")) or (
        result_text(message.get("content")) if message else as_text(output)
    )
    return ToolStep(
        start=seconds(run.get("start_time")),
        end=seconds(run.get("end_time")),
        name=text(run, "name") or "unnamed",
        arguments=loose_arguments(written),
        call_id=text(message, "tool_call_id") if message else None,
        result=result,
        is_error=failed if failed or run.get("end_time") else None,
    )


def _model_step(run: JsonObject) -> ModelStep:
    inputs, outputs = obj(run.get("inputs")), obj(run.get("outputs"))
    asked = inputs.get("messages")
    if is_array(asked) and asked and is_array(asked[0]):
        asked = asked[0]  # a batch of one
    prompt = chat_trajectory(asked) if asked is not None else None
    metadata = inner(run, "extra", "metadata")
    return ModelStep(
        start=seconds(run.get("start_time")),
        prompt=prompt.messages if prompt else (),
        answer=_answer(outputs),
        usage=_usage(run, outputs),
        model=text(metadata, "ls_model_name"),
    )


def _answer(outputs: JsonObject) -> tuple[Message, ...]:
    """The first generation's message, a provider's own response, or a bare message."""
    generations = items(outputs.get("generations"))
    generation = generations[0] if generations else None
    generation = items(generation)[0] if is_array(generation) and generation else generation
    written: JsonValue
    if is_object(generation):
        message = generation.get("message")
        written = (
            [message] if is_object(message) else [{"role": "assistant", "content": text(generation, "text")}]
        )
    else:
        written = [outputs["message"]] if is_object(outputs.get("message")) else dict(outputs)
    if is_array(written) and LangChain().detects(written) is False and string(obj(written[0]).get("type")):
        return ()
    found = chat_trajectory(written)
    return found.messages if found else ()


def _usage(run: JsonObject, outputs: JsonObject) -> Usage | None:
    stated = obj(outputs.get("usage_metadata"))
    asked = count(first(run, "prompt_tokens")) or count(stated.get("input_tokens"))
    said = count(first(run, "completion_tokens")) or count(stated.get("output_tokens"))
    return None if asked is None and said is None else Usage(asked, said, responses=1)
