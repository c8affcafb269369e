"""The one place a trial may write: a fresh directory with HOME and TMPDIR, removed afterwards whatever is in it."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PASSAGE_ONLY: Final = 0o711
_PRIVATE: Final = 0o700


@dataclass(frozen=True, slots=True)
class RunDirectory:
    """Fresh directories of one trial, owned by its user."""

    path: Path
    home: Path
    scratch: Path


@contextmanager
def run_directory(parent: Path | None = None, uid: int | None = None) -> Generator[RunDirectory]:
    """Make a run directory below `parent` (default: the system's temporary directory) and remove it at the end.

    With `uid` its inner directories belong to that user; the outer one lets it pass through. Raises OSError when
    it cannot be made; what cannot be removed is left.
    """
    path = Path(tempfile.mkdtemp(prefix="gatebot-", dir=parent))
    try:
        run = RunDirectory(path, path / "home", path / "tmp")
        for inner in (run.home, run.scratch):
            inner.mkdir(mode=_PRIVATE)
            if uid is not None:
                os.chown(inner, uid, uid)
        if uid is not None:
            path.chmod(_PASSAGE_ONLY)
        yield run
    finally:
        remove_tree(path)


def remove_tree(path: Path) -> bool:
    """Remove a directory that hostile code has filled and no process uses any more; whether all of it is gone.

    Neither depth nor modes of 0000 nor links stop it: links are removed, never followed. Must be called by the
    owner of the parent directory.
    """
    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(path)
        return True
    with contextlib.suppress(OSError):
        return _remove_flat(path)
    return not path.exists()


def _remove_flat(path: Path) -> bool:
    """Lift every folder to the top, one by one, and empty it there: no recursion, no long paths. Raises OSError."""
    top = Path(tempfile.mkdtemp(prefix="gatebot-old-", dir=path.parent))
    path.rename(top / "0")
    lifted = 1
    while folders := sorted(top.iterdir()):
        for folder in folders:
            _open_up(folder)
            for below in _remove_files(folder):
                _open_up(below)  # a directory that is moved is written to: its `..` changes
                below.rename(top / str(lifted))
                lifted += 1
            folder.rmdir()
    top.rmdir()
    return True


def _remove_files(folder: Path) -> list[Path]:
    """Unlink everything in `folder` that is no directory; its directories."""
    folders: list[Path] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(Path(entry.path))
            else:
                Path(entry.path).unlink()
    return folders


def _open_up(folder: Path) -> None:
    """Give the owner back every right on a directory."""
    if stat.S_IMODE(folder.lstat().st_mode) & _PRIVATE != _PRIVATE:
        folder.chmod(_PRIVATE)
