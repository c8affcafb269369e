"""The messages in a GenAI span: as attributes, as numbered attributes, as events, in ADK's words and in Vercel's."""

from __future__ import annotations

from gatebot.importers.chat_formats import chat_trajectory
from gatebot.importers.fields import as_text, first, inner, obj, string, text
from gatebot.importers.flat_keys import numbered
from gatebot.importers.loose_values import from_text
from gatebot.importers.span import Span
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from gatebot.model.trajectory import Message

_EVENT_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}


def prompt_of(span: Span) -> tuple[Message, ...]:
    """The messages the model was given, system instructions first; () where none were captured."""
    attributes = span.attributes
    asked = first(attributes, "gen_ai.input.messages", "pydantic_ai.all_messages", "ai.prompt.messages")
    prompt = (
        _messages(asked)
        or _from_adk(attributes.get("gcp.vertex.agent.llm_request"))
        or _messages(_from_numbered(attributes, "gen_ai.prompt"))
        or _from_events(span, answers=False)
    )
    instructions = from_text(attributes.get("gen_ai.system_instructions"))
    if instructions:
        return (*_messages([{"role": "system", "parts": instructions}]), *prompt)
    return prompt


def answer_of(span: Span) -> tuple[Message, ...]:
    """The messages the model gave; () where none were captured."""
    attributes = span.attributes
    return (
        _messages(attributes.get("gen_ai.output.messages"))
        or _from_adk(attributes.get("gcp.vertex.agent.llm_response"))
        or _messages(_from_numbered(attributes, "gen_ai.completion"))
        or _from_events(span, answers=True)
        or _from_vercel(attributes)
    )


def _messages(written: JsonValue) -> tuple[Message, ...]:
    """Messages in any chat format, as a value or as JSON text."""
    value = from_text(written)
    found = chat_trajectory(value) if value is not None else None
    return found.messages if found else ()


def _from_adk(written: JsonValue) -> tuple[Message, ...]:
    value = obj(from_text(written))
    if "contents" in value:
        return _messages({"contents": value["contents"], "config": inner(value, "config")})
    return _messages([value["content"]]) if is_object(value.get("content")) else ()


def _from_numbered(attributes: JsonObject, prefix: str) -> JsonValue:
    """Messages of the conventions before 2025, an attribute a field: gen_ai.prompt.0.role."""
    return [_numbered_message(message) for message in numbered(attributes, prefix)]


def _numbered_message(message: JsonObject) -> JsonObject:
    calls = [
        {"id": call.get("id"), "function": {"name": call.get("name"), "arguments": call.get("arguments")}}
        for call in numbered(message, "tool_calls")
    ]
    plain: dict[str, JsonValue] = {
        "role": string(message.get("role")) or "assistant",
        "content": as_text(message.get("content")),
        "tool_call_id": message.get("tool_call_id"),
    }
    return {**plain, "tool_calls": calls} if calls else plain


def _from_events(span: Span, *, answers: bool) -> tuple[Message, ...]:
    """Messages of the conventions up to 1.36, an event a message; a `gen_ai.choice` event is an answer."""
    chat: list[JsonValue] = []
    for event in span.events:
        name = text(event, "name") or ""
        body = obj(event.get("attributes"))
        if name == "gen_ai.client.inference.operation.details":
            key = "gen_ai.output.messages" if answers else "gen_ai.input.messages"
            return _messages(body.get(key))
        if name in _EVENT_ROLES and (name == "gen_ai.choice") == answers:
            message = obj(from_text(body.get("message"))) or body
            calls = from_text(message.get("tool_calls"))
            chat.append(
                {
                    "role": _EVENT_ROLES[name],
                    "content": as_text(message.get("content")),
                    "tool_calls": calls if is_array(calls) else None,
                    "tool_call_id": first(message, "tool_call_id", "id"),
                }
            )
    return _messages(chat) if chat else ()


def _from_vercel(attributes: JsonObject) -> tuple[Message, ...]:
    said = text(attributes, "ai.response.text")
    calls = from_text(attributes.get("ai.response.toolCalls"))
    parts: list[JsonValue] = [{"type": "text", "text": said}] if said else []
    if is_array(calls):
        parts += [{**obj(call), "type": "tool-call"} for call in calls]
    return _messages([{"role": "assistant", "content": parts}]) if parts else ()
