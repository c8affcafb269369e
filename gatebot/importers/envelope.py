"""Chat messages and what they come wrapped in: a request, a response, both, or an object with `messages`."""

from __future__ import annotations

from gatebot.importers.fields import inner, items, obj, objects, text
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object


def chat_messages(document: JsonValue) -> list[JsonObject]:
    """The messages in order: the system prompt of the request first, the response's message last; [] if not chat.

    A response's `usage` and `model` are kept on its message, under these names.
    """
    if is_array(document):
        found = objects(document)
        return found if len(found) == len(document) and all("role" in item for item in found) else []
    if not is_object(document):
        return []
    if "role" in document and "content" in document:
        return [document]
    request = obj(document.get("request")) if "request" in document else document
    messages = [item for item in objects(request.get("messages")) if "role" in item]
    if messages and request.get("system") and messages[0].get("role") not in ("system", "developer"):
        messages.insert(0, {"role": "system", "content": request["system"]})
    answer = _answer(obj(document.get("response")) if "response" in document else document)
    return [*messages, answer] if answer else messages


def request_tools(document: JsonValue) -> list[JsonValue]:
    """The lists of tools in a request, or in an object with `messages`: the new form, the old one, and Bedrock's."""
    source = obj(document)
    request = obj(source.get("request")) if "request" in source else source
    return [request.get("tools"), request.get("functions"), inner(request, "toolConfig").get("tools")]


def _answer(response: JsonObject) -> JsonObject | None:
    """The one message of a response of OpenAI, Anthropic or Bedrock."""
    choices = objects(response.get("choices"))
    if choices:
        message = obj(choices[0].get("message"))
    elif is_object(response.get("output")):
        message = inner(response, "output", "message")
    elif response.get("role") == "assistant" and items(response.get("content")):
        message = response
    else:
        return None
    if not message:
        return None
    wrapped = {"role": "assistant", **message, "usage": response.get("usage")}
    model = text(response, "model")
    return {**wrapped, "model": model} if model else wrapped
