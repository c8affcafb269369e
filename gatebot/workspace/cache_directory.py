"""Where gatebot keeps what a later run can use again: outside every repository, and open to trials where they need it."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from gatebot.errors import InfrastructureError

SIDES = "sides"
STORE = "trials"
_FALLBACKS = (Path("/var/tmp"),)  # noqa: S108 - below it only a directory that is provably our own is used
_PASSAGE = 0o711
_PRIVATE = 0o700
_ENTER = 0o001


@dataclass(frozen=True, slots=True)
class CacheDirectory:
    """`sides` holds checkouts and environments, which trials enter; `store` finished trials, for gatebot alone.

    `note` says in words where it had to be other than asked for; else empty.
    """

    sides: Path
    store: Path
    note: str = ""


def cache_directory(wanted: Path | None) -> CacheDirectory:
    """Make the cache at `wanted` (None: nowhere in particular), and its `sides` elsewhere if trials could not use it.

    They could not when gatebot is root and a directory above is closed to other users, when programs may not be run
    there, and when it lies in a repository, whose history an agent would find. Raises InfrastructureError when no
    place at all can be written.
    """
    why = "the environment names no cache directory"
    place = None
    if wanted is not None:
        place = wanted.absolute()
        why = _made(place) or _unfit(place)
    if place is not None and not why:
        return CacheDirectory(_below(place, SIDES, _PASSAGE), _below(place, STORE, _PRIVATE))
    other = _fallback()
    sides = _below(other, SIDES, _PASSAGE)
    kept = place if place is not None and not _made(place) else other
    return CacheDirectory(
        sides, _below(kept, STORE, _PRIVATE), f"Checkouts and environments are kept in {other}: {why}."
    )


def _made(place: Path) -> str:
    """Make the directory; why it cannot be used, or ""."""
    try:
        place.mkdir(mode=_PASSAGE, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place):
            return ""
    except OSError as error:
        return f"{place} cannot be written ({error.strerror})"


def _unfit(place: Path) -> str:
    """Why trials could not use checkouts below `place`, or ""."""
    above = {*(place, *place.parents), *(place.resolve(), *place.resolve().parents)}
    if any((folder / ".git").exists() for folder in above):
        return f"{place} lies in a repository"
    if os.statvfs(place).f_flag & os.ST_NOEXEC:
        return f"programs may not be run in {place}"
    if os.geteuid() == 0 and any(not folder.stat().st_mode & _ENTER for folder in above):
        return f"{place} cannot be entered by the users that trials run as"
    return ""


def _fallback() -> Path:
    """A directory for all runs of this user, or a fresh one where that name is somebody else's."""
    reasons: list[str] = []
    for parent in (*_FALLBACKS, Path(tempfile.gettempdir())):
        place = parent / f"gatebot-cache-{os.geteuid()}"
        with contextlib.suppress(OSError):
            place.mkdir(mode=_PASSAGE, exist_ok=True)
            found = place.lstat()
            ours = found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
            if stat.S_ISDIR(found.st_mode) and ours:
                why = _made(place) or _unfit(place)
                if not why:
                    return place
                reasons.append(why)
                continue
        reasons.append(f"{place} is not ours")
    raise InfrastructureError(
        f"no place for checkouts: {'; '.join(reasons)}",
        "name a writable directory outside the repository with --cache",
    )


def _below(place: Path, name: str, mode: int) -> Path:
    folder = place / name
    try:
        folder.mkdir(mode=mode, exist_ok=True)
        folder.chmod(mode)
    except OSError as error:
        message = f"cannot make {folder}: {error.strerror}"
        raise InfrastructureError(message, "name a writable directory with --cache") from error
    return folder
