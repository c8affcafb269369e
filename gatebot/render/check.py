"""The check run's hidden part: which evaluation it stands for, and what was accepted. Only our App can write it.

It is read back to authorise an acceptance, so it lives in the check's `text`, where nothing but this module's lines
ever stands: no agent's word can look like one of them.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import json
import re
import zlib
from dataclasses import dataclass
from functools import cache

from pydantic import TypeAdapter, ValidationError

from gatebot.model.acceptance import ACCEPTANCE_SCHEMA, OVERRIDE_SCHEMA, Acceptance, Override

MAX_TEXT = 65_535
MAX_TITLE = 255
_MAX_UNPACKED = 4_000_000
_LINE = re.compile(
    r"^<!-- gatebot:(binding|acceptance|override) ([A-Za-z0-9+/=]{1,65000}) -->$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Binding:
    """What an acceptance is bound to: the evaluated head, the run that has its files, and the digests of all that counts.

    `candidate_digest` and `report_digest` are sha256 of the files in the run's artifact; `base_ref` tells whether a
    retargeted pull request is still the one that was judged. `commented`: there was a comment then, or a person had
    deleted it.
    """

    suite: str
    head_sha: str
    base_sha: str
    base_ref: str
    run_id: int
    attempt: int
    conclusion: str
    result_digest: str
    policy_digest: str
    candidate_digest: str
    report_digest: str
    commented: bool = False


def check_name(suite: str) -> str:
    """The check's name: the same at all times, and one per suite."""
    return f"gatebot / {suite}"


def status_context(suite: str) -> str:
    """The commit status's name where checks may not be written; another one, since equal names would both be required."""
    return f"gatebot/{suite}"


def external_id(run_id: int, attempt: int) -> str:
    """Names the run a check belongs to, in an order that can be compared."""
    return f"gatebot:{run_id}:{attempt}"


def run_of(external: str) -> tuple[int, int] | None:
    """(run, attempt) of a check that is ours; None for every other check."""
    found = re.fullmatch(r"gatebot:([0-9]{1,18}):([0-9]{1,6})", external)
    return (int(found.group(1)), int(found.group(2))) if found else None


def hidden_text(
    binding: Binding, acceptance: Acceptance | None = None, override: Override | None = None
) -> str | None:
    """The check's `text`; None when it would be longer than GitHub takes (an acceptance of very many cases)."""
    lines = [f"<!-- gatebot:binding {_pack(dataclasses.asdict(binding))} -->"]
    if acceptance is not None:
        lines.append(f"<!-- gatebot:acceptance {_pack(dataclasses.asdict(acceptance))} -->")
    if override is not None:
        lines.append(f"<!-- gatebot:override {_pack(dataclasses.asdict(override))} -->")
    text = "\n".join(lines) + "\n"
    return text if len(text) <= MAX_TEXT and all(_LINE.fullmatch(line) for line in lines) else None


def with_commented(text: str, *, commented: bool) -> str:
    """The check's `text` with what its binding says of the comment; unchanged when it holds no binding."""
    binding = read_binding(text)
    if binding is None:
        return text
    changed = dataclasses.replace(binding, commented=commented)
    return hidden_text(changed, read_acceptance(text), read_override(text)) or text


def read_binding(text: str) -> Binding | None:
    """The binding in a check's text, or None. Never raises."""
    found = _found(text, "binding")
    try:
        return None if found is None else _bindings().validate_json(found, strict=True)
    except ValidationError:
        return None


def read_acceptance(text: str) -> Acceptance | None:
    """The acceptance record in a check's text, or None. Never raises."""
    found = _found(text, "acceptance")
    try:
        record = None if found is None else _acceptances().validate_json(found)
    except ValidationError:
        return None
    return record if record is not None and record.schema == ACCEPTANCE_SCHEMA else None


def read_override(text: str) -> Override | None:
    """The override in a check's text, or None. Never raises."""
    found = _found(text, "override")
    try:
        record = None if found is None else _overrides().validate_json(found)
    except ValidationError:
        return None
    return record if record is not None and record.schema == OVERRIDE_SCHEMA else None


def _pack(value: object) -> str:
    plain = json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(plain, 9)).decode("ascii")


def _found(text: str, kind: str) -> bytes | None:
    lines = [match for match in _LINE.finditer(text[: MAX_TEXT + 1]) if match.group(1) == kind]
    if len(lines) != 1:
        return None
    try:
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(base64.b64decode(lines[0].group(2), validate=True), _MAX_UNPACKED)
    except (binascii.Error, ValueError, zlib.error):
        return None
    return data if unpacker.eof else None


@cache
def _bindings() -> TypeAdapter[Binding]:
    return TypeAdapter(Binding)


@cache
def _acceptances() -> TypeAdapter[Acceptance]:
    return TypeAdapter(Acceptance)


@cache
def _overrides() -> TypeAdapter[Override]:
    return TypeAdapter(Override)
