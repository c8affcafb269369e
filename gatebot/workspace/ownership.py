"""Whose files are: a tree lent to an unprivileged user while it installs, and taken back so that trials can only read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

_FOLDER = 0o755
_PLAIN = 0o644
_RUNS = 0o111


def lend(roots: Iterable[Path], uid: int) -> None:
    """Give the trees to a user; links themselves, never what they point to. Raises OSError."""
    for root in roots:
        for path, _ in _walked(root):
            os.lchown(path, uid, uid)


def take_back(roots: Iterable[Path], uid: int) -> None:
    """Take what belongs to the user: ours again, readable for all, writable for nobody else, no set-uid bit.

    Nothing may run as that user any more. What the trees hold of anybody else (a hard link to a foreign file) is left
    as it is. Raises OSError.
    """
    owner, group = os.geteuid(), os.getegid()
    for root in roots:
        for path, found in _walked(root):
            if found.st_uid != uid:
                continue
            os.lchown(path, owner, group)
            if stat.S_ISDIR(found.st_mode):
                path.chmod(_FOLDER)
            elif not stat.S_ISLNK(found.st_mode):
                path.chmod(_PLAIN | _RUNS if found.st_mode & stat.S_IXUSR else _PLAIN)


def hand_back(workspace: Path, out: str) -> None:
    """Give what root has made in a workspace of another user to that user: results (`out` and what begins with it), fetched commits.

    Without this the later steps of a job on a self-hosted runner cannot remove it. Nothing is done in a workspace of
    root's own, or by anybody but root. Raises OSError.
    """
    owner = workspace.stat()
    if os.geteuid() != 0 or owner.st_uid == 0:
        return
    for root in (*workspace.glob(f"{out}*"), workspace / ".git"):
        if root.exists():
            for path, found in _walked(root):
                if found.st_uid == 0:
                    os.lchown(path, owner.st_uid, owner.st_gid)


def _walked(root: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Every path from `root` down with what it is; a directory before what is in it."""
    pending = [root]
    while pending:
        path = pending.pop()
        found = path.lstat()
        yield path, found
        if stat.S_ISDIR(found.st_mode):
            with os.scandir(path) as entries:
                pending.extend(Path(entry.path) for entry in entries)
