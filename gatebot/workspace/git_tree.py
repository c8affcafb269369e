"""The files of a commit and of a working tree, by libgit2: no filters, attributes or submodules, nothing written."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from gatebot.errors import RepositoryError
from gatebot.workspace.reading import Reading
from gatebot.workspace.tree import (
    Entry,
    Kind,
    open_plain,
    path_order,
    read_bounded,
    regular_paths,
    scan,
    shown,
)

if TYPE_CHECKING:
    import pygit2

_LINK, _SUBMODULE, _EXECUTABLE, _FOLDER = 0o120000, 0o160000, 0o100755, 0o040000
_KINDS: dict[int, Kind] = {_LINK: "symlink", _SUBMODULE: "submodule", _EXECUTABLE: "executable"}


class CommitTree:
    """The files of a commit. Also a file source for the suite's loader."""

    def __init__(self, repository: pygit2.Repository, sha: str) -> None:
        self._repository = repository
        self._sha = sha

    def entries(self) -> Sequence[Entry]:
        """Every path of the commit's tree, sorted. Raises RepositoryError when objects are missing."""
        with Reading(f"commit {self._sha[:12]}"):
            found: list[Entry] = []
            pending = [("", self._root())]
            while pending:
                folder, tree = pending.pop()
                for item in tree:
                    path = folder + _name(item)
                    if int(item.filemode) == _FOLDER:
                        pending.append((f"{path}/", self._folder(item)))
                    else:
                        kind = _KINDS.get(int(item.filemode), "file")
                        found.append(Entry(path, kind, str(item.id)))
        return sorted(found, key=path_order)

    def open(self, entry: Entry) -> BinaryIO:
        """See `FileTree.open`."""
        import pygit2

        with Reading(shown(entry.path)):
            blob = self._repository[entry.object_id]
            if not isinstance(blob, pygit2.Blob):
                raise FileNotFoundError(entry.path)
            return io.BytesIO(blob.data)

    def list(self) -> Sequence[str]:
        """The paths of the regular files, sorted."""
        return regular_paths(self.entries())

    def read(self, path: str) -> bytes:
        """One regular file of the commit. Raises FileNotFoundError when there is none, RepositoryError when too large."""
        import pygit2

        with Reading(shown(path)):
            item: pygit2.Object = self._root()
            for part in path.split("/"):
                if not isinstance(item, pygit2.Tree) or part in ("", ".", "..") or part not in item:
                    raise FileNotFoundError(path)
                item = item[part]
            if not isinstance(item, pygit2.Blob) or int(item.filemode or 0) == _LINK:
                raise FileNotFoundError(path)
            return read_bounded(io.BytesIO(item.data), path)

    def _root(self) -> pygit2.Tree:
        import pygit2

        return self._repository[self._sha].peel(pygit2.Commit).tree

    def _folder(self, item: pygit2.Object) -> pygit2.Tree:
        import pygit2

        return self._repository[item.id].peel(pygit2.Tree)


class WorkingTree:
    """The tree as it lies: tracked and untracked files that are not ignored, deletions honoured. Nothing is written.

    Directories that are repositories of their own count as submodules. Also a file source for the suite's loader.
    """

    def __init__(self, repository: pygit2.Repository, root: Path) -> None:
        self._repository = repository
        self.root = root

    def entries(self) -> Sequence[Entry]:
        """Every path, sorted. Raises RepositoryError when the index or a directory cannot be read."""
        with Reading("the index"):
            self._repository.index.read()
            tracked = cast("Iterable[pygit2.IndexEntry]", self._repository.index)
            modes = {os.fsdecode(entry.path): int(entry.mode) for entry in tracked}
        holders = {parent for path in modes for parent in _parents(path)}
        found: list[Entry] = []
        pending = [""]
        while pending:
            folder = pending.pop()
            for name, kind in scan(self.root, folder):
                path = f"{folder}{name}"
                if kind != "directory":
                    if path in modes or not self._ignored(path):
                        found.append(Entry(path, kind))
                elif modes.get(path) == _SUBMODULE or (self.root / path / ".git").exists():
                    found.append(Entry(path, "submodule"))
                elif path in holders or not self._ignored(f"{path}/"):
                    pending.append(f"{path}/")
        return sorted(found, key=path_order)

    def open(self, entry: Entry) -> BinaryIO:
        """See `FileTree.open`."""
        return open_plain(self.root, entry)

    def list(self) -> Sequence[str]:
        """The paths of the regular files, sorted."""
        return regular_paths(self.entries())

    def read(self, path: str) -> bytes:
        """One regular file of the working tree, at most `MAX_READ_BYTES`. Raises FileNotFoundError, RepositoryError."""
        with self.open(Entry(path, "file")) as stream:
            return read_bounded(stream, path)

    def _ignored(self, path: str) -> bool:
        with Reading(shown(path)):
            # libgit2's binding takes text only; what is no text is matched with "?" in its place.
            return self._repository.path_is_ignored(path.encode("utf-8", "replace").decode("utf-8"))


def _name(item: pygit2.Object) -> str:
    name = (item.raw_name or b"").decode("utf-8", "surrogateescape")
    if "/" in name:
        message = f"a tree holds an entry called {shown(name)}, which no tree may have"
        raise RepositoryError(message, "the repository is damaged: run `git fsck`")
    return name


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]
