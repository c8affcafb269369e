"""ATIF, the Agent Trajectory Interchange Format (v1.0 to v1.8): steps with tool calls and observations.

The format has no error flag; harbor and atif-make keep one in `extra`.
"""

from __future__ import annotations

from gatebot.importers.arguments import read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import count, flag, inner, obj, objects, text
from gatebot.importers.openai_chat import content_text, result_text
from gatebot.importers.tool_names import tool_name
from gatebot.importers.usage import cost_of
from gatebot.model.json_value import JsonObject, JsonValue
from gatebot.model.trajectory import Trajectory, Usage


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
        for key, what in (
            ("subagent_trajectories", "trajectories of sub-agents"),
            ("continued_trajectory_ref", "the trajectory that continues this one"),
        ):
            if source.get(key):
                builder.warn(f"{what} were left out")
        for step in objects(source.get("steps")):
            _add(builder, step)
        return builder.build()


def _add(builder: TrajectoryBuilder, step: JsonObject) -> None:
    if step.get("is_copied_context") is True:
        builder.warn("steps copied from an earlier trajectory were left out")
        return
    role = text(step, "source")
    said = content_text(step.get("message"))
    if role in ("system", "user"):
        builder.say("system" if role == "system" else "user", said)
    else:
        builder.model(text(step, "model_name"))
        builder.say("assistant", said, usage=_usage(obj(step.get("metrics"))))
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
