"""LangChain messages as dictionaries: model_dump, messages_to_dict and dumpd; LangGraph's state holds the first."""

from __future__ import annotations

from gatebot.errors import ImportFormatError
from gatebot.importers.arguments import Arguments, read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import inner, items, obj, objects, shown, string, text
from gatebot.importers.openai_chat import content_text, result_text
from gatebot.importers.tool_names import tool_name
from gatebot.importers.turn_limit import limited
from gatebot.importers.usage import usage_of
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from gatebot.model.trajectory import Trajectory

_TYPES = {
    "human": "human",
    "ai": "ai",
    "system": "system",
    "tool": "tool",
    "function": "function",
    "chat": "chat",
    "remove": "remove",
    "humanmessagechunk": "human",
    "aimessagechunk": "ai",
    "systemmessagechunk": "system",
    "toolmessagechunk": "tool",
    "humanmessage": "human",
    "aimessage": "ai",
    "systemmessage": "system",
    "toolmessage": "tool",
    "functionmessage": "function",
    "removemessage": "remove",
}
_NO_STEPS = "Sorry, need more steps to process this request."
_CALL_BLOCKS = ("tool_use", "tool_call", "function_call")


class LangChain:
    """A list of messages, or a state with `messages`, in any of the three dictionary forms."""

    name = "langchain"

    def detects(self, document: JsonValue) -> bool:
        """Whether the items are messages with a LangChain type and content."""
        return any(flatten(item) is not None for item in _listed(document)[:4])

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for an item that is no LangChain message."""
        builder = TrajectoryBuilder(self.name)
        for item in _listed(document):
            message = flatten(item)
            if message is None:
                raise ImportFormatError(
                    f"an item of type {shown(text(item, 'type') or '')} is no LangChain message",
                    "dump the messages with messages_to_dict",
                )
            add_message(builder, message)
        told = builder.build()
        # What LangGraph's ready-made agent says in the model's place when its recursion limit leaves no step.
        return limited(told, "recursion limit: " + _NO_STEPS if told.final_text() == _NO_STEPS else None)


def flatten(item: JsonObject) -> JsonObject | None:
    """One message in the flat form, its `type` one of ours; None when it is no LangChain message."""
    if item.get("lc") == 1:
        kind = string((items(item.get("id")) or [None])[-1])
        item = {**inner(item, "kwargs"), "type": kind}
    elif is_object(item.get("data")) and isinstance(item.get("type"), str):
        item = {**obj(item.get("data")), "type": item["type"]}
    known = _TYPES.get((string(item.get("type")) or "").lower())
    if known is None or ("content" not in item and known != "remove"):
        return None
    return {**item, "type": known}


def add_message(builder: TrajectoryBuilder, message: JsonObject) -> None:
    """Add one flat message."""
    kind = message["type"]
    content = message.get("content")
    if kind == "chat":
        kind = {"assistant": "ai", "user": "human"}.get(text(message, "role") or "", "system")
    if kind == "human":
        builder.say("user", content_text(content))
    elif kind == "system":
        builder.say("system", content_text(content))
    elif kind == "ai":
        _add_ai(builder, message)
    elif kind == "remove":
        builder.warn("a RemoveMessage was left out: what it removes is still shown")
    else:
        status = text(message, "status")
        builder.result(
            result_text(content),
            call_id=text(message, "tool_call_id"),
            name=text(message, "name") if kind == "function" else None,
            is_error=None if status is None else status == "error",
        )


def _add_ai(builder: TrajectoryBuilder, message: JsonObject) -> None:
    metadata = obj(message.get("response_metadata"))
    extra = obj(message.get("additional_kwargs"))
    builder.model(text(metadata, "model_name", "model", "model_id"))
    usage = usage_of(message.get("usage_metadata")) or usage_of(metadata.get("token_usage"))
    builder.say("assistant", content_text(message.get("content")), agent=text(message, "name"), usage=usage)
    calls, invalid = objects(message.get("tool_calls")), objects(message.get("invalid_tool_calls"))
    if (
        not calls and not invalid
    ):  # the same calls may stand in two more places: taken only if the first is empty
        calls = [b for b in objects(message.get("content")) if b.get("type") in _CALL_BLOCKS]
        calls = calls or [_from_openai(call) for call in objects(extra.get("tool_calls"))]
        legacy = obj(extra.get("function_call"))
        calls = calls or ([legacy] if legacy else [])
    for call in calls:
        written = next((call[key] for key in ("args", "input", "arguments") if key in call), None)
        builder.call(tool_name(call), read_arguments(written), call_id=text(call, "id", "call_id"))
    for call in invalid:
        raw = string(call.get("args"))
        read = read_arguments(raw or "")
        error = read.error or "malformed: LangChain could not parse it"
        builder.call(tool_name(call), Arguments(raw=raw, error=error), call_id=text(call, "id"))


def _from_openai(call: JsonObject) -> JsonObject:
    return {**inner(call, "function"), "id": call.get("id")}


def _listed(document: JsonValue) -> list[JsonObject]:
    """The items of the list, or of `messages`; [] when one of them is no object."""
    listed = document if is_array(document) else obj(document).get("messages")
    found = objects(listed)
    return found if is_array(listed) and len(found) == len(listed) else []
