"""The one place a trial may write: a fresh directory with HOME and TMPDIR, removed afterwards whatever is in it."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from gatebot.process.identity import Identity
from gatebot.process.shared_memory import left_in_shared_places, remove_system_v_objects

_PASSAGE_ONLY: Final = 0o711
_PRIVATE: Final = 0o700
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PLACE: Final = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class RunDirectory:
    """Fresh directories of one trial, owned by its user; `user` None = gatebot's own."""

    path: Path
    home: Path
    scratch: Path
    user: Identity | None = None


@contextmanager
def run_directory(
    parent: Path | None = None, user: Identity | None = None, *, walled: bool = True
) -> Generator[RunDirectory]:
    """Make a run directory below `parent` (default: the system's temporary directory) and remove it at the end.

    With `user` its inner directories belong to that user; the outer one lets it pass through; and what that user
    leaves in shared memory (and, not `walled`, wherever all may write) is removed too. Raises OSError when it cannot be made; what cannot be removed is left.
    """
    path = Path(tempfile.mkdtemp(prefix="gatebot-", dir=parent))
    try:
        run = RunDirectory(path, path / "home", path / "tmp", user)
        for inner in (run.home, run.scratch):
            inner.mkdir(mode=_PRIVATE)
            if user is not None:
                os.chown(inner, user.uid, user.uid)
        if user is not None:
            path.chmod(_PASSAGE_ONLY)
        yield run
    finally:
        remove_tree(path)
        if user is not None:
            _remove_shared(user.uid, everywhere=not walled)


def _remove_shared(uid: int, *, everywhere: bool) -> None:
    for left in left_in_shared_places(uid, everywhere=everywhere):
        if left.is_dir() and not left.is_symlink():
            remove_tree(left)
        else:
            left.unlink(missing_ok=True)
    remove_system_v_objects(uid)


def remove_tree(path: Path) -> bool:
    """Remove a directory that hostile code has filled; whether all of it is gone.

    Neither depth nor modes of 0000 nor links stop it: links are removed, never followed, not even where something
    still runs in it and moves things about. Must be called by the owner of the parent directory.
    """
    with contextlib.suppress(OSError):
        if path.is_symlink():
            path.unlink()
            return True
        os.close(_opened(str(path), None))
    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(path)
        return True
    with contextlib.suppress(OSError):
        _remove_deep(path)
    return not path.exists()


def _remove_deep(path: Path) -> None:
    """Remove without recursion, with one open directory at a time, and with no path longer than a name.

    Climbing back by `..` ends where that is not the directory we came from: somebody has moved one, and what it is in
    now is not ours to remove. Raises OSError.
    """
    here = _opened(str(path), None)
    try:
        levels: list[_Level] = [_Level("", _empty_of_files(here), _identity(here))]
        while True:
            level = levels[-1]
            if level.below:
                name = level.below.pop()
                here = _moved(here, _opened(name, here))
                levels.append(_Level(name, _empty_of_files(here), _identity(here)))
                continue
            levels.pop()
            if not levels:
                break
            here = _moved(here, os.open("..", _FOLDER, dir_fd=here))
            if _identity(here) != levels[-1].identity:
                raise OSError(errno.ESTALE, "a directory was moved while it was removed")
            os.rmdir(level.name, dir_fd=here)
    finally:
        os.close(here)
    path.rmdir()


class _Level(NamedTuple):
    """A directory on the way down: its name, those in it still to be removed, and which one it is."""

    name: str
    below: list[str]
    identity: tuple[int, int]


def _opened(name: str, folder: int | None) -> int:
    """The directory of that name, open, and its owner's to change; a link is none. Raises OSError."""
    place = os.open(name, _PLACE, dir_fd=folder)
    try:
        itself = f"/proc/self/fd/{place}"
        os.chmod(itself, _PRIVATE)  # noqa: PTH101 - a descriptor, which nobody can put a link in the place of
        return os.open(itself, _FOLDER & ~os.O_NOFOLLOW)
    finally:
        os.close(place)


def _moved(here: int, there: int) -> int:
    os.close(here)
    return there


def _identity(folder: int) -> tuple[int, int]:
    found = os.fstat(folder)
    return found.st_dev, found.st_ino


def _empty_of_files(folder: int) -> list[str]:
    """Unlink everything in the open `folder` that is no directory; the names of its directories."""
    with os.scandir(folder) as entries:
        kinds = {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
    for name, is_folder in kinds.items():
        if not is_folder:
            os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in kinds.items() if is_folder]
