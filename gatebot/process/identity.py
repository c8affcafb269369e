"""Unprivileged users for trials: one of its own for each, unused by anything else on the machine while it runs."""

from __future__ import annotations

import contextlib
import fcntl
import grp
import os
import pwd
import stat
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FIRST_UID: Final = 61000
LAST_UID: Final = 64999
_NEVER: Final = frozenset({0, 1001, 65534})
"""root, the hosted runner's own user (which owns the mounted files), nobody."""
_DOCKER_SOCKETS: Final = (Path("/var/run/docker.sock"), Path("/run/docker.sock"))
_DYNAMIC: Final = Path("/run/systemd/dynamic-uid")
"""Where systemd notes, by number, the users that it makes up for services and for as long as they run."""
_STRIDE: Final = 97


class NoIdentityError(OSError):
    """No user is free, or this machine has no place for the locks that keep users apart."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A user (and a group of the same number) held by one run. `lock` is the descriptor that holds it."""

    uid: int
    lock: int


class Identities:
    """Hands out users. Two gatebots on one machine never hold the same one: each is locked through a file.

    The lock is inherited by the launcher of the run, so that a user stays taken until the run's last process is
    gone, even when gatebot itself is killed.
    """

    def __init__(self, locks: Path, taken: Iterable[int]) -> None:
        self._locks = locks
        self._taken = frozenset(taken) | _NEVER
        self._next = os.getpid() * _STRIDE
        self._guard = threading.Lock()

    @contextmanager
    def lease(self) -> Generator[Identity]:
        """Hold a user until the end of the block. Raises NoIdentityError."""
        identity = self._acquire()
        try:
            yield identity
        finally:
            os.close(identity.lock)

    def _acquire(self) -> Identity:
        count = LAST_UID - FIRST_UID + 1
        for _ in range(count):
            with self._guard:
                self._next += 1
                uid = FIRST_UID + self._next % count
            if uid in self._taken or (_DYNAMIC / str(uid)).exists():
                continue
            lock = os.open(
                self._locks / str(uid), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
            )
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return Identity(uid, lock)
            os.close(lock)
        message = f"no user between {FIRST_UID} and {LAST_UID} is free"
        raise NoIdentityError(message)


def lock_directory(candidates: Iterable[Path]) -> Path:
    """The first of the directories that is, or can be made, root's alone. Raises NoIdentityError."""
    for folder in candidates:
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            found = folder.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == 0 and not found.st_mode & 0o077:
                return folder
    message = "no place for the locks that keep users apart"
    raise NoIdentityError(message)


def users_in_use() -> frozenset[int]:
    """Users and groups that exist here, run something now, or may talk to a Docker engine."""
    known = {entry.pw_uid for entry in pwd.getpwall()} | {entry.gr_gid for entry in grp.getgrall()}
    for socket in _DOCKER_SOCKETS:
        with contextlib.suppress(OSError):
            known.add(socket.stat().st_gid)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                known.add(entry.stat().st_uid)
    return frozenset(known)
