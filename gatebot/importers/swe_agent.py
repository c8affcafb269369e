"""SWE-agent trajectories: actions as shell text or tool calls, each counted once; the answer is what was submitted."""

from __future__ import annotations

from gatebot.importers.arguments import Arguments, read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import as_text, inner, items, obj, objects, string, text
from gatebot.importers.openai_chat import content_text
from gatebot.importers.tool_names import tool_name
from gatebot.model.json_value import JsonObject, JsonValue
from gatebot.model.trajectory import Trajectory

_SUBMIT = "submit"


class SweAgent:
    """A .traj: `history` with the messages, `trajectory` with the steps, `info` with how it ended."""

    name = "swe-agent"

    def detects(self, document: JsonValue) -> bool:
        """Whether it has steps with action and observation, or a history with actions."""
        source = obj(document)
        steps, history = objects(source.get("trajectory")), objects(source.get("history"))
        return any("action" in s and "observation" in s for s in steps) or any(
            "action" in m or m.get("message_type") == "action" for m in history
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory, without demonstrations. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        source = obj(document)
        steps = objects(source.get("trajectory"))
        history = [m for m in objects(source.get("history")) if m.get("is_demo") is not True]
        if steps:
            for message in history:
                if message.get("role") == "assistant":
                    break
                _add_spoken(builder, message)
            for step in steps:
                _add_step(builder, step)
        else:
            for message in history:
                _add_message(builder, message)
        if submission := text(obj(source.get("info")), "submission"):
            builder.say("assistant", submission)
        return builder.build()


def _add_spoken(builder: TrajectoryBuilder, message: JsonObject) -> None:
    role = "system" if message.get("role") == "system" else "user"
    builder.say(role, content_text(message.get("content")))


def _add_step(builder: TrajectoryBuilder, step: JsonObject) -> None:
    builder.say("assistant", text(step, "thought", "response") or "")
    calls = objects(step.get("tool_calls"))
    if calls:
        for call in calls:
            _add_call(builder, call)
    else:
        _add_action(builder, text(step, "action"))
    observed = as_text(step.get("observation"))
    if observed is not None:
        for _ in calls or [None]:
            builder.result(observed)


def _add_action(builder: TrajectoryBuilder, action: str | None) -> None:
    """Shell text: its first word is the command, all of it the one argument."""
    words = (action or "").split(maxsplit=1)
    if words:
        builder.call(words[0], Arguments({"action": action}))


def _add_message(builder: TrajectoryBuilder, message: JsonObject) -> None:
    role = message.get("role")
    if role == "assistant":
        said = content_text(message.get("content"))
        calls = objects(message.get("tool_calls"))
        if any(inner(call, "function").get("name") == _SUBMIT for call in calls):
            # Submitting is how the agent ends: what it says with it is its answer.
            builder.say("assistant", "")
            for call in calls:
                _add_call(builder, call)
            builder.say("assistant", said)
            return
        builder.say("assistant", said)
        for call in calls:
            _add_call(builder, call)
        if not calls:
            _add_action(builder, text(message, "action"))
    elif message.get("message_type") == "observation" and builder.has_open_calls:
        ids = [string(item) for item in items(message.get("tool_call_ids"))] or [
            text(message, "tool_call_id")
        ]
        for call_id in ids:
            builder.result(content_text(message.get("content")), call_id=call_id)
    else:
        _add_spoken(builder, message)


def _add_call(builder: TrajectoryBuilder, call: JsonObject) -> None:
    function = obj(call.get("function"))
    written = read_arguments(function.get("arguments"))
    builder.call(tool_name(function), written, call_id=text(call, "id"))
