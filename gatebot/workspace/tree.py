"""A tree of files, whether a commit holds it or a directory: entries in one order, contents on demand."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

from gatebot.errors import RepositoryError

Kind = Literal["file", "executable", "symlink", "submodule", "special"]
Exclude = Callable[[str], bool]

MAX_READ_BYTES = 64 * 1024 * 1024
_MAX_LINK_HOPS = 40
_CHUNK = 1024 * 1024
_MODES: Mapping[Kind, bytes] = {"file": b"100644", "executable": b"100755", "symlink": b"120000"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One path of a tree. `path` has "/" between components and is relative; undecodable bytes are surrogates."""

    path: str
    kind: Kind
    object_id: str = ""


class FileTree(Protocol):
    """What can be checked out, hashed, and read by the suite's loader."""

    def entries(self) -> Sequence[Entry]:
        """Every path, sorted; directories are implied by the paths below them."""
        ...

    def open(self, entry: Entry) -> BinaryIO:
        """The bytes of a file, or of a symlink's target. Never follows a link."""
        ...


def nothing(path: str) -> bool:
    """An `Exclude` that leaves nothing out."""
    del path
    return False


def scan(root: Path, folder: str) -> Iterator[tuple[str, Kind | Literal["directory"]]]:
    """Names and kinds in one directory (`folder` is "" or ends in "/"), `.git` left out, in no order.

    Raises RepositoryError when the directory cannot be read.
    """
    try:
        with os.scandir(root / folder) as names:
            for item in names:
                if item.name.casefold() != ".git":
                    yield item.name, _kind_of(item)
    except OSError as error:
        message = f"cannot read the directory {shown(str(root / folder))}: {error.strerror}"
        raise RepositoryError(message, "make it readable for the user gatebot runs as") from error


def _kind_of(item: os.DirEntry[str]) -> Kind | Literal["directory"]:
    if item.is_symlink():
        return "symlink"
    if item.is_dir(follow_symlinks=False):
        return "directory"
    if item.is_file(follow_symlinks=False):
        return "executable" if item.stat(follow_symlinks=False).st_mode & stat.S_IXUSR else "file"
    return "special"


def open_plain(root: Path, entry: Entry) -> BinaryIO:
    """Open a file below `root` without following a link at its end and without waiting on a pipe.

    Raises FileNotFoundError when it is absent, RepositoryError when it is no regular file or cannot be read.
    """
    place = root / entry.path
    if entry.path.startswith("/") or ".." in entry.path.split("/"):
        raise FileNotFoundError(entry.path)
    try:
        if entry.kind == "symlink":
            return io.BytesIO(os.fsencode(place.readlink()))
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        message = f"cannot read {shown(entry.path)}: {error.strerror}"
        raise RepositoryError(message, "make it a readable regular file") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        message = f"{shown(entry.path)} is not a regular file"
        raise RepositoryError(message, "remove it, or replace it by a regular file")
    return os.fdopen(descriptor, "rb")


def read_bounded(stream: BinaryIO, path: str) -> bytes:
    """All bytes of the stream. Raises RepositoryError beyond `MAX_READ_BYTES`."""
    data = stream.read(MAX_READ_BYTES + 1)
    if len(data) > MAX_READ_BYTES:
        message = f"{shown(path)} is larger than {MAX_READ_BYTES // 1024 // 1024} MB"
        raise RepositoryError(message, "gatebot reads configuration and cases of a reasonable size only")
    return data


def path_order(entry: Entry) -> bytes:
    """The order of entries everywhere: by the bytes of the path."""
    return os.fsencode(entry.path)


def regular_paths(entries: Sequence[Entry]) -> Sequence[str]:
    """The paths of regular files among the entries."""
    return [entry.path for entry in entries if entry.kind in ("file", "executable")]


def shown(path: str) -> str:
    """A path as it may stand in a message: control characters and undecodable bytes escaped."""
    return path if path.isprintable() else ascii(path)[1:-1]


@dataclass(frozen=True, slots=True)
class Selection:
    """What of a tree is used: its entries, sorted, and sentences on what was left out although it is in the tree."""

    entries: tuple[Entry, ...]
    notices: tuple[str, ...] = ()


