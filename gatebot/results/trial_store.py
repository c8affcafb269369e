"""Finished trials that outlive results directories: found by what caused them, checked by digest, never trusted blindly."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import os
import tempfile
import threading
from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path

import orjson
from pydantic import TypeAdapter, ValidationError

from gatebot.errors import InfrastructureError, InputFileError, Location
from gatebot.model.trial import Trial
from gatebot.results.plain_file import TEMPORARY_PREFIX, open_to_read, replace_file
from gatebot.results.trial_line import MAX_LINE_BYTES, check_schema, decode_trial, encode_trial

STORE_SCHEMA = "gatebot.stored-trial/1"
KEPT_DAYS = 30
_MAX_HEADER_BYTES = 4096
_RECORDINGS = "recordings"
"""The folder of the index of recordings beside the entries."""


@dataclass(frozen=True, slots=True)
class TrialOrigin:
    """What a trial is caused by, beside chance: equal origins are the same sample.

    `evaluation` names the comparison it was run for. A trial of another one is another sample, even of the same tree:
    reused there, it would be compared with trials of another day (statistics: a cached base convicts nobody).
    """

    evaluation: str
    tree: str
    case: str
    agent: str
    environment: str
    slot: int

    def digest(self) -> str:
        """The name of its entry: sha256 (hex)."""
        return hashlib.sha256(orjson.dumps(astuple(self))).hexdigest()


@dataclass(frozen=True, slots=True)
class _Header:
    schema: str
    origin: str
    recorded: str
    sha256: str


class TrialStore:
    """A directory of entries, one file each: a line that says what it is, and the trial's line.

    `today` (UTC) dates what is kept; entries of more than `KEPT_DAYS` days are removed at the start. `tell` hears
    once per kind of trouble; nothing here ever raises: an entry that cannot be used is a trial that is run.
    """

    def __init__(self, path: Path, today: datetime.date, tell: Callable[[str], None]) -> None:
        self._path = path
        self._today = today
        self._tell = tell
        self._told: set[str] = set()
        self._lock = threading.Lock()
        self._hide()
        self._forget_old()

    @property
    def path(self) -> Path:
        """The store's directory."""
        return self._path

    def find(self, origin: TrialOrigin) -> Trial | None:
        """The trial of that origin; None when there is none, or when its entry is corrupt, older or newer than we read."""
        found = self.find_dated(origin)
        return None if found is None else found[0]

    def find_dated(self, origin: TrialOrigin) -> tuple[Trial, datetime.date] | None:
        """The trial of that origin and the day (UTC) it was kept; None as `find` says."""
        digest = origin.digest()
        try:
            with open_to_read(self._place(digest)) as stream:
                header = stream.readline(_MAX_HEADER_BYTES)
                line = stream.read(MAX_LINE_BYTES + 2)
            return _checked(header, line, digest)
        except FileNotFoundError:
            return None
        except (InputFileError, OSError) as error:
            why = str(error).replace(
                f"{digest}.jsonl", "an entry"
            )  # so that a thousand of one kind are told once
            self._say(f"a kept trial is not used, and run again: {why}")
            return None

    def keep(self, origin: TrialOrigin, trial: Trial) -> None:
        """Keep a finished trial. What is there already stays: the first sample counts, whatever its outcome."""
        digest = origin.digest()
        place = self._place(digest)
        try:
            if place.exists() and self.find(origin) is not None:
                return
            line = encode_trial(trial)
            header = _Header(STORE_SCHEMA, digest, self._today.isoformat(), hashlib.sha256(line).hexdigest())
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, dir=place.parent)
            try:
                with os.fdopen(descriptor, "wb") as stream:
                    stream.write(orjson.dumps(header) + b"\n" + line)
                Path(name).replace(place)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self._say(f"finished trials cannot be kept in {self._path}: {reason}")

    def _place(self, digest: str) -> Path:
        return self._path / digest[:2] / f"{digest}.jsonl"

    def _say(self, text: str) -> None:
        with self._lock:
            if text in self._told:
                return
            self._told.add(text)
        self._tell(text)

    def _hide(self) -> None:
        """Have git ignore a store: one in a working tree would be part of the very tree that is judged.

        Where something else lies beside it, nothing is written: that would be ignored, too.
        """
        with contextlib.suppress(OSError, InfrastructureError):
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if all(len(entry.name) == 2 or entry.name == _RECORDINGS for entry in self._path.iterdir()):
                replace_file(self._path / ".gitignore", b"*\n")

    def _forget_old(self) -> None:
        midnight = datetime.datetime.combine(self._today, datetime.time(), datetime.UTC).timestamp()
        with contextlib.suppress(OSError):
            for place in (*self._path.glob("??/*"), *self._path.glob(f"{_RECORDINGS}/*/*")):
                with contextlib.suppress(OSError):
                    if place.lstat().st_mtime < midnight - KEPT_DAYS * 86_400:
                        place.unlink()


def _checked(header: bytes, line: bytes, digest: str) -> tuple[Trial, datetime.date]:
    """The entry's trial and its day. Raises InputFileError for anything that is not exactly what `keep` wrote under that name."""
    location = Location("the store")
    check_schema(header, STORE_SCHEMA, location)
    try:
        said = _headers().validate_json(header, strict=True)
        day = datetime.date.fromisoformat(said.recorded)
    except (ValidationError, ValueError) as error:
        raise InputFileError("its first line is damaged", location=location) from error
    if said.origin != digest or said.sha256 != hashlib.sha256(line).hexdigest():
        raise InputFileError("its digest is wrong", location=location)
    return decode_trial(line, location), day


@cache
def _headers() -> TypeAdapter[_Header]:
    return TypeAdapter(_Header)
