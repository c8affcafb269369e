"""An agent that plays recorded trials back: the trials.jsonl of an earlier run, found by case and slot."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import orjson
from pydantic import TypeAdapter, ValidationError

from gatebot.errors import InputFileError, Location
from gatebot.model.trial import SIDES, TRIAL_SCHEMA, Side, Trial
from gatebot.ports import SideEnvironment, TrialTask

TRIALS_FILE: Final = "trials.jsonl"
MAX_LINE_BYTES: Final = 64 * 1024 * 1024


class _Place(NamedTuple):
    offset: int
    length: int
    line: int
    lost: bool


class ReplayAgent:
    """Hands out recorded trials. Implements ports.Agent.

    Of both sides recorded, each side gets its own recording; of one side alone, both get it. Only places in the file
    are kept in memory. As in the journal, the first line of a trial counts, and one lost to infrastructure only when
    there is no other.
    """

    def __init__(self, path: Path) -> None:
        """Index the recording at `path`, a file or a directory with trials.jsonl.

        Raises InputFileError when it cannot be read, or a line other than a torn last one is no trial.
        """
        self._path = path / TRIALS_FILE if path.is_dir() else path
        self._places: dict[tuple[str, Side, int], _Place] = {}
        for key, place in _index(self._path):
            known = self._places.get(key)
            if known is None or (known.lost and not place.lost):
                self._places[key] = place

    def run(self, task: TrialTask, environment: SideEnvironment) -> Trial:
        """The recorded trial of the task's case and slot; `infra_error` when none was recorded."""
        del environment
        key = task.key
        sides = sorted(SIDES, key=lambda side: side != key.side)
        place = next(
            (found for side in sides if (found := self._places.get((key.case, side, key.slot)))), None
        )
        if place is None:
            return self._lost(task, f"no recorded trial of this case in slot {key.slot}")
        try:
            recorded = _decode(_read(self._path, place), Location(self._path.name, place.line))
        except InputFileError as error:
            return self._lost(task, str(error))
        except OSError as error:
            return self._lost(task, f"cannot read {self._path.name}: {error.strerror}")
        return replace(
            recorded, case=key.case, side=key.side, slot=key.slot, seed=task.seed, round=task.round
        )

    def _lost(self, task: TrialTask, reason: str) -> Trial:
        key = task.key
        return Trial(key.case, key.side, key.slot, task.seed, "infra_error", round=task.round, reason=reason)


def _index(path: Path) -> Iterator[tuple[tuple[str, Side, int], _Place]]:
    """The key and place of each line. Raises InputFileError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                message = f"{path.name} is no regular file"
                raise InputFileError(message, "agent.replay names a trials.jsonl or its directory")
            offset = 0
            for number, line in enumerate(iter(lambda: stream.readline(MAX_LINE_BYTES + 1), b""), start=1):
                if not line.endswith(b"\n") and len(line) <= MAX_LINE_BYTES:
                    return
                trial = _decode(line, Location(path.name, number))
                key = (trial.case, trial.side, trial.slot)
                yield key, _Place(offset, len(line), number, trial.status == "infra_error")
                offset += len(line)
    except OSError as error:
        message = f"cannot read the recorded trials: {error.strerror}"
        hint = "agent.replay names a trials.jsonl or its directory, relative to gatebot.yaml"
        raise InputFileError(message, hint, location=Location(str(path))) from error


def _read(path: Path, place: _Place) -> bytes:
    with path.open("rb") as stream:
        stream.seek(place.offset)
        return stream.read(place.length)


@cache
def _trials() -> TypeAdapter[Trial]:
    return TypeAdapter(Trial)


def _decode(line: bytes, location: Location) -> Trial:
    """A trial from its line. Raises InputFileError at `location`."""
    hint = "record the trials anew, or remove that line"
    try:
        orjson.loads(line)  # stricter than the validator: no NaN, no overflow to infinity, bounded depth
        trial = _trials().validate_json(line, strict=True)
    except orjson.JSONDecodeError as error:
        message = f"not a line of JSON: {error.msg}"
        raise InputFileError(message, hint, location=location) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        message = f"not a trial: {first['msg']}"
        raise InputFileError(message, hint, location=location) from error
    if trial.schema != TRIAL_SCHEMA:
        message = f"not written as {TRIAL_SCHEMA}"
        raise InputFileError(message, hint, location=location)
    return trial
