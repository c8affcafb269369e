"""smolagents memory steps: tool calls, what was observed, errors; `final_answer` is how the agent answers, and no call.

A CodeAgent calls its tools inside code: they are read from it.
"""

from __future__ import annotations

from gatebot.importers.arguments import Arguments, read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.code_calls import CodeReader
from gatebot.importers.fields import as_text, inner, number, obj, objects, text
from gatebot.importers.tool_names import tool_name
from gatebot.importers.turn_limit import limited
from gatebot.importers.usage import usage_of
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from gatebot.model.trajectory import Trajectory

_FINAL = "final_answer"
_MAX_STEPS = "AgentMaxStepsError"
_INTERPRETER = "python_interpreter"


class Smolagents:
    """`agent.memory.get_succinct_steps()` or `get_full_steps()`, or an object with `steps`."""

    name = "smolagents"

    def detects(self, document: JsonValue) -> bool:
        """Whether there are numbered steps with tool calls or code, and timing."""
        return any("step_number" in step and "timing" in step for step in _steps(document))

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        reader = CodeReader(frozenset({_FINAL}))
        for step in _steps(document):
            if "step_number" in step:
                _add_step(builder, step, reader)
            elif "task" in step:
                builder.say("user", text(step, "task") or "")
            elif "system_prompt" in step:
                builder.say("system", text(step, "system_prompt") or "")
        errors = [inner(step, "error") for step in _steps(document)]
        ends = [f"{_MAX_STEPS}: {text(e, 'message')}" for e in errors if text(e, "type") == _MAX_STEPS]
        return limited(builder.build(), *ends)


def _steps(document: JsonValue) -> list[JsonObject]:
    return objects(document) if is_array(document) else objects(obj(document).get("steps"))


def _add_step(builder: TrajectoryBuilder, step: JsonObject, reader: CodeReader) -> None:
    calls = objects(
        step.get("tool_calls")
    )  # in the order of their ids; the model's own order is in its message
    spoken = objects(inner(step, "model_output_message").get("tool_calls"))
    order = {text(call, "id"): number for number, call in enumerate(spoken)}
    observed = _observations(step, [call for call in calls if _function(call).get("name") != _FINAL])
    calls.sort(key=lambda call: order.get(text(call, "id"), len(order)))
    final = [call for call in calls if _function(call).get("name") == _FINAL]
    others = [call for call in calls if _function(call).get("name") != _FINAL]
    timing = obj(step.get("timing"))
    times = (number(timing.get("start_time")), number(timing.get("end_time")))
    usage = usage_of(step.get("token_usage"))
    if others or not final:
        builder.say("assistant", as_text(step.get("model_output")) or "", usage=usage)
    if len(others) == 1 and _add_code(builder, step, others[0], reader):
        others = []
        observed = []
    for call in others:
        function = _function(call)
        name = tool_name(function)
        written = function.get("arguments")
        if name == _INTERPRETER and isinstance(written, str):
            builder.warn("code whose calls cannot be counted is one call, with the code as its argument")
            arguments = Arguments({"code": written})
        else:
            arguments = read_arguments(written)
        builder.call(name, arguments, call_id=text(call, "id"), times=times)
    failed = bool(step["error"]) if "error" in step else None
    for call_id, said in observed:
        builder.result(said, call_id=call_id, is_error=failed)
    for call in final:
        written = _function(call).get("arguments")
        answer = written.get("answer") if is_object(written) and "answer" in written else written
        builder.say("assistant", as_text(answer) or "", usage=None if others else usage)
    if step.get("is_final_answer") is True and not final and step.get("action_output") is not None:
        builder.say("assistant", as_text(step.get("action_output")) or "")


def _add_code(builder: TrajectoryBuilder, step: JsonObject, call: JsonObject, reader: CodeReader) -> bool:
    """Add the tools that a CodeAgent's code calls in place of the interpreter; False where that cannot be told.

    What was observed is the result of one call, and of none in particular where there are several.
    """
    code = _function(call).get("arguments")
    if _function(call).get("name") != _INTERPRETER or not isinstance(code, str):
        return False
    made = reader.calls(code)
    if made is None:
        return False
    for name, arguments in made:
        builder.call(name, arguments)
    seen = _observations(step, [call])
    if len(made) == 1 and seen:
        failed = bool(step["error"]) if "error" in step else None
        builder.result(seen[0][1], name=made[0][0], is_error=failed)
    if not made and step.get("error"):
        builder.warn("code that calls no tool failed")
    return True


def _observations(step: JsonObject, calls: list[JsonObject]) -> list[tuple[str | None, str]]:
    """What each call gave. The observations of a step are one text: a line each where there are as many lines as calls."""
    observed = as_text(step.get("observations"))
    if step.get("error"):
        observed = text(inner(step, "error"), "message") or observed
    if observed is None:
        return []
    lines = observed.split("\n")
    if len(lines) != len(calls) or step.get("error"):
        lines = [observed] * len(calls)
    return [(text(call, "id"), line) for call, line in zip(calls, lines, strict=True)]


def _function(call: JsonObject) -> JsonObject:
    return obj(call.get("function")) or call
