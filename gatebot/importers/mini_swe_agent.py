"""mini-swe-agent trajectories: one bash block in an assistant message is the call; a non-zero returncode is its error."""

from __future__ import annotations

import re

from gatebot.importers.arguments import Arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import count, inner, obj, objects, text
from gatebot.importers.openai_chat import OpenAIChat, add_message, content_text
from gatebot.importers.turn_limit import limited
from gatebot.model.json_value import JsonObject, JsonValue, is_array
from gatebot.model.trajectory import Trajectory

_BLOCK = re.compile(r"```(?:mswea_bash_command|bash)[ \t]*\n(.*?)\n?```", re.DOTALL)
_FENCE = "```mswea_bash_command"
_RETURN_CODE = re.compile(r"<returncode>\s*(-?\d{1,9})\s*</returncode>")
_TOOL = "bash"


class MiniSweAgent:
    """The message list, or an object with `messages`, `info` and `trajectory_format`."""

    name = "mini-swe-agent"

    def detects(self, document: JsonValue) -> bool:
        """Whether the object says so, or an assistant message has a bash block of this agent's."""
        if (text(obj(document), "trajectory_format") or "").startswith("mini-swe-agent"):
            return True
        messages = _messages(document)
        return OpenAIChat().detects(messages) and any(
            m.get("role") == "assistant" and _FENCE in content_text(m.get("content")) for m in messages
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for an unknown role."""
        builder = TrajectoryBuilder(self.name)
        for message in _messages(document):
            _add(builder, message)
        if submission := text(obj(obj(document).get("info")), "submission"):
            builder.say("assistant", submission)
        return limited(builder.build(), _limit(obj(obj(document).get("info"))))


def _limit(info: JsonObject) -> str | None:
    """The exit status, where the limit that was exceeded is that of steps and not that of money."""
    limit, made = (
        count(inner(info, "config", "agent").get("step_limit")),
        count(inner(info, "model_stats").get("api_calls")),
    )
    status = text(info, "exit_status")
    reached = status == "LimitsExceeded" and limit and made is not None and made >= limit
    return f"{status}: step limit of {limit}" if reached else None


def _messages(document: JsonValue) -> list[JsonObject]:
    return objects(document) if is_array(document) else objects(obj(document).get("messages"))


def _add(builder: TrajectoryBuilder, message: JsonObject) -> None:
    said = content_text(message.get("content"))
    if message.get("role") == "exit":
        return
    if message.get("role") == "assistant" and not message.get("tool_calls"):
        builder.say("assistant", said)
        blocks = _BLOCK.findall(said)
        if len(blocks) == 1:
            builder.call(_TOOL, Arguments({"command": str(blocks[0])}))
        elif blocks:
            builder.warn("a message with several bash blocks: the agent refuses it and runs none")
    elif message.get("role") == "user" and builder.has_open_calls:
        code = _RETURN_CODE.search(said)
        builder.result(said, is_error=None if code is None else int(code.group(1)) != 0)
    else:
        add_message(builder, message)
