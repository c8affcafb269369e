"""Scratch space of one gatebot process, removed at its end; and by the next one, where a process was killed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from gatebot.errors import InfrastructureError
from gatebot.process.run_directory import remove_tree

_PREFIX = "gatebot-session-"
_LOCK = "lock"


@contextmanager
def session_directory(parent: Path | None = None) -> Generator[Path]:
    """A directory below `parent` (default: the system's temporary directory) for what lives as long as this process.

    Everybody may enter it: trials' run directories lie in it. Directories of processes that are dead are removed
    first. Raises InfrastructureError when it cannot be made.
    """
    above = Path(tempfile.gettempdir()) if parent is None else parent
    remove_leftovers(above)
    try:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=above))
        path.chmod(0o755)
        lock = _hold(path)
    except OSError as error:
        message = f"cannot make a directory in {above}: {error.strerror}"
        raise InfrastructureError(
            message, "free some space, or set TMPDIR to a writable directory"
        ) from error
    try:
        yield path
    finally:
        remove_tree(path)
        os.close(lock)


def remove_leftovers(parent: Path) -> int:
    """Remove our sessions below `parent` whose process is gone; how many there were.

    A process holds a lock on a file of its session for as long as it lives: process ids may be taken again, and mean
    nothing in another container that shares the directory.
    """
    removed = 0
    for path in sorted(parent.glob(f"{_PREFIX}*")):
        with contextlib.suppress(OSError):
            if path.lstat().st_uid != os.geteuid() or path.is_symlink():
                continue
            lock = os.open(path / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                removed += remove_tree(path)
            finally:
                os.close(lock)
    return removed


def _hold(path: Path) -> int:
    """Lock first, then give the file its name: whoever finds it by name finds it locked."""
    unnamed = path / f"{_LOCK}.new"
    lock = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    os.write(lock, f"{os.getpid()}\n".encode("ascii"))
    fcntl.flock(lock, fcntl.LOCK_EX)
    unnamed.rename(path / _LOCK)
    return lock
