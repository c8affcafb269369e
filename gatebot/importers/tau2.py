"""τ²-bench simulations: arguments as objects, an error flag on results, and calls that the simulated user makes itself."""

from __future__ import annotations

from collections.abc import Iterator

from gatebot.importers.arguments import read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import flag, obj, objects, string, text
from gatebot.importers.openai_chat import content_text, result_text
from gatebot.importers.tool_names import tool_name
from gatebot.importers.turn_limit import limited
from gatebot.importers.usage import cost_of, usage_of
from gatebot.model.json_value import JsonObject, JsonValue
from gatebot.model.trajectory import Trajectory


class Tau2Simulation:
    """One simulation: `messages` beside `termination_reason` or `reward_info`."""

    name = "tau2-simulation"

    def detects(self, document: JsonValue) -> bool:
        """Whether it is an object with messages and what τ² says about a simulation."""
        source = obj(document)
        return (
            bool(objects(source.get("messages"))) and "task_id" in source and "termination_reason" in source
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory of the agent; the user's own calls do not count. Raises ImportFormatError."""
        builder = TrajectoryBuilder(self.name)
        of_user: set[str] = set()
        for message in _flat(objects(obj(document).get("messages"))):
            _add(builder, message, of_user)
        return limited(builder.build(), text(obj(document), "termination_reason"))


def _flat(messages: list[JsonObject]) -> Iterator[JsonObject]:
    """Several results in one message are messages of their own."""
    for message in messages:
        several = objects(message.get("tool_messages"))
        yield from several or [message]


def _add(builder: TrajectoryBuilder, message: JsonObject, of_user: set[str]) -> None:
    role = string(message.get("role"))
    said = content_text(message.get("content"))
    calls = objects(message.get("tool_calls"))
    if role == "tool":
        call_id = text(message, "id", "tool_call_id")
        if message.get("requestor") == "user" or call_id in of_user:
            return
        builder.result(
            result_text(message.get("content")), call_id=call_id, is_error=flag(message.get("error"))
        )
        return
    if role == "assistant":
        usage = usage_of(message.get("usage"), cost_usd=cost_of(message.get("cost")))
        builder.say("assistant", said, usage=usage)
    else:
        builder.say("system" if role == "system" else "user", said)
    for call in calls:
        if role != "assistant" or call.get("requestor") == "user":
            of_user.add(text(call, "id") or "")
            builder.warn("calls that the simulated user made itself were left out")
        else:
            builder.call(tool_name(call), read_arguments(call.get("arguments")), call_id=text(call, "id"))
