"""A directory that outlives a run: found again by what it was made from, used by one run at a time, trusted if untouched."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gatebot.errors import InfrastructureError
from gatebot.process.run_directory import remove_tree

KEPT_AT_MOST = 24
_SEAL = "seal"
_LOCK = "lock"
_SALT = "salt"
_PASSAGE = 0o711


@dataclass(frozen=True, slots=True)
class KeptPlace:
    """A directory held by this run. What is made goes into directories below `path`; `note` of the seal is free text."""

    path: Path

    def sealed(self) -> str | None:
        """The note it was sealed with; None unless everything below is exactly as it was then.

        "Exactly" goes by the kernel's own change time of every file and directory, which no unprivileged program can
        set: a trial or another program that wrote into it makes it a place to be made anew.
        """
        try:
            fingerprint, _, note = (self.path / _SEAL).read_text(encoding="utf-8").partition("\n")
        except (OSError, UnicodeDecodeError):
            return None
        return note if fingerprint == self._fingerprint() else None

    def clear(self) -> None:
        """Remove everything but the lock. Raises InfrastructureError when something stays."""
        for name in os.listdir(self.path):  # noqa: PTH208 - names, not paths
            if name == _LOCK:
                continue
            there = self.path / name
            if there.is_dir() and not there.is_symlink():
                if not remove_tree(there):
                    message = f"cannot remove {there}"
                    raise InfrastructureError(message, "remove it by hand")
            else:
                there.unlink()

    def seal(self, note: str) -> None:
        """Say that what is below is complete: the last thing written, so that a kill on the way leaves no seal."""
        temporary = self.path / f"{_SEAL}.new"
        temporary.write_text(f"{self._fingerprint()}\n{note}", encoding="utf-8")
        temporary.replace(self.path / _SEAL)

    def _fingerprint(self) -> str:
        digest = hashlib.sha256(b"gatebot kept place 2\0")
        folders = [entry.name for entry in os.scandir(self.path) if entry.is_dir(follow_symlinks=False)]
        pending = sorted(folders, reverse=True)
        while pending:
            folder = pending.pop()
            _add(digest, folder, (self.path / folder).lstat())
            with os.scandir(self.path / folder) as entries:
                for entry in sorted(entries, key=lambda entry: os.fsencode(entry.name)):
                    path = f"{folder}/{entry.name}"
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(path)
                    else:
                        _add(digest, path, entry.stat(follow_symlinks=False))
        return digest.hexdigest()


def _add(digest: hashlib._Hash, path: str, found: os.stat_result) -> None:  # pyright: ignore[reportPrivateUsage]
    words = (found.st_mode, found.st_uid, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    digest.update(os.fsencode(path) + b"\0" + " ".join(map(str, words)).encode() + b"\0")


@contextmanager
def kept_place(parent: Path, words: Sequence[str]) -> Generator[KeptPlace]:
    """Hold the directory below `parent` that `words` name, made when absent; another of the same words if it is in use.

    Its name tells nobody what the words are. Raises InfrastructureError when the disk refuses.
    """
    try:
        salt = _salt(parent)
        name = hashlib.sha256("\0".join((salt, *words)).encode("utf-8", "surrogatepass")).hexdigest()[:20]
        path, lock = _locked(parent, name)
    except OSError as error:
        message = f"cannot make a directory in {parent}: {error.strerror}"
        raise InfrastructureError(
            message, "free some space, or name another directory with --cache"
        ) from error
    try:
        yield KeptPlace(path)
    finally:
        os.close(lock)


def forget_oldest(parent: Path, keep: int = KEPT_AT_MOST) -> None:
    """Remove the places that were used longest ago, beyond `keep` of them, unless a run holds them."""
    used: list[tuple[int, Path]] = []
    for path in parent.iterdir():
        with contextlib.suppress(OSError):
            used.append(((path / _LOCK).stat().st_mtime_ns, path))
    for _, path in sorted(used)[: max(0, len(used) - keep)]:
        lock = _lock(path)
        if lock is not None:
            remove_tree(path)
            os.close(lock)


def _locked(parent: Path, name: str) -> tuple[Path, int]:
    """The first place of that name that no run holds, and the descriptor that holds it. Raises OSError."""
    number = 0
    while True:
        path = parent / (f"{name}-{number}" if number else name)
        path.mkdir(mode=_PASSAGE, exist_ok=True)
        lock = _lock(path)
        if lock is not None:
            path.chmod(_PASSAGE)
            os.utime(path / _LOCK)  # when it was last used
            return path, lock
        number += 1


def _lock(path: Path) -> int | None:
    """Hold the place; None when another run does, or has just removed it."""
    try:
        lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except FileNotFoundError:
        return None
    with contextlib.suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if (path / _LOCK).stat().st_ino == os.fstat(lock).st_ino:
            return lock
    os.close(lock)
    return None


def _salt(parent: Path) -> str:
    """What keeps names from being computed by an agent that knows its own tree: drawn once per directory."""
    place = parent / _SALT
    if not place.exists():
        drawn = parent / f"{_SALT}-{os.getpid()}"
        drawn.write_text(os.urandom(16).hex(), encoding="ascii")
        drawn.chmod(0o600)
        with contextlib.suppress(FileExistsError):  # another process was faster: its salt holds
            os.link(drawn, place)
        drawn.unlink()
    return place.read_text(encoding="ascii")
