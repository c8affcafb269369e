"""What setup commands may leave in a side's place: files, directories, links; and nothing that leads trials elsewhere."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

_HANDLED = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)


def is_folder(path: Path) -> bool:
    """Whether a directory lies there itself, and no link to one."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def leads_elsewhere(root: Path, below: str) -> bool:
    """Whether `root/below` is not simply a directory in `root`: what it leads to would be opened to trials."""
    folders = [root]
    for part in Path(below).parts:
        folders.append(folders[-1] / part)
    return not all(is_folder(folder) for folder in folders)


def special_file(roots: Iterable[Path]) -> str:
    """The name of something below the roots that is no file, directory or link (a pipe, a socket); "" without.

    Whoever reads one waits forever, and no copy can be made of it. Raises OSError.
    """
    pending = list(roots)
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                mode = entry.stat(follow_symlinks=False).st_mode
                if not any(handled(mode) for handled in _HANDLED):
                    return entry.name
                if stat.S_ISDIR(mode):
                    pending.append(Path(entry.path))
    return ""
