"""Where the human files come from: a directory, or anything that lists and reads (a commit's tree, say)."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Protocol

from gatebot.errors import ConfigError, Location, UsageError
from gatebot.suite.json_lines import MAX_BYTES, is_lines
from gatebot.suite.yaml_reader import MAX_FILE_BYTES


class FileSource(Protocol):
    """Files by their path relative to a root, with `/` between names."""

    def read(self, path: str) -> bytes:
        """The file's bytes. Raises FileNotFoundError when there is none, ConfigError when it may not be read."""
        ...

    def list(self) -> Sequence[str]:
        """Paths of all files below the root."""
        ...


class DirectorySource:
    """The files below one directory. What leads out of it is refused, not followed."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, path: str) -> bytes:
        """The file's bytes, cut one byte beyond the size limit of human files, or of suites that are one file.

        Raises: FileNotFoundError; ConfigError for a link that leads out of the directory, and for what is no file.
        """
        target = self._root / path
        resolved = Path(os.path.realpath(target))  # `resolve` raises over a ring of links
        if not resolved.is_relative_to(os.path.realpath(self._root)):
            raise ConfigError(
                "the file lies outside the suite", "copy it into the suite", location=Location(path)
            )
        try:
            # O_NONBLOCK: opening a pipe that nobody writes to must not hang.
            descriptor = os.open(resolved, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            raise FileNotFoundError(path) from None
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ConfigError(
                f"the file cannot be read: {reason}", "check it", location=Location(path)
            ) from None
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ConfigError("this is no ordinary file", "put a file here", location=Location(path))
            return file.read((MAX_BYTES if is_lines(path) else MAX_FILE_BYTES) + 1)

    def list(self) -> Sequence[str]:
        """Sorted paths of all files; hidden folders, linked folders and `node_modules` are left out."""
        found: list[str] = []
        for folder, folders, files in os.walk(self._root):
            folders[:] = sorted(
                name for name in folders if not name.startswith(".") and name != "node_modules"
            )
            relative = PurePosixPath(Path(folder).relative_to(self._root).as_posix())
            found.extend(str(relative / name) for name in files)
        return sorted(found)


def suite_directory(root: Path) -> DirectorySource:
    """The files below a directory that a person named. Raises UsageError when it is none."""
    if not root.is_dir():
        raise UsageError(f"{str(root)!a} is not a directory", "give the directory that holds gatebot.yaml")
    return DirectorySource(root)


def matching(source: FileSource, folder: str, pattern: str) -> list[str]:
    """Sorted paths of `source` that match the glob `pattern`, which is relative to `folder` and cannot leave it.

    `*` and `?` stay within one name and skip hidden ones, `**` stands for any folders, also none.
    Raises: ValueError, in words for people, when the pattern leads elsewhere.
    """
    parts = pattern.split("/")
    if pattern.startswith(("/", "~")) or "\\" in pattern or ".." in parts or "\x00" in pattern:
        message = f"the glob '{pattern}' leads out of the suite's folder"
        raise ValueError(message)
    parts = [part for part in parts if part not in ("", ".")]
    prefix = f"{folder}/" if folder else ""
    return sorted(
        path
        for path in set(source.list())
        if path.startswith(prefix) and _matches(tuple(path[len(prefix) :].split("/")), tuple(parts))
    )


def _matches(names: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Whether the path's names match the pattern's parts; a table, so that many `**` cost no more than few."""
    reached = [True] + [False] * len(names)
    for part in parts:
        if part == "**":
            first = reached.index(True) if True in reached else len(names) + 1
            reached = [
                i >= first and not any(n.startswith(".") for n in names[first:i])
                for i in range(len(names) + 1)
            ]
        else:
            reached = [False] + [reached[i] and _name_matches(names[i], part) for i in range(len(names))]
    return reached[-1]


def _name_matches(name: str, part: str) -> bool:
    return fnmatch.fnmatchcase(name, part) and (part.startswith(".") or not name.startswith("."))
