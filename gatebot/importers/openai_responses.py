"""OpenAI Responses: items of input and output, hosted tools among them; the Agents SDK's input lists are the same.

Errors of function tools show only in their text, so `is_error` stays unknown there.
"""

from __future__ import annotations

from gatebot.importers.arguments import Arguments, read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import as_text, first, items, obj, objects, shown, string, text
from gatebot.importers.openai_chat import content_text, result_text
from gatebot.importers.tool_definitions import declare
from gatebot.importers.tool_names import tool_name
from gatebot.importers.usage import usage_of
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from gatebot.model.trajectory import Trajectory

# Hosted tool → where it keeps its arguments and where its results; these calls carry no function name.
_HOSTED: dict[str, tuple[str, str, str]] = {
    "web_search_call": ("web_search", "action", "results"),
    "file_search_call": ("file_search", "queries", "results"),
    "code_interpreter_call": ("code_interpreter", "code", "outputs"),
    "image_generation_call": ("image_generation", "prompt", "status"),
    "computer_call": ("computer", "action", "output"),
    "local_shell_call": ("local_shell", "action", "output"),
    "shell_call": ("shell", "action", "output"),
    "apply_patch_call": ("apply_patch", "operation", "output"),
    "tool_search_call": ("tool_search", "arguments", "tools"),
}
_RUN_BY_CLIENT = ("computer_call", "local_shell_call", "shell_call", "apply_patch_call")
_SILENT = (
    "reasoning",
    "item_reference",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_approval_response",
    "compaction",
)
_OWN_TYPES = frozenset(
    (
        "function_call",
        "custom_tool_call",
        "mcp_call",
        "function_call_output",
        "custom_tool_call_output",
        *_HOSTED,
        *_SILENT,
    )
)


class OpenAIResponses:
    """Items of the Responses API: a list, one bare item, a response, or a request with its response."""

    name = "openai-responses"

    def detects(self, document: JsonValue) -> bool:
        """Whether the items are messages and at least one kind of item that only this API has, or it is a response."""
        if is_object(document) and obj(document.get("response") or document).get("object") == "response":
            return True
        found = response_items(document)
        own = any(string(item.get("type")) in _OWN_TYPES for item in found)
        return own and all("type" in item or "role" in item for item in found)

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        request = obj(obj(document).get("request"))
        response = obj(obj(document).get("response") or document)
        if instructions := text(request, "instructions") or text(response, "instructions"):
            builder.say("system", instructions)
        for item in response_items(document):
            add_item(builder, item)
        builder.model(text(response, "model"))
        if response.get("object") == "response" and builder.open_turn:
            builder.add_usage(usage_of(response.get("usage")))
        return declare(builder.build(), request.get("tools"), response.get("tools"))


def response_items(document: JsonValue) -> list[JsonObject]:
    """The items in order: those of the request, then those of the response."""
    if is_array(document):
        return objects(document)
    if not is_object(document):
        return []
    if isinstance(document.get("type"), str) and "object" not in document:
        return [document]
    asked = first(obj(document.get("request")), "input")
    asked = [{"role": "user", "content": asked}] if isinstance(asked, str) else asked
    return [*objects(asked), *objects(obj(document.get("response") or document).get("output"))]


def add_item(builder: TrajectoryBuilder, item: JsonObject, *, agent: str | None = None) -> None:
    """Add one item. Consecutive calls of one response are one turn."""
    kind = string(item.get("type")) or ("message" if "role" in item else "")
    if kind == "message":
        _add_message(builder, item, agent)
    elif kind in ("function_call", "custom_tool_call", "mcp_call"):
        builder.open_step(agent=agent)
        _add_call(builder, item, kind)
    elif kind in _HOSTED:
        builder.open_step(agent=agent)
        _add_hosted(builder, item, kind)
    elif kind.endswith("_output"):
        status = text(item, "status")
        failed = True if status in ("failed", "incomplete") else None
        builder.result(result_text(item.get("output")), call_id=text(item, "call_id"), is_error=failed)
    elif kind not in _SILENT:
        builder.warn(f"an item of type {shown(kind)} was left out")


def _add_message(builder: TrajectoryBuilder, item: JsonObject, agent: str | None) -> None:
    role = item.get("role")
    said = content_text(item.get("content"))
    if role == "assistant":
        builder.say("assistant", said, agent=agent)
    else:
        builder.say("system" if role in ("system", "developer") else "user", said)


def _add_call(builder: TrajectoryBuilder, item: JsonObject, kind: str) -> None:
    call_id = text(item, "call_id", "id")
    if kind == "custom_tool_call":  # takes free text: the text is its one argument
        written = item.get("input")
        free = Arguments(None if written is None else {"input": written}, raw=string(written))
        builder.call(tool_name(item), free, call_id=call_id)
        return
    executor = "mcp" if kind == "mcp_call" else "client"
    builder.call(tool_name(item), read_arguments(item.get("arguments")), call_id=call_id, executor=executor)
    if kind == "mcp_call":
        failed = item.get("error") is not None or item.get("status") == "failed"
        said = as_text(first(item, "error", "output"))
        builder.result(said, call_id=call_id, is_error=failed)


def _add_hosted(builder: TrajectoryBuilder, item: JsonObject, kind: str) -> None:
    name, argument, result = _HOSTED[kind]
    written = item.get(argument)
    if is_object(written):
        arguments = Arguments(dict(written))
    else:
        arguments = Arguments() if written is None else Arguments({argument: written})
    call_id = text(item, "call_id", "id")
    by_client = kind in _RUN_BY_CLIENT
    builder.call(name, arguments, call_id=call_id, executor="client" if by_client else "server")
    status = text(item, "status")
    given = item.get(result)
    if not by_client and (status in ("completed", "failed") or items(given)):
        builder.result(
            as_text(given), call_id=call_id, is_error=None if status is None else status == "failed"
        )
