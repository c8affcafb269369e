"""What an agent said in one turn, read from the bytes it printed: bounded, strict, or a typed refusal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from gatebot.agents.reported_usage import read_usage, usage_of_messages
from gatebot.errors import GatebotError, ImportFormatError
from gatebot.importers.strict_json import parse_json
from gatebot.model.json_value import JsonValue, is_array, is_object
from gatebot.model.trajectory import Trajectory, Usage
from gatebot.render.visible import visible

MAX_DEPTH: Final = 64
MAX_URL_LENGTH: Final = 2000
MAX_NODES: Final = 10_000
MAX_NODE_LENGTH: Final = 200
MAX_ENDING_LENGTH: Final = 200
KEYS: Final = ("messages", "answer", "state", "usage", "trace_url", "graph", "turn_limit")
_LIKE_JSON: Final = ("{", "[")
_BYTE_ORDER_MARK: Final = "\ufeff"


class BrokenReplyError(GatebotError):
    """The agent broke the protocol: its trial is an `agent_error`, with this message as the reason."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One turn's reply. `trajectory` None = no messages reported; `answer` None = none given and none in it.

    `state` None = not reported. `usage` as reported, else summed from the messages.
    """

    answer: str | None = None
    trajectory: Trajectory | None = None
    state: JsonValue = None
    usage: Usage = field(default_factory=Usage)
    trace_url: str | None = None


def read_reply(output: bytes) -> Reply:
    """Read what was printed: an object of the protocol, a list of messages, or plain text, which is the answer.

    Raises BrokenReplyError for nothing at all, invalid UTF-8, output that begins like JSON and is not, and JSON
    that is neither of the two.
    """
    try:
        text = output.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"printed invalid UTF-8 at byte {error.start}"
        raise BrokenReplyError(message) from error
    stripped = text.strip()
    if not stripped:
        message = "printed nothing"
        raise BrokenReplyError(message)
    if not stripped.lstrip(_BYTE_ORDER_MARK).startswith(_LIKE_JSON):
        _refuse_buried_reply(stripped)
        return Reply(answer=stripped)
    try:
        document = parse_json(stripped, max_bytes=len(output), max_depth=MAX_DEPTH)
    except ImportFormatError as error:
        message = f"printed what begins like JSON and is not: {visible(error.message)}"
        raise BrokenReplyError(message) from error
    if is_object(document) and any(key in document for key in KEYS):
        return _read_object(document)
    if is_array(document) or is_object(document):
        return _read_messages(document)
    message = "printed JSON that is neither an object nor a list"
    raise BrokenReplyError(message)


def _refuse_buried_reply(text: str) -> None:
    """A reply whose first lines are a log would pass for plain text, and its messages be lost without a word."""
    last = text.rsplit("\n", 1)[-1].strip()
    if last == text or not last.startswith("{"):
        return
    try:
        document = parse_json(last, max_bytes=len(last.encode()), max_depth=MAX_DEPTH)
    except ImportFormatError:
        return
    if is_object(document) and any(key in document for key in KEYS):
        message = "printed a reply after other text: log lines belong on standard error"
        raise BrokenReplyError(message)


def canonical_text(value: JsonValue) -> str:
    """A value as one text, whatever order its keys came in."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _read_object(document: Mapping[str, JsonValue]) -> Reply:
    messages = document.get("messages")
    said = None if messages is None else _trajectory(messages)
    if (nodes := _nodes(document.get("graph"))) and said is None:
        message = "graph without messages: a node path belongs to a trajectory"
        raise BrokenReplyError(message)
    if said is not None and nodes:
        said = replace(said, graph=(nodes,))
    if limit := _turn_limit(document.get("turn_limit")):
        if said is None:
            message = "turn_limit without messages: what was stopped is a trajectory"
            raise BrokenReplyError(message)
        said = replace(said, turn_limit=limit)
    if said is not None and document.get("tools") is not None:
        from gatebot.importers.tool_definitions import declare

        said = declare(said, document["tools"])
    answer = document.get("answer")
    if answer is None:
        text = said.final_text() if said is not None else None
    else:
        text = answer if isinstance(answer, str) else canonical_text(answer)
    usage = document.get("usage")
    try:
        counted = usage_of_messages(said) if usage is None else read_usage(usage)
    except ValueError as error:
        raise BrokenReplyError(str(error)) from error
    return Reply(text, said, document.get("state"), counted, _trace_url(document.get("trace_url")))


def _read_messages(document: Sequence[JsonValue] | Mapping[str, JsonValue]) -> Reply:
    """A list of messages, or an object that an importer knows as a whole."""
    said = _trajectory(document)
    return Reply(said.final_text(), said, usage=usage_of_messages(said))


def _trajectory(document: JsonValue) -> Trajectory:
    from gatebot.importers.detect import load  # thirty formats, of which an answer in plain text needs none

    try:
        return load(document)
    except ImportFormatError as error:
        known = ", ".join(KEYS)
        where = "an object without any of " + known if is_object(document) else "messages"
        message = f"printed {where} in no known format: {visible(error.message)}"
        raise BrokenReplyError(message) from error


def _nodes(value: JsonValue) -> tuple[str, ...]:
    """The nodes that the agent's graph went through in this turn, in order; () = none told."""
    if value is None:
        return ()
    nodes = tuple(node for node in value if isinstance(node, str)) if is_array(value) else ()
    listed = is_array(value) and len(nodes) == len(value) <= MAX_NODES
    if not listed or not all(0 < len(node) <= MAX_NODE_LENGTH for node in nodes):
        message = f"graph is no list of at most {MAX_NODES} node names of 1 to {MAX_NODE_LENGTH} characters"
        raise BrokenReplyError(message)
    return nodes


def _turn_limit(value: JsonValue) -> str:
    """The agent's words for a stop by its own limit of turns, on one line; "" = none told."""
    if value is None or value is False:
        return ""
    told = "turn_limit" if value is True else " ".join(value.split()) if isinstance(value, str) else ""
    if not told:
        message = "turn_limit is neither true nor the words for the limit that stopped the agent"
        raise BrokenReplyError(message)
    return told[:MAX_ENDING_LENGTH]


def _trace_url(value: JsonValue) -> str | None:
    """The link, when it is one that a reader can follow."""
    if value is None:
        return None
    link = isinstance(value, str) and len(value) <= MAX_URL_LENGTH and value.isascii() and value.isprintable()
    if (
        not isinstance(value, str)
        or not link
        or not value.startswith(("https://", "http://"))
        or " " in value
    ):
        message = f"trace_url is no http(s) URL of at most {MAX_URL_LENGTH} ASCII characters"
        raise BrokenReplyError(message)
    return value
