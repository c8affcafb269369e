"""trials.jsonl as something that is read once: what was appended since the last look, and single trials by their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from gatebot.errors import Location
from gatebot.model.trial import Trial, TrialKey
from gatebot.results.plain_file import open_to_read
from gatebot.results.trial_line import MAX_LINE_BYTES, decode_trial


class Place(NamedTuple):
    """Where a line lies in its file: its first byte, and its number counted from 1."""

    offset: int
    number: int


def lines_from(path: Path, start: Place) -> Iterator[tuple[Place, bytes, Place]]:
    """The whole lines from `start` on, streamed: where each lies, the line, and where the next one begins.

    A last line without its newline is a write that was cut off, and is ignored. An absent file has no lines.
    Raises InputFileError for anything but a regular file. A line that is too long is handed out cut, and has no end.
    """
    try:
        stream = open_to_read(path)
    except FileNotFoundError:
        return
    with stream:
        stream.seek(start.offset)
        place = start
        for line in iter(lambda: stream.readline(MAX_LINE_BYTES + 1), b""):
            if not line.endswith(b"\n") and len(line) <= MAX_LINE_BYTES:
                return
            after = Place(place.offset + len(line), place.number + 1)
            yield place, line, after
            place = after


class TrialFile:
    """A journal and where each trial lies in it: `fresh` decodes every line once, however often it is asked."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._next = Place(0, 1)
        self._places: dict[TrialKey, Place] = {}
        self._lost: set[TrialKey] = set()

    def fresh(self) -> Iterator[Trial]:
        """The trials appended since the last call, in file order; of one key the first line counts.

        A trial lost to infrastructure is handed out once, and a later one of its key, which takes its place, too.
        Raises InputFileError, with the line number, for a line that is not a trial.
        """
        for place, line, after in lines_from(self._path, self._next):
            self._next = after
            trial = decode_trial(line, Location(self._path.name, place.number))
            key = trial.key
            if key in self._places and (key not in self._lost or trial.status == "infra_error"):
                continue
            self._places[key] = place
            if trial.status == "infra_error":
                self._lost.add(key)
            else:
                self._lost.discard(key)
            yield trial

    def some(self, wanted: Callable[[TrialKey], bool]) -> Iterator[Trial]:
        """The wanted trials among those that `fresh` has handed out, read again one by one; the lost ones last."""
        places = sorted((key in self._lost, place) for key, place in self._places.items() if wanted(key))
        for _, place in places:
            for _, line, _ in lines_from(self._path, place):
                yield decode_trial(line, Location(self._path.name, place.number))
                break
