"""What a pull request changes: paths, and the text of small files as evidence for the judge's explanation."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from gatebot.errors import RepositoryError
from gatebot.suite.source import matching
from gatebot.workspace.tree import Entry, FileTree

MAX_FILE_BYTES = 64 * 1024
MAX_FILES_READ = 2_000
MAX_DIFF = 8_000
_CONTEXT_LINES = 2


@dataclass(frozen=True, slots=True)
class FileDiff:
    """A changed text file and its unified diff."""

    path: str
    diff: str


def changed_files(base: FileTree, head: FileTree) -> tuple[FileDiff, ...]:
    """Text files that differ, by path. Large, binary and unreadable ones are left out, and so are links."""
    old, new = ({entry.path: entry for entry in tree.entries()} for tree in (base, head))
    found: list[FileDiff] = []
    read = 0
    for path in sorted(set(old) | set(new)):
        before, after = old.get(path), new.get(path)
        if (
            before is not None
            and after is not None
            and before.object_id
            and before.object_id == after.object_id
        ):
            continue
        read += 1
        if read > MAX_FILES_READ:
            break
        texts = _text(base, before), _text(head, after)
        if texts[0] is not None and texts[1] is not None and texts[0] != texts[1]:
            found.append(FileDiff(path, "\n".join(_diff(path, texts[0], texts[1]))))
    return tuple(found)


def changed_paths(base: FileTree, head: FileTree) -> tuple[str, ...]:
    """Every path that differs: content, kind, presence. Of a renamed file both names. Sorted."""
    old, new = ({entry.path: entry for entry in tree.entries()} for tree in (base, head))
    return tuple(sorted(path for path in set(old) | set(new) if old.get(path) != new.get(path)))


def touched(paths: Collection[str], patterns: Collection[str]) -> tuple[str, ...]:
    """Those of the paths that match one of the globs, hidden names like any others.

    Raises ValueError, in words for people, when a glob leads out of the repository.
    """
    named = {_unhidden(path): path for path in paths}
    found: set[str] = set()
    for pattern in patterns:
        found |= set(matching(_Listed(tuple(named)), "", _unhidden(pattern)))
    return tuple(sorted(named[one] for one in found))


@dataclass(frozen=True, slots=True)
class _Listed:
    """Paths as a FileSource that has names and no content."""

    paths: tuple[str, ...]

    def list(self) -> Sequence[str]:
        """The paths."""
        return self.paths

    def read(self, path: str) -> bytes:
        """Nothing can be read here."""
        raise FileNotFoundError(path)


def _unhidden(path: str) -> str:
    """The path with the dots of hidden names replaced: a glob over cases skips those, one over changes must not."""
    return "/".join(
        f"\x01{name[1:]}" if name.startswith(".") and name not in (".", "..") else name
        for name in path.split("/")
    )


def relevant(changes: Collection[FileDiff], words: Collection[str]) -> str:
    """The diffs, at most `MAX_DIFF` characters of whole files: those that hold one of `words` first, then by path."""
    ranked = sorted(changes, key=lambda change: (not any(word in change.diff for word in words), change.path))
    kept: list[str] = []
    size = 0
    for change in ranked:
        if size + len(change.diff) <= MAX_DIFF:
            kept.append(change.diff)
            size += len(change.diff)
    return "\n".join(kept)


def _diff(path: str, before: str, after: str) -> Iterator[str]:
    return difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"a/{path}", f"b/{path}", lineterm="", n=_CONTEXT_LINES
    )


def _text(tree: FileTree, entry: Entry | None) -> str | None:
    """A file's text, "" for one that is not there, None for what is no readable short text."""
    if entry is None:
        return ""
    if entry.kind not in ("file", "executable"):
        return None
    try:
        with tree.open(entry) as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except (OSError, RepositoryError):
        return None
    if len(data) > MAX_FILE_BYTES or b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
