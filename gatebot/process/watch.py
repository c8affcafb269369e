"""How much a run has written, looked at from its launcher while it runs. Standard library only, and little of it."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Mapping, Sequence

from gatebot.process import kernel

EVERY_S = 0.25
"""How long after one look the next one follows; later after a look that took long, so that looking stays cheap."""
_MOST_S = 3.0
_LOOKING_SHARE = 4
_SHARED = "/dev/"
_BLOCK = 512  # the unit of st_blocks, whatever the file system's


def own_places(writable: Sequence[str], home: str) -> tuple[str, ...]:
    """Of what a run may write, what is its own: beside its HOME, and shared memory. What a suite lets agents write
    elsewhere is others' too, may be large, and is not counted.
    """
    own = os.path.dirname(home)  # noqa: PTH120 - a launcher starts without pathlib
    return tuple(
        path for path in writable if path.startswith(_SHARED) or not own or path.startswith(f"{own}/")
    )


class Watch:
    """Looks whether a run holds more than `TREE_BYTES` on disk or more than `TREE_ENTRIES` files and directories.

    Looked at: what lies below `places` and belongs to the run (everything there when it has no user of its own, but
    for places shared with others), and files it has deleted but holds open. A tree too deep to be looked at counts as
    too much. `active` is False when there is nothing to watch.
    """

    def __init__(self, limits: Mapping[str, int], places: Sequence[str], uid: int | None) -> None:
        self._bytes = limits.get("TREE_BYTES")
        self._entries = limits.get("TREE_ENTRIES")
        self._places = places
        self._uid = uid
        self._next = time.monotonic() + EVERY_S
        self.active = bool(places) and (self._bytes is not None or self._entries is not None)

    def due_ms(self) -> int | None:
        """Milliseconds until the next look, whatever happens meanwhile; None when there is nothing to watch."""
        return max(0, round((self._next - time.monotonic()) * 1000)) if self.active else None

    def too_much(self) -> bool:
        """Whether a bound is passed right now. Never raises: what vanishes meanwhile is nothing."""
        began = time.monotonic()
        found = self._look()
        took = time.monotonic() - began
        self._next = began + took + min(max(EVERY_S, _LOOKING_SHARE * took), _MOST_S)
        return found

    def _look(self) -> bool:
        count = size = 0
        pending = [place for place in self._places if self._is_looked_at(place)]
        while pending:
            place = pending.pop()
            try:
                for found, path in self._inside(place):
                    count += 1
                    size += found.st_blocks * _BLOCK
                    if self._exceeded(count, size):
                        return True
                    if stat.S_ISDIR(found.st_mode):
                        pending.append(path)
            except OSError:
                return True  # nested deeper than a path can be long
        return self._exceeded(count, size + self._deleted_but_open())

    def _exceeded(self, count: int, size: int) -> bool:
        return (self._entries is not None and count > self._entries) or (
            self._bytes is not None and size > self._bytes
        )

    def _is_looked_at(self, place: str) -> bool:
        """Devices hold nothing; in shared memory only what the run's own user owns can be told to be the run's."""
        found = _status(place)
        if found is None or not stat.S_ISDIR(found.st_mode):
            return False
        return self._uid is not None or not place.startswith(_SHARED)

    def _inside(self, place: str) -> list[tuple[os.stat_result, str]]:
        """What of the run lies in a directory, with its path. Raises OSError where paths get too long."""
        inside: list[tuple[os.stat_result, str]] = []
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    found = _status(entry.path)
                    if found is not None and self._uid in (None, found.st_uid):
                        inside.append((found, entry.path))
                    if self._entries is not None and len(inside) > self._entries:
                        break
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                raise
        return inside

    def _deleted_but_open(self) -> int:
        """Bytes of deleted files that processes of the run's own user hold open, each file once.

        Root looks into other users' processes only with a capability that containers do not have; the run's own user
        does so without, where a process has not closed itself to that.
        """
        if self._uid is None:
            return 0
        sizes: dict[tuple[int, int], int] = {}
        for entry in os.listdir("/proc"):  # noqa: PTH208 - a launcher starts without pathlib
            found = _status(f"/proc/{entry}") if entry.isdigit() else None
            if found is None or found.st_uid != self._uid:
                continue
            try:
                sizes |= _deleted(entry)
            except PermissionError:
                with contextlib.suppress(PermissionError), kernel.files_as(self._uid):
                    sizes |= _deleted(entry)
        return sum(sizes.values())


def _deleted(process: str) -> dict[tuple[int, int], int]:
    """Bytes of the deleted files that a process holds open, by device and number. Raises PermissionError."""
    sizes: dict[tuple[int, int], int] = {}
    try:
        for descriptor in os.listdir(f"/proc/{process}/fd"):  # noqa: PTH208
            try:
                held = os.stat(f"/proc/{process}/fd/{descriptor}")  # noqa: PTH116
            except FileNotFoundError:
                continue
            if stat.S_ISREG(held.st_mode) and held.st_nlink == 0:
                sizes[held.st_dev, held.st_ino] = held.st_blocks * _BLOCK
    except PermissionError:
        raise
    except OSError:
        pass  # it has gone meanwhile
    return sizes


def _status(path: str) -> os.stat_result | None:
    """What lies at a path, links not followed; None when nothing does. Raises OSError when the path is too long."""
    try:
        return os.lstat(path)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise
        return None
