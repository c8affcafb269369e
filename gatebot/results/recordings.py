"""Which evaluations have run one agent lately: the index by which its trials in the store may stand for a base.

An entry is a file of its own, so that two runs at once never overwrite each other. The trials themselves are in the
store, found by what caused them; an entry that cannot be read is no recording.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

import orjson
from pydantic import TypeAdapter, ValidationError

from gatebot.errors import InfrastructureError, InputFileError, Location
from gatebot.results.plain_file import open_to_read, replace_file
from gatebot.results.trial_line import check_schema

RECORDING_SCHEMA = "gatebot.recording/1"
CHOSEN_SCHEMA = "gatebot.chosen-recordings/1"
QUESTIONS_SCHEMA = "gatebot.questions/1"
_MAX_BYTES = 1024 * 1024
_MOST_ENTRIES = 200
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Recording:
    """One evaluation's live trials of an agent: the slots in which it ran every case, and the day (UTC, ISO)."""

    evaluation: str
    slots: tuple[int, ...]
    recorded: str
    schema: str = RECORDING_SCHEMA


@dataclass(frozen=True, slots=True)
class RecordedSlot:
    """One slot of one evaluation."""

    evaluation: str
    slot: int


@dataclass(frozen=True, slots=True)
class _Chosen:
    slots: tuple[RecordedSlot, ...]
    schema: str = CHOSEN_SCHEMA


class RecordingIndex:
    """The recordings of one agent, `key` naming it (tree, configuration, environment; a hex digest).

    Nothing here raises: what cannot be kept is not there later.
    """

    def __init__(self, store: Path, key: str) -> None:
        self._place = store / "recordings" / key
        self._choices = store / "recordings" / "chosen"

    def slots(self, *, without: str) -> tuple[RecordedSlot, ...]:
        """Every recorded slot, the newest day first, then by name; those of the evaluation `without` left out."""
        found: list[Recording] = []
        with contextlib.suppress(OSError):
            for path in sorted(self._place.glob("*.json"))[:_MOST_ENTRIES]:
                entry = _read(path, _recordings(), RECORDING_SCHEMA)
                if entry is not None and entry.evaluation == path.stem != without:
                    found.append(entry)
        found.sort(key=lambda one: one.evaluation)
        found.sort(key=lambda one: one.recorded, reverse=True)
        return tuple(RecordedSlot(one.evaluation, slot) for one in found for slot in sorted(one.slots))

    def keep(self, recording: Recording) -> None:
        """Keep what an evaluation ran of this agent; a later word of the same evaluation replaces it."""
        _write(self._place / f"{recording.evaluation}.json", orjson.dumps(recording))

    def void(self) -> None:
        """Forget every recording: live trials differ from them."""
        with contextlib.suppress(OSError):
            for path in self._place.glob("*.json"):
                path.unlink(missing_ok=True)

    def chosen(self, evaluation: str) -> tuple[RecordedSlot, ...] | None:
        """The slots an evaluation has chosen before, none where it ran its base; None when it has not chosen yet.

        An evaluation that is run again in another place sees the same recordings again, so that it shows the same.
        """
        found = _read(self._choices / f"{evaluation}.json", _choices(), CHOSEN_SCHEMA)
        return None if found is None else found.slots

    def choose(self, evaluation: str, slots: Sequence[RecordedSlot]) -> None:
        """Remember an evaluation's choice."""
        _write(self._choices / f"{evaluation}.json", orjson.dumps(_Chosen(tuple(slots))))


@dataclass(frozen=True, slots=True)
class Question:
    """What one evaluation of a head asks: digests of its policy, grading and cases, and its seeds in words."""

    policy: str
    grading: str
    run: str
    seeds: str


@dataclass(frozen=True, slots=True)
class _Questions:
    asked: tuple[Question, ...]
    schema: str = QUESTIONS_SCHEMA


def earlier_questions(store: Path, evaluation: str, question: Question) -> tuple[Question, ...]:
    """The questions asked of the same trees before this one was asked first, in order; this one is remembered.

    Asking again what was asked before changes nothing, so that the same evaluation shows the same each time.
    """
    path = store / "recordings" / "questions" / f"{evaluation}.json"
    found = _read(path, _asked(), QUESTIONS_SCHEMA)
    asked = () if found is None else found.asked
    if question in asked:
        return asked[: asked.index(question)]
    if len(asked) < _MOST_ENTRIES:
        _write(path, orjson.dumps(_Questions((*asked, question))))
    return asked


def _write(path: Path, data: bytes) -> None:
    with contextlib.suppress(OSError, InfrastructureError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(path, data + b"\n")


def _read(path: Path, adapter: TypeAdapter[T], schema: str) -> T | None:
    try:
        with open_to_read(path) as stream:
            data = stream.read(_MAX_BYTES + 1)
        check_schema(data, schema, Location(path.name))
        return adapter.validate_json(data)
    except (OSError, InputFileError, ValidationError):
        return None


@cache
def _recordings() -> TypeAdapter[Recording]:
    return TypeAdapter(Recording)


@cache
def _asked() -> TypeAdapter[_Questions]:
    return TypeAdapter(_Questions)


@cache
def _choices() -> TypeAdapter[_Chosen]:
    return TypeAdapter(_Chosen)
