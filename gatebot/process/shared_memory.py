"""What a run may leave outside its directories: shared memory, semaphores and queues. Found by their user and removed."""

from __future__ import annotations

import contextlib
import ctypes
from pathlib import Path
from typing import Final

from gatebot.process import kernel

_SHARED: Final = Path("/dev/shm")  # noqa: S108 - only what belongs to the run's own user is touched
_OPEN_TO_ALL: Final = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108
_TABLES: Final = Path("/proc/sysvipc")
_REMOVE: Final = 0
_libc = ctypes.CDLL(None, use_errno=True)


def left_in_shared_places(uid: int, *, everywhere: bool) -> list[Path]:
    """What belongs to that user in shared memory, and `everywhere` else that all may write; sorted."""
    found: list[Path] = []
    for place in (_SHARED, *(_OPEN_TO_ALL if everywhere else ())):
        with contextlib.suppress(OSError):
            for entry in place.iterdir():
                with contextlib.suppress(OSError):
                    if entry.lstat().st_uid == uid:
                        found.append(entry)
    return sorted(found)


def remove_system_v_objects(uid: int) -> None:
    """Remove the System V shared memory, semaphores and message queues which that user made or owns.

    As that user: root removes them only with a capability that containers do not have.
    """
    unused = ctypes.c_void_p(None)
    shared, semaphores, queues = (
        _identifiers(kind, column, uid)
        for kind, column in (("shm", "shmid"), ("sem", "semid"), ("msg", "msqid"))
    )
    if not shared and not semaphores and not queues:
        return
    with kernel.thread_as(uid):
        for identifier in shared:
            _libc.shmctl(ctypes.c_int(identifier), ctypes.c_int(_REMOVE), unused)
        for identifier in semaphores:
            _libc.semctl(ctypes.c_int(identifier), ctypes.c_int(0), ctypes.c_int(_REMOVE), unused)
        for identifier in queues:
            _libc.msgctl(ctypes.c_int(identifier), ctypes.c_int(_REMOVE), unused)


def _identifiers(kind: str, column: str, uid: int) -> list[int]:
    """The objects of one kind, from the kernel's table of them (its first line names the columns)."""
    try:
        header, *rows = (_TABLES / kind).read_text("ascii", "replace").splitlines()
    except (OSError, ValueError):
        return []
    found: list[int] = []
    for row in rows:
        fields = dict(zip(header.split(), row.split(), strict=False))
        if str(uid) in (fields.get("uid"), fields.get("cuid")):
            found.append(int(fields[column]))
    return found
