"""ATIF, the Agent Trajectory Interchange Format (v1.0 to v1.8): steps with tool calls and observations.

The format has no error flag; harbor and atif-make keep one in `extra`.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from gatebot.importers.arguments import read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import count, flag, inner, obj, objects, text
from gatebot.importers.openai_chat import content_text, result_text
from gatebot.importers.tool_definitions import declare
from gatebot.importers.tool_names import tool_name
from gatebot.importers.usage import cost_of
from gatebot.model.json_value import JsonObject, JsonValue
from gatebot.model.trajectory import Trajectory, Usage

_Step: TypeAlias = tuple[JsonObject, str | None]
_Known: TypeAlias = ChainMap[str, JsonObject]
_DEEPEST = 20
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
        nest = _Nest(builder)
        for step, agent in nest.steps(source):
            _add(builder, step, agent)
        return declare(builder.build(), *(inner(a, "agent").get("tool_definitions") for a in nest.agents))


@dataclass(slots=True)
class _Nest:
    """Sub-agents within sub-agents: those told already, by identity, and every agent met, for its tools."""

    builder: TrajectoryBuilder
    told: set[int] = field(default_factory=set[int])
    agents: list[JsonObject] = field(default_factory=list[JsonObject])

    def steps(self, source: JsonObject) -> Iterator[_Step]:
        """The steps with who made them; the agent is None where there is one alone."""
        self.agents.append(source)
        if not objects(source.get("subagent_trajectories")):
            return ((step, None) for step in objects(source.get("steps")))
        self.builder.warn("the calls of sub-agents are counted, under their names")
        name = text(inner(source, "agent"), "name") or "main"
        return self._walk(source, objects(source.get("steps")), name, ChainMap(), 0)

    def _walk(
        self, source: JsonObject, steps: list[JsonObject], name: str, outer: _Known, depth: int
    ) -> Iterator[_Step]:
        """One agent's steps, a sub-agent's after the step that refers to it, else before the last one."""
        subs = objects(source.get("subagent_trajectories"))
        known = outer.new_child({ident: sub for sub in subs for key in _IDS if (ident := text(sub, key))})
        if subs and depth == _DEEPEST:
            self.builder.warn(f"sub-agents nested more than {_DEEPEST} deep were left out")
            subs = []
        for number, step in enumerate(steps):
            if number == len(steps) - 1:
                for sub in subs:
                    yield from self._sub(sub, known, depth)
            yield step, name
            for ident in _referred(step) if depth < _DEEPEST else ():
                if (sub := known.get(ident)) is not None:
                    yield from self._sub(sub, known, depth)
        for sub in subs:
            yield from self._sub(sub, known, depth)

    def _sub(self, sub: JsonObject, known: _Known, depth: int) -> Iterator[_Step]:
        """A sub-agent's own steps, once. What it was asked stands in the call that started it."""
        if id(sub) in self.told:
            return
        self.told.add(id(sub))
        self.agents.append(sub)
        name = text(inner(sub, "agent"), "name") or "sub-agent"
        steps = [step for step in objects(sub.get("steps")) if text(step, "source") == "agent"]
        yield from self._walk(sub, steps, name, known, depth + 1)


def _referred(step: JsonObject) -> Iterator[str]:
    """The trajectories of sub-agents that the step's results refer to."""
    for result in objects(inner(step, "observation").get("results")):
        for ref in objects(result.get("subagent_trajectory_ref")):
            yield from (ident for key in _IDS if (ident := text(ref, key)))


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
