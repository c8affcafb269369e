"""ATIF, the Agent Trajectory Interchange Format (v1.0 to v1.8): steps with tool calls and observations.

The format has no error flag; harbor and atif-make keep one in `extra`.
"""

from __future__ import annotations

from collections.abc import Iterator

from gatebot.importers.arguments import read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import count, flag, inner, obj, objects, text
from gatebot.importers.openai_chat import content_text, result_text
from gatebot.importers.tool_definitions import declare
from gatebot.importers.tool_names import tool_name
from gatebot.importers.usage import cost_of
from gatebot.model.json_value import JsonObject, JsonValue
from gatebot.model.trajectory import Trajectory, Usage

_IDS = ("trajectory_id", "session_id")


class Atif:
    """One ATIF document."""

    name = "atif"

    def detects(self, document: JsonValue) -> bool:
        """Whether its schema_version says so."""
        return (text(obj(document), "schema_version") or "").startswith("ATIF-v")

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        source = obj(document)
        builder.model(text(inner(source, "agent"), "model_name"))
        if source.get("continued_trajectory_ref"):
            builder.warn("the trajectory that continues this one was left out")
        for step, agent in _steps(builder, source):
            _add(builder, step, agent)
        agents = [source, *objects(source.get("subagent_trajectories"))]
        return declare(builder.build(), *(inner(a, "agent").get("tool_definitions") for a in agents))


def _steps(builder: TrajectoryBuilder, source: JsonObject) -> list[tuple[JsonObject, str | None]]:
    """The steps with who made them: a sub-agent's after the step that refers to it, else before the last step."""
    steps = objects(source.get("steps"))
    subs = objects(source.get("subagent_trajectories"))
    if not subs:
        return [(step, None) for step in steps]
    builder.warn("the calls of sub-agents are counted, under their names")
    by_id = {ident: sub for sub in subs for key in _IDS if (ident := text(sub, key))}
    main = text(inner(source, "agent"), "name") or "main"
    waiting = {id(sub): sub for sub in subs}
    found: list[tuple[JsonObject, str | None]] = []
    for number, step in enumerate(steps):
        called = [by_id[ident] for ident in _referred(step) if ident in by_id]
        mine = [sub for sub in called if waiting.pop(id(sub), None) is not None]
        if number == len(steps) - 1:
            found.extend(made for sub in waiting.values() for made in _of_sub(builder, sub))
        found.append((step, main))
        found.extend(made for sub in mine for made in _of_sub(builder, sub))
    return found


def _referred(step: JsonObject) -> Iterator[str]:
    """The trajectories of sub-agents that the step's results refer to."""
    for result in objects(inner(step, "observation").get("results")):
        for ref in objects(result.get("subagent_trajectory_ref")):
            yield from (ident for key in _IDS if (ident := text(ref, key)))


def _of_sub(builder: TrajectoryBuilder, sub: JsonObject) -> list[tuple[JsonObject, str | None]]:
    """A sub-agent's own steps. What it was asked stands in the call that started it."""
    if sub.get("subagent_trajectories"):
        builder.warn("the sub-agents of sub-agents were left out")
    name = text(inner(sub, "agent"), "name") or "sub-agent"
    return [(step, name) for step in objects(sub.get("steps")) if text(step, "source") == "agent"]


def _add(builder: TrajectoryBuilder, step: JsonObject, agent: str | None) -> None:
    if step.get("is_copied_context") is True:
        builder.warn("steps copied from an earlier trajectory were left out")
        return
    role = text(step, "source")
    said = content_text(step.get("message"))
    if role in ("system", "user"):
        builder.say("system" if role == "system" else "user", said)
    else:
        builder.model(text(step, "model_name"))
        builder.say("assistant", said, agent=agent, usage=_usage(obj(step.get("metrics"))))
        for call in objects(step.get("tool_calls")):
            builder.call(
                tool_name(call, "function_name"),
                read_arguments(call.get("arguments")),
                call_id=text(call, "tool_call_id"),
            )
    if step.get("tool_calls"):
        for result in objects(inner(step, "observation").get("results")):
            extra = obj(result.get("extra"))
            failed = flag(extra.get("tool_result_is_error"))
            builder.result(
                result_text(result.get("content")),
                call_id=text(result, "source_call_id"),
                is_error=failed if failed is not None else flag(extra.get("is_error")),
            )


def _usage(metrics: JsonObject) -> Usage | None:
    prompt, completion = count(metrics.get("prompt_tokens")), count(metrics.get("completion_tokens"))
    cost = cost_of(metrics.get("cost_usd"))
    if prompt is None and completion is None and cost is None:
        return None
    return Usage(prompt, completion, count(metrics.get("cached_tokens")), cost, responses=1)
