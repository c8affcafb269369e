"""The one place a trial may write: a fresh directory with HOME and TMPDIR, removed afterwards whatever is in it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gatebot.process.identity import Identity
from gatebot.process.shared_memory import left_in_shared_places, remove_system_v_objects

_PASSAGE_ONLY: Final = 0o711
_PRIVATE: Final = 0o700
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


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
    """Remove a directory that hostile code has filled and no process uses any more; whether all of it is gone.

    Neither depth nor modes of 0000 nor links stop it: links are removed, never followed. Must be called by the
    owner of the parent directory.
    """
    if path.is_symlink():
        path.unlink()
        return True
    with contextlib.suppress(FileNotFoundError):
        path.chmod(_PRIVATE)
    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(path)
        return True
    with contextlib.suppress(OSError):
        _remove_deep(path)
    return not path.exists()


def _remove_deep(path: Path) -> None:
    """Remove without recursion, with one open directory at a time, and with no path longer than a name.

    Climbing back by `..` is safe because nothing that could move a directory is alive. Raises OSError.
    """
    here = os.open(path, _FOLDER)
    try:
        levels: list[tuple[str, list[str]]] = [("", _empty_of_files(here))]
        while True:
            name, below = levels[-1]
            if below:
                name = below.pop()
                os.chmod(name, _PRIVATE, dir_fd=here)
                here = _move_to(name, here)
                levels.append((name, _empty_of_files(here)))
                continue
            levels.pop()
            if not levels:
                break
            here = _move_to("..", here)
            os.rmdir(name, dir_fd=here)
    finally:
        os.close(here)
    path.rmdir()


def _move_to(name: str, here: int) -> int:
    there = os.open(name, _FOLDER, dir_fd=here)
    os.close(here)
    return there


def _empty_of_files(folder: int) -> list[str]:
    """Unlink everything in the open `folder` that is no directory; the names of its directories."""
    with os.scandir(folder) as entries:
        kinds = {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
    for name, is_folder in kinds.items():
        if not is_folder:
            os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in kinds.items() if is_folder]
