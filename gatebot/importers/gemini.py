"""Gemini contents with their parts, in camelCase or snake_case, and the events of ADK sessions, which hold them.

Calls often have no id: they are paired with responses by name and order. An `error` key is the sign of a failed call.
"""

from __future__ import annotations

from gatebot.importers.arguments import Arguments, read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import EMPTY, as_text, first, number, obj, objects, string, text
from gatebot.importers.tool_definitions import declare
from gatebot.importers.tool_names import tool_name
from gatebot.importers.usage import usage_of
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from gatebot.model.trajectory import Trajectory

_ANSWER_KEYS = ("result", "output", "return_value")


class GeminiContents:
    """A list of contents, a request with `contents`, its response or stream of chunks, or both."""

    name = "gemini-contents"

    def detects(self, document: JsonValue) -> bool:
        """Whether there are contents whose parts have no type and say one of the things parts say."""
        found = _contents(document)
        return (
            bool(found)
            and all(is_array(content.get("parts")) for content in found)
            and not any(
                "type" in part or "part_kind" in part
                for content in found
                for part in objects(content.get("parts"))
            )
        )

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        request = obj(obj(document).get("request") or document)
        system = first(request, "systemInstruction", "system_instruction") or obj(request.get("config")).get(
            "system_instruction"
        )
        if system:
            builder.say("system", string(system) or content_text(obj(system)))
        for content in _contents(document):
            add_content(builder, content)
        return declare(builder.build(), request.get("tools"), obj(request.get("config")).get("tools"))


class AdkSession:
    """A session of Google's ADK: `events`, each with the content of one author."""

    name = "adk-session"

    def detects(self, document: JsonValue) -> bool:
        """Whether it is an object with events that have authors."""
        events = objects(obj(document).get("events"))
        return bool(events) and all("author" in event for event in events)

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError for a call without a name."""
        builder = TrajectoryBuilder(self.name)
        for event in objects(obj(document).get("events")):
            add_event(builder, event)
        return builder.build()


def add_event(builder: TrajectoryBuilder, event: JsonObject) -> None:
    """Add one event; the pieces of a stream are left out, for the whole follows them."""
    content = obj(event.get("content"))
    if event.get("partial") is True or not content:
        return
    author = text(event, "author")
    role = "user" if author == "user" else (text(content, "role") or "model")
    add_content(
        builder,
        {**content, "role": role, "usage": first(event, "usage_metadata", "usageMetadata")},
        agent=None if author == "user" else author,
        own_turn=True,
        at=number(event.get("timestamp")),
    )


def add_content(
    builder: TrajectoryBuilder,
    content: JsonObject,
    *,
    agent: str | None = None,
    own_turn: bool = False,
    at: float | None = None,
) -> None:
    """Add one content. Consecutive contents of the model are one turn (chunks, split calls) unless `own_turn`."""
    parts = objects(content.get("parts"))
    for part in parts:
        answered = obj(first(part, "functionResponse", "function_response"))
        if answered:
            _add_response(builder, answered)
    if content.get("role") == "model":
        texts = content_text(content)
        calls = [call for part in parts if (call := obj(first(part, "functionCall", "function_call")))]
        has_code = any(first(part, "executableCode", "executable_code") is not None for part in parts)
        if not (texts or calls or has_code):
            return
        if own_turn or not builder.open_turn:
            builder.say("assistant", "", agent=agent)
        builder.add_text(texts)
        builder.add_usage(usage_of(content.get("usage")))
        for call in calls:
            written = read_arguments(first(call, "args", "arguments") or {})
            builder.call(tool_name(call), written, call_id=text(call, "id"), agent=agent, times=(at, None))
        _add_code(builder, parts)
    elif said := content_text(content):
        builder.say("user", said)


def content_text(content: JsonObject) -> str:
    """The text of all parts but thoughts."""
    return "".join(
        text(p, "text") or "" for p in objects(content.get("parts")) if p.get("thought") is not True
    )


def _add_response(builder: TrajectoryBuilder, answered: JsonObject) -> None:
    response = answered.get("response")
    said = response
    if is_object(response) and len(response) == 1:
        said = first(response, *_ANSWER_KEYS) or response
    failed = True if is_object(response) and response.get("error") is not None else None
    builder.result(as_text(said), call_id=text(answered, "id"), name=text(answered, "name"), is_error=failed)


def _add_code(builder: TrajectoryBuilder, parts: list[JsonObject]) -> None:
    """Code that the model's own sandbox ran: a call of the server."""
    for part in parts:
        code = obj(first(part, "executableCode", "executable_code"))
        if code:
            builder.call("code_execution", Arguments({"code": code.get("code")}), executor="server")
        ran = obj(first(part, "codeExecutionResult", "code_execution_result"))
        if ran:
            failed = (text(ran, "outcome") or "OUTCOME_OK") != "OUTCOME_OK"
            builder.result(text(ran, "output"), name="code_execution", is_error=failed)


def _contents(document: JsonValue) -> list[JsonObject]:
    """The contents of the request, then those of the response's first candidates, chunk by chunk."""
    if is_array(document):
        chunked = [c for chunk in objects(document) for c in _candidate(chunk)]
        return chunked or objects(document)
    if not is_object(document):
        return []
    if "parts" in document:
        return [document]
    request = obj(document.get("request") or document)
    contents = request.get("contents")
    if isinstance(contents, str):
        contents = [{"role": "user", "parts": [{"text": contents}]}]
    response = first(document, "response") or (document if "candidates" in document else None)
    chunks = objects(response) or ([response] if is_object(response) else [])
    return [*objects(contents), *(content for chunk in chunks for content in _candidate(chunk))]


def _candidate(chunk: JsonObject) -> list[JsonObject]:
    candidates = objects(chunk.get("candidates"))
    content = obj(candidates[0].get("content")) if candidates else EMPTY
    if "parts" not in content:
        return []
    return [{"role": "model", **content, "usage": first(chunk, "usageMetadata", "usage_metadata")}]
