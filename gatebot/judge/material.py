"""What a judge is shown of a trial: plain JSON, blind to side, bounded, cut in the middle with a notice."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from gatebot.judge.rubric import Rubric
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from gatebot.model.suite import Case, Reference
from gatebot.model.trajectory import Message, ToolCall, Trajectory
from gatebot.model.trial import Trial

MAX_CHARACTERS = 60_000
MAX_ENTRIES = 120
_LIMITS = ((4_000, MAX_ENTRIES), (1_500, MAX_ENTRIES), (500, MAX_ENTRIES), (150, 60), (60, 20))
"""Characters of one text, entries of one list: tried in turn until the whole fits. The last always does."""
_HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_SECRETS = re.compile(
    r"sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|AKIA[0-9A-Z]{16}"
    r"|xox[baprs]-[A-Za-z0-9-]{10,}|(?<=Bearer )[A-Za-z0-9._~+/-]{16,}"
)
_MASK = "[masked]"


def material_of(case: Case, trial: Trial, rubric: Rubric) -> JsonObject:
    """The material: task, reference where the rubric wants it and there is one, what happened, and the answer.

    Holds nothing that tells the side, the slot, the status, or what any grader said.
    """
    made: JsonObject = {}
    for bounds in _LIMITS:
        made = _material(case, trial, rubric, bounds)
        if len(json.dumps(made, ensure_ascii=False)) <= MAX_CHARACTERS:
            break
    return made


def step_count(material: JsonObject) -> int:
    """How many steps (tool calls) the material numbers."""
    count = material.get("step_count")
    return count if isinstance(count, int) else 0


def answer_of(trial: Trial) -> str | None:
    """The trial's answer: what it reported, else the last text of its trajectory."""
    return trial.answer if trial.answer is not None else trial.trajectory.final_text()


def digest_of(material: JsonObject) -> str:
    """sha256 in hex of the material."""
    plain = json.dumps(material, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()


def escaped(material: JsonObject, secrets: Sequence[str] = ()) -> str:
    """The material as one line of JSON without angle brackets, line ends, or characters that cannot be seen.

    `secrets` and what looks like one are masked. Reading the JSON gives the material back, masks aside.
    """
    masked = _masked(material, tuple(secret for secret in secrets if len(secret) >= 8))
    text = json.dumps(masked, ensure_ascii=False)
    if text.isascii() and text.isprintable():
        return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return "".join(_character(char) for char in text)


def _character(char: str) -> str:
    if char in "<>&" or unicodedata.category(char) in _HIDDEN:
        point = ord(char)
        if point <= 0xFFFF:
            return f"\\u{point:04x}"
        rest = point - 0x10000
        return f"\\u{0xD800 + (rest >> 10):04x}\\u{0xDC00 + (rest & 0x3FF):04x}"
    return char


def _masked(value: JsonValue, secrets: tuple[str, ...]) -> JsonValue:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, _MASK)
        return _SECRETS.sub(_MASK, value)
    if is_object(value):
        return {str(_masked(key, secrets)): _masked(item, secrets) for key, item in value.items()}
    if is_array(value):
        return [_masked(item, secrets) for item in value]
    return value


def _material(case: Case, trial: Trial, rubric: Rubric, bounds: tuple[int, int]) -> JsonObject:
    limit, entries = bounds
    made: dict[str, JsonValue] = {"task": _task(case, bounds)}
    if rubric.reference and case.references:
        reference = _reference(case.references[0], bounds, calls=rubric.looks_at == "trajectory")
        if reference:
            made["reference"] = reference
    if rubric.looks_at == "trajectory":
        made["what_happened"] = happened(trial.trajectory, limit, entries)
        made["step_count"] = len(trial.trajectory.calls())
    answer = answer_of(trial)
    made["answer"] = None if answer is None else cut(answer, limit * 2)
    return made


