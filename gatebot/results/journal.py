"""trials.jsonl, the append-only journal: one line per finished trial, a torn last line ignored."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from gatebot.errors import InfrastructureError, Location, ResultsError
from gatebot.model.trajectory import Usage
from gatebot.model.trial import Trial, TrialKey
from gatebot.results.plain_file import open_to_append, open_to_read, sync_directory
from gatebot.results.trial_file import Place, lines_from
from gatebot.results.trial_line import decode_trial, storable

N = TypeVar("N", int, float)

TRIALS_FILE = "trials.jsonl"
_BLOCK = 65536


def read_trials(path: Path) -> Iterator[Trial]:
    """The trials of a journal in file order, streamed; of one key the first line counts.

    A trial lost to infrastructure counts only when no other line of its key does, and comes last. A last line
    without its newline is a write that was cut off, and is ignored. An absent file holds no trials.
    Raises InputFileError, with the line number, for any other line that is not a trial.
    """
    seen: set[TrialKey] = set()
    lost: dict[TrialKey, Trial] = {}
    for place, line, _ in lines_from(path, Place(0, 1)):
        trial = decode_trial(line, Location(path.name, place.number))
        if trial.status == "infra_error":
            lost.setdefault(trial.key, trial)
        elif trial.key not in seen:
            seen.add(trial.key)
            yield trial
    yield from (trial for key, trial in lost.items() if key not in seen)


@contextmanager
def nobody_writing(path: Path) -> Generator[None]:
    """Hold the lock of a journal that may be there, within the block. Raises ResultsError when a gatebot is writing it."""
    if not path.is_file() or path.is_symlink():
        yield
        return
    with open_to_read(path) as stream:
        _lock(stream.fileno(), path)
        yield


class Journal:
    """The one writer of a journal. Use as a context manager; holds a lock on the file while open.

    `done` are the keys of finished trials: no trial of theirs is ever appended again. A trial that an earlier
    process lost to infrastructure is not done. `spent_before` is what the trials found at the opening have reported.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1
        self._synced = True
        self._lock = threading.Lock()
        self.done: set[TrialKey] = set()
        self.spent_before = Usage()

    def __enter__(self) -> Self:
        """Lock the file, read what is done, cut a torn tail off.

        Raises ResultsError when another process writes it, InputFileError when it holds foreign lines.
        """
        self._file = open_to_append(self._path)
        try:
            _lock(self._file, self._path)
            for trial in read_trials(self._path):
                if not trial.cached:  # a recording was paid for by another evaluation
                    self.spent_before = _sum(self.spent_before, trial.usage)
                if trial.status != "infra_error":
                    self.done.add(trial.key)
            _cut_torn_tail(self._file)
            sync_directory(self._path.parent)
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Sync and close the file, which releases the lock."""
        try:
            self.sync()
        finally:
            self._close()

    def append(self, trial: Trial) -> Trial:
        """Write one finished trial, so that gatebot's death cannot lose it; hand it back as it was stored.

        A trial whose key is done already is not written. One that JSON cannot hold is stored as an `agent_error`.
        Threads may call this at the same time. Raises InfrastructureError when the disk refuses; the file is then
        as before.
        """
        if trial.key in self.done:
            return trial
        stored, line = storable(trial)
        with self._lock:
            if self._file < 0:
                message = "the journal is not open"
                raise ResultsError(message)
            if trial.key in self.done:
                return trial
            before = os.fstat(self._file).st_size
            try:
                _write_all(self._file, line)
            except OSError as error:
                os.ftruncate(self._file, before)
                raise self._disk_refuses(error) from error
            self.done.add(stored.key)
            self._synced = False
        return stored

    def sync(self) -> None:
        """Let everything appended so far survive a power cut too. Raises InfrastructureError when the disk refuses."""
        if self._synced or self._file < 0:
            return
        self._synced = True
        try:
            os.fsync(self._file)
        except OSError as error:
            raise self._disk_refuses(error) from error

    def _disk_refuses(self, error: OSError) -> InfrastructureError:
        message = f"cannot write {self._path.name}: {error.strerror}"
        return InfrastructureError(message, "free some space and run again: finished trials are kept")

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        input_tokens=_sum_known(one.input_tokens, other.input_tokens),
        output_tokens=_sum_known(one.output_tokens, other.output_tokens),
        cost_usd=_sum_known(one.cost_usd, other.cost_usd),
    )


def _sum_known(one: N | None, other: N | None) -> N | None:
    if one is None or other is None:
        return one if other is None else other
    return one + other


def _lock(file: int, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        message = f"another gatebot is writing {path.name} in {path.parent.name}"
        raise ResultsError(message, "wait for it to end, or name another directory with --out") from error


def _cut_torn_tail(file: int) -> None:
    """Truncate the file after its last newline, so that the next line starts on a line of its own."""
    end = position = os.fstat(file).st_size
    while position > 0:
        start = max(0, position - _BLOCK)
        found = os.pread(file, position - start, start).rfind(b"\n")
        if found >= 0:
            position = start + found + 1
            break
        position = start
    if position != end:
        os.ftruncate(file, position)
        os.fsync(file)


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
