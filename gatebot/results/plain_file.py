"""Regular files only, and writes that leave the old file or the new one, never half of one."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from gatebot.errors import InfrastructureError, InputFileError, ResultsError

TEMPORARY_PREFIX = ".gatebot-tmp-"


def open_to_read(path: Path) -> BinaryIO:
    """Open a regular file; no link at its end is followed, no pipe is waited on.

    Raises FileNotFoundError when it is absent and InputFileError when it is anything but a readable regular file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        message = f"cannot read {path.name}: {error.strerror}"
        raise InputFileError(message, f"{path} must be a readable regular file") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        message = f"cannot read {path.name}: it is not a regular file"
        raise InputFileError(message, f"{path} must be a readable regular file")
    return os.fdopen(descriptor, "rb")


def open_to_append(path: Path) -> int:
    """A descriptor that reads and appends to a regular file, made when absent. Raises ResultsError."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, 0o644)
    except OSError as error:
        message = f"cannot write {path.name}: {error.strerror}"
        raise ResultsError(message, "name a writable directory with --out") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        message = f"cannot write {path.name}: it is not a regular file"
        raise ResultsError(message, "name another directory with --out")
    return descriptor


def replace_file(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file whole: beside it, flushed, then renamed over it; readable for all.

    Pieces are written as they come, so that none but the last is held. Raises InfrastructureError when the disk
    refuses, and what making the pieces raises; the old file is then as it was.
    """
    temporary: Path | None = None
    try:
        descriptor, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, dir=path.parent)
        temporary = Path(name)
        with os.fdopen(descriptor, "wb") as stream:
            for piece in (data,) if isinstance(data, bytes) else data:
                stream.write(piece)
            stream.flush()
            os.fchmod(stream.fileno(), 0o644)
            os.fsync(stream.fileno())
        temporary.replace(path)
        sync_directory(path.parent)
    except OSError as error:
        message = f"cannot write {path.name}: {error.strerror}"
        raise InfrastructureError(message, "free some space, or name another directory with --out") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def sync_directory(directory: Path) -> None:
    """Make new and renamed names in `directory` survive a power cut."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