def _task(case: Case, bounds: tuple[int, int]) -> JsonValue:
    limit, entries = bounds
    task: dict[str, JsonValue] = {"user": thinned([cut(turn, limit) for turn in case.turns], entries)}
    if case.history:
        before: list[JsonValue] = [{turn.role: cut(turn.content, limit)} for turn in case.history]
        task["before"] = thinned(before, entries)
    if case.context:
        task["context"] = fitted(case.context, limit)
    return task


def _reference(reference: Reference, bounds: tuple[int, int], *, calls: bool) -> dict[str, JsonValue]:
    limit, entries = bounds
    made: dict[str, JsonValue] = {}
    if calls and reference.calls is not None:
        steps: list[JsonValue] = [
            {"tool": cut(call.name, 200), "arguments": fitted(call.arguments, limit)}
            for call in reference.calls
        ]
        made["steps"] = thinned(steps, entries)
    if reference.answer is not None:
        made["answer"] = cut(reference.answer, limit * 2)
    if calls and reference.state is not None:
        made["final_state"] = fitted(reference.state, limit)
    return made


def happened(trajectory: Trajectory, limit: int, most: int = MAX_ENTRIES) -> list[JsonValue]:
    """What the agent said and did, in order; tool calls are numbered from 1."""
    return thinned(list(_entries(trajectory.messages, limit)), most)


def thinned(entries: Sequence[JsonValue], most: int) -> list[JsonValue]:
    """The entries, or the two ends of their list with a notice of how many are left out between them."""
    if len(entries) <= most:
        return list(entries)
    kept = most // 2
    notice: JsonValue = {"notice": f"{len(entries) - 2 * kept} entries in the middle are left out"}
    return [*entries[:kept], notice, *entries[-kept:]]


def _entries(messages: Iterable[Message], limit: int) -> Iterable[JsonValue]:
    number = 0
    for message in messages:
        if message.role == "system":
            continue
        if message.text:
            yield {("agent" if message.role == "assistant" else message.role): cut(message.text, limit)}
        for call in message.calls:
            number += 1
            yield _step(number, call, limit)


def _step(number: int, call: ToolCall, limit: int) -> JsonValue:
    step: dict[str, JsonValue] = {"step": number, "tool": cut(call.name, 200)}
    if call.arguments is not None:
        step["arguments"] = fitted(call.arguments, limit)
    elif call.raw_arguments is not None:
        step["unreadable_arguments"] = cut(call.raw_arguments, limit)
    step["result"] = None if call.result is None else cut(call.result, limit)
    if call.is_error is not None:
        step["failed"] = call.is_error
    return step


def cut(text: str, limit: int) -> str:
    """The text, or its two ends with a notice of how much is left out between them."""
    if len(text) <= limit:
        return text
    head, tail = limit * 2 // 3, limit // 3
    return f"{text[:head]} […{len(text) - head - tail} characters left out…] {text[-tail:]}"


def fitted(value: JsonValue, limit: int) -> JsonValue:
    """A bounded value, or its text cut in the middle where it is still longer than three texts may be."""
    made = bounded(value, limit)
    text = json.dumps(made, ensure_ascii=False)
    return made if len(text) <= 3 * limit else cut(text, 3 * limit)


def bounded(value: JsonValue, limit: int, depth: int = 8) -> JsonValue:
    """A JSON value whose texts, lists and nesting are bounded, with notices where something was left out."""
    if isinstance(value, str):
        return cut(value, limit)
    if depth == 0 and (is_object(value) or is_array(value)):
        return "[…nested deeper, left out…]"
    if is_object(value):
        return _bounded_object(value, limit, depth)
    if is_array(value):
        items = [bounded(item, limit, depth - 1) for item in value[:50]]
        return items if len(value) <= 50 else [*items, f"[…{len(value) - 50} items left out…]"]
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 1000:
        return "[an integer of more than 300 digits]"
    return value


def _bounded_object(value: Mapping[str, JsonValue], limit: int, depth: int) -> JsonValue:
    keys = list(value)
    made = {cut(key, 200): bounded(value[key], limit, depth - 1) for key in keys[:50]}
    if len(keys) > 50:
        made["[…]"] = f"[…{len(keys) - 50} keys left out…]"
    return made
