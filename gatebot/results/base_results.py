"""The base's finished trials as one file that travels between runs: every line is checked before it counts.

A damaged entry is a trial that is run again, a file of another version is no file at all: nothing here raises over what
it reads.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from typing import Literal

import orjson
from pydantic import TypeAdapter, ValidationError

from gatebot.core.recordings import why_too_old
from gatebot.errors import InputFileError, Location
from gatebot.model.trial import Trial
from gatebot.results.trial_line import MAX_LINE_BYTES, check_schema, decode_trial, encode_trial

BASE_RESULTS_SCHEMA = "gatebot.base-results/1"
BASE_RESULTS_FILE = "base-results.jsonl"
MAX_BYTES = 64 * 1024 * 1024
MAX_ENTRIES = 50_000
_MAX_HEADER_BYTES = 4096
_FIRST_LINE = orjson.dumps({"schema": BASE_RESULTS_SCHEMA}) + b"\n"

Role = Literal["recording", "reference"]
"""A recording may spare a gate a run. A reference is what a scheduled run compares with: the first results of a tree."""


@dataclass(frozen=True, slots=True)
class RecordedOrigin:
    """What a recorded trial is caused by, beside chance: digests of tree, case, agent and environment; and its slot."""

    tree: str
    case: str
    agent: str
    environment: str
    slot: int


@dataclass(frozen=True, slots=True)
class RecordedTrial:
    """A finished trial of the base, of the day `recorded` (UTC)."""

    origin: RecordedOrigin
    recorded: datetime.date
    role: Role
    trial: Trial


@dataclass(frozen=True, slots=True)
class BaseResults:
    """What a file held. `trouble` says in a sentence what of it could not be used, or is empty."""

    trials: tuple[RecordedTrial, ...] = ()
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class _Entry:
    origin: RecordedOrigin
    recorded: str
    role: Role
    sha256: str


def encode_base_results(trials: Iterable[RecordedTrial]) -> bytes:
    """The file: a line that names its form, then two lines per trial, sorted. The same trials give the same bytes."""
    lines = [_FIRST_LINE]
    for one in sorted(trials, key=_order):
        line = encode_trial(one.trial)
        day = one.recorded.isoformat()
        entry = _Entry(one.origin, day, one.role, _sha256(one.origin, day, one.role, line))
        lines += [orjson.dumps(entry) + b"\n", line]
    return b"".join(lines)


def decode_base_results(data: bytes) -> BaseResults:
    """The trials of a file that may be anything. Never raises: what is damaged is left out, and `trouble` says so."""
    location = Location(BASE_RESULTS_FILE)
    lines = _lines(data)
    first = next(lines, b"")
    try:
        check_schema(first[:_MAX_HEADER_BYTES], BASE_RESULTS_SCHEMA, location)
    except InputFileError as error:
        return BaseResults(trouble=f"the base's stored results cannot be used: {error.message}")
    if first != _FIRST_LINE:
        return BaseResults(trouble="the base's stored results cannot be used: the file is damaged")
    found: list[RecordedTrial] = []
    damaged = 0
    for header in lines:
        one = _entry(header, next(lines, b""), location)
        if one is None:
            damaged += 1
        elif len(found) < MAX_ENTRIES:
            found.append(one)
    trouble = f"{damaged} of the base's stored trials are damaged and not used" if damaged else ""
    return BaseResults(tuple(found), trouble)


def kept(trials: Sequence[RecordedTrial], tree: str, today: datetime.date) -> tuple[RecordedTrial, ...]:
    """What is worth keeping: recordings while they are valid, references of the tree that is the base now.

    One trial per origin and role: the newest recording, the oldest reference. What is beyond `MAX_BYTES` goes, the
    oldest recordings first.
    """
    chosen: dict[tuple[Role, RecordedOrigin], RecordedTrial] = {}
    for one in sorted(trials, key=_order):
        if one.role == "recording" and not valid(one, today):
            continue
        if one.role == "reference" and one.origin.tree != tree:
            continue
        place = (one.role, one.origin)
        if place not in chosen or one.role == "recording":
            chosen[place] = one
    room = MAX_BYTES
    within: list[RecordedTrial] = []
    for one in sorted(
        chosen.values(), key=lambda one: (one.role != "reference", -one.recorded.toordinal(), _order(one))
    ):
        room -= len(encode_trial(one.trial)) + _MAX_HEADER_BYTES // 4
        if room < 0 or len(within) == MAX_ENTRIES:
            break
        within.append(one)
    return tuple(sorted(within, key=_order))


def valid(one: RecordedTrial, today: datetime.date) -> bool:
    """Whether a recording of that day may still spare a run."""
    return not why_too_old(one.recorded, today)


def _order(one: RecordedTrial) -> tuple[str, str, str, str, int, str, str]:
    origin = one.origin
    return (
        origin.tree,
        origin.agent,
        origin.environment,
        origin.case,
        origin.slot,
        one.role,
        one.recorded.isoformat(),
    )


def _lines(data: bytes) -> Iterator[bytes]:
    """The lines with their ends; a torn last one too."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        stop = len(data) if end < 0 else end + 1
        yield data[start:stop]
        start = stop


def _entry(header: bytes, line: bytes, location: Location) -> RecordedTrial | None:
    if len(header) > _MAX_HEADER_BYTES or len(line) > MAX_LINE_BYTES:
        return None
    try:
        said = _entries().validate_json(header, strict=True)
        if said.sha256 != _sha256(said.origin, said.recorded, said.role, line):
            return None
        trial = decode_trial(line, location)
        if trial.slot != said.origin.slot or trial.status == "infra_error":
            return None
        return RecordedTrial(said.origin, datetime.date.fromisoformat(said.recorded), said.role, trial)
    except (ValidationError, InputFileError, ValueError):
        return None


def _sha256(origin: RecordedOrigin, day: str, role: Role, line: bytes) -> str:
    return hashlib.sha256(orjson.dumps([*astuple(origin), day, role]) + b"\n" + line).hexdigest()


@cache
def _entries() -> TypeAdapter[_Entry]:
    return TypeAdapter(_Entry)
