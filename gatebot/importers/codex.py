"""Codex: rollout files, whose response items are those of the Responses API, and the events of `codex exec --json`."""

from __future__ import annotations

from gatebot.importers.arguments import Arguments, read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import as_text, count, first, inner, obj, objects, string, text
from gatebot.importers.openai_responses import add_item
from gatebot.importers.tool_names import tool_name
from gatebot.importers.usage import usage_of
from gatebot.model.json_value import JsonObject, JsonValue, is_array
from gatebot.model.trajectory import Trajectory


class CodexRollout:
    """A session's rollout: lines {type, payload}, or an object with `items`."""

    name = "codex-rollout"

    def detects(self, document: JsonValue) -> bool:
        """Whether some line is a response item."""
        return any(line.get("type") == "response_item" and "payload" in line for line in _lines(document))

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        for line in _lines(document):
            payload = obj(line.get("payload"))
            if line.get("type") == "response_item":
                _add_rollout_item(builder, payload)
            elif line.get("type") == "turn_context":
                builder.model(text(payload, "model"))
        return builder.build()


class CodexExec:
    """The event stream of `codex exec --json`: each item is started and completed, and counts once."""

    name = "codex-exec"

    def detects(self, document: JsonValue) -> bool:
        """Whether there are completed items with a type, and nothing but such events first."""
        lines = _lines(document)
        return any(line.get("type") == "item.completed" for line in lines) and all(
            (string(line.get("type")) or "").partition(".")[0] in ("thread", "turn", "item", "error")
            for line in lines
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        for line in _lines(document):
            if line.get("type") == "item.completed":
                _add_exec_item(builder, obj(line.get("item")))
            elif line.get("type") == "turn.completed" and builder.open_turn:
                builder.add_usage(usage_of(line.get("usage")))
            elif line.get("type") in ("turn.failed", "error"):
                builder.warn("a turn ended in an error")
        return builder.build()


def _lines(document: JsonValue) -> list[JsonObject]:
    return objects(document) if is_array(document) else objects(obj(document).get("items"))


def _add_rollout_item(builder: TrajectoryBuilder, item: JsonObject) -> None:
    """A response item; a shell's output is JSON that says the exit code."""
    if item.get("type") == "function_call_output":
        output = item.get("output")
        wrapped = obj(read_arguments(output).values) if isinstance(output, str) else obj(output)
        code = count(inner(wrapped, "metadata").get("exit_code"))
        if "output" in wrapped and code is not None:
            said = as_text(wrapped.get("output"))
            builder.result(said, call_id=text(item, "call_id"), is_error=code != 0)
            return
    add_item(builder, item)


def _add_exec_item(builder: TrajectoryBuilder, item: JsonObject) -> None:
    kind = text(item, "type", "item_type") or ""
    call_id = text(item, "id")
    failed = True if item.get("status") == "failed" else None
    if kind in ("agent_message", "assistant_message"):
        builder.say("assistant", text(item, "text") or "")
    elif kind == "command_execution":
        builder.open_step()
        builder.call("shell", Arguments({"command": item.get("command")}), call_id=call_id)
        code = item.get("exit_code")
        if isinstance(code, int):
            failed = code != 0
        builder.result(text(item, "aggregated_output"), call_id=call_id, is_error=failed)
    elif kind == "mcp_tool_call":
        builder.open_step()
        builder.call(
            tool_name(item, "tool"), read_arguments(item.get("arguments")), call_id=call_id, executor="mcp"
        )
        failed = item.get("error") is not None or failed is True
        builder.result(as_text(first(item, "error", "result")), call_id=call_id, is_error=failed)
    elif kind in ("file_change", "web_search"):
        builder.open_step()
        what = "changes" if kind == "file_change" else "query"
        executor = "client" if kind == "file_change" else "server"
        builder.call(kind, Arguments({what: item.get(what)}), call_id=call_id, executor=executor)
        builder.result("", call_id=call_id, is_error=failed)