def select(tree: FileTree, exclude: Exclude = nothing) -> Selection:
    """The entries a side may see: excluded paths dropped; links that leave the tree, submodules and pipes noted.

    Raises RepositoryError for a tree that no checkout can hold safely: a component `..`, `.git` (in any case) or
    with a NUL, the same path twice, or two paths that differ by case or Unicode form only.
    """
    entries = [entry for entry in tree.entries() if not exclude(entry.path)]
    _check_paths(entries)
    links = {
        entry.path: os.fsdecode(tree.open(entry).read(MAX_READ_BYTES))
        for entry in entries
        if entry.kind == "symlink"
    }
    kept: list[Entry] = []
    notices: list[str] = []
    for entry in entries:
        if entry.kind == "submodule":
            notices.append(f"submodule {shown(entry.path)} is left out: gatebot does not fetch submodules")
        elif entry.kind == "special":
            notices.append(f"{shown(entry.path)} is left out: it is no file, directory or symbolic link")
        elif entry.kind == "symlink" and not stays_inside(entry.path, links):
            notices.append(f"symbolic link {shown(entry.path)} is left out: it points outside the repository")
        else:
            kept.append(entry)
    return Selection(tuple(kept), tuple(notices))


def _check_paths(entries: Sequence[Entry]) -> None:
    seen: dict[str, str] = {}
    files: set[str] = set()
    for entry in entries:
        parts = entry.path.split("/")
        for part in parts:
            if _forbidden(part):
                message = f"the tree holds the path {shown(entry.path)}, which no checkout may have"
                raise RepositoryError(message, "remove that path from the repository")
        if entry.path in files:
            message = f"the tree holds {shown(entry.path)} twice"
            raise RepositoryError(message, "the repository is damaged: run `git fsck`")
        files.add(entry.path)
        for depth in range(1, len(parts) + 1):
            path = "/".join(parts[:depth])
            other = seen.setdefault(unicodedata.normalize("NFC", path).casefold(), path)
            if other != path:
                message = f"{shown(other)} and {shown(path)} differ by case or Unicode form only"
                raise RepositoryError(message, "rename one of them: some file systems cannot hold both")
            if depth < len(parts) and path in files:
                message = f"{shown(path)} is both a file and a directory"
                raise RepositoryError(message, "the repository is damaged: run `git fsck`")


def _forbidden(part: str) -> bool:
    """Whether some file system could take this component for `.git`, or for a way out of the tree."""
    plain = "".join(c for c in part if unicodedata.category(c) != "Cf").casefold().rstrip(" .")
    return part in ("", ".", "..") or "\0" in part or plain in (".git", "git~1")


def stays_inside(path: str, links: Mapping[str, str]) -> bool:
    """Whether the link at `path` (a key of `links`, path → target) resolves inside the tree, other links followed.

    Resolved component by component, since `link/..` is the parent of where the link leads, not of the link.
    """
    place = path.split("/")[:-1]
    pending = links[path].split("/")
    if links[path].startswith("/"):
        return False
    hops = 0
    while pending:
        part = pending.pop(0)
        if part in ("", "."):
            continue
        if part == "..":
            if not place:
                return False
            place.pop()
            continue
        target = links.get("/".join([*place, part]))
        if target is None:
            place.append(part)
            continue
        hops += 1
        if hops > _MAX_LINK_HOPS or target.startswith("/"):
            return False
        pending = target.split("/") + pending
    return True


def tree_digest(tree: FileTree, exclude: Exclude = nothing) -> str:
    """The digest of what a side may see: sha256 (hex) over mode, path and content hash of each entry, sorted."""
    digest = TreeDigest()
    for entry in select(tree, exclude).entries:
        with tree.open(entry) as stream:
            digest.add(entry, hash_and_copy(stream, None))
    return digest.hexdigest()


class TreeDigest:
    """Builds a tree's digest while its entries are written or read, in their order."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256(b"gatebot tree 1\0")

    def add(self, entry: Entry, content_hash: bytes) -> None:
        """Take in one entry and the sha256 of its content."""
        self._hash.update(_MODES[entry.kind] + b" " + os.fsencode(entry.path) + b"\0" + content_hash)

    def hexdigest(self) -> str:
        """The digest of the entries added so far."""
        return self._hash.hexdigest()


def hash_and_copy(stream: BinaryIO, target: BinaryIO | None) -> bytes:
    """The sha256 of the stream's bytes, written to `target` on the way; constant memory."""
    content = hashlib.sha256()
    while chunk := stream.read(_CHUNK):
        content.update(chunk)
        if target is not None:
            target.write(chunk)
    return content.digest()
