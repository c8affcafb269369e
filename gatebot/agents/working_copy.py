"""A trial's own writable copy of its side's checkout, and the base's files laid over it when the agent has ended."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Final

from gatebot.model.suite import SuiteFile
from gatebot.process.identity import Identity
from gatebot.process.run_directory import RunDirectory, remove_tree

NAME: Final = "workspace"
_PRIVATE: Final = 0o700
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PROGRAM: Final = b"#!"


def working_copy(directory: RunDirectory, checkout: PurePath) -> Path:
    """Copy the checkout into the run directory, writable for the trial's user; links stay links. Raises OSError."""
    place = directory.path / NAME
    try:
        shutil.copytree(checkout, place, symlinks=True)
    except shutil.Error as error:  # of many files: the first says enough
        raise OSError(None, str(error.args[0][0][2])) from error
    _give(place, directory.user)
    place.chmod(_PRIVATE)  # other trials, of other users, are not to find hidden tests in it
    return place


def reopen(checkout: PurePath, directory: RunDirectory) -> None:
    """Open a trial's own copy for its user again, which an agent may have closed to have the machine blamed.

    Nothing of the trial may run any more. The copy itself is neither a link nor gone: its parent is not the agent's to
    change. Raises OSError.
    """
    if is_copy(checkout, directory):
        Path(checkout).chmod(_PRIVATE)


def is_copy(checkout: PurePath, directory: RunDirectory) -> bool:
    """Whether the checkout is a trial's own, in its run directory."""
    return checkout.is_relative_to(directory.path)


def lay_files(files: Iterable[SuiteFile], place: Path, user: Identity | None) -> None:
    """Write the files below `place`, whatever the agent has left there under their names. Raises OSError.

    Nothing of the trial may run any more. No link is followed: whatever stands in the way of a file or of a folder on
    the way to it is removed. What begins like a script can be run.
    """
    for file in files:
        *folders, name = file.path.split("/")
        here = os.open(place, _FOLDER)
        way = place
        try:
            for folder in folders:
                way /= folder
                here = _enter(here, folder, way, user)
            _clear(here, name, way / name)
            mode = 0o755 if file.content.startswith(_PROGRAM) else 0o644
            with os.fdopen(os.open(name, _NEW, mode, dir_fd=here), "wb") as target:
                target.write(file.content)
                if user is not None:
                    os.fchown(target.fileno(), user.uid, user.uid)
        finally:
            os.close(here)


def _enter(here: int, folder: str, way: Path, user: Identity | None) -> int:
    """Open the folder of that name, made where there is none; closes `here`."""
    try:
        try:
            return os.open(folder, _FOLDER, dir_fd=here)
        except OSError:
            _clear(here, folder, way)
            os.mkdir(folder, 0o755, dir_fd=here)
            made = os.open(folder, _FOLDER, dir_fd=here)
            if user is not None:
                os.fchown(made, user.uid, user.uid)
            return made
    finally:
        os.close(here)


def _clear(here: int, name: str, way: Path) -> None:
    """Remove what has that name, a directory with all in it, a link itself."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISDIR(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
            remove_tree(way)
        else:
            os.unlink(name, dir_fd=here)


def _give(root: Path, user: Identity | None) -> None:
    """Make the fresh copy writable for its owner, who is `user`. Nothing has run in it yet."""
    for folder, folders, names in os.walk(root):
        for path in (Path(folder), *(Path(folder, name) for name in (*folders, *names))):
            found = path.lstat()
            if not stat.S_ISLNK(found.st_mode):
                path.chmod(stat.S_IMODE(found.st_mode) | stat.S_IWUSR)
            if user is not None:
                os.chown(path, user.uid, user.uid, follow_symlinks=False)
