"""What a pull request changes: paths, and the text of small files as evidence for the judge's explanation."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from gatebot.errors import RepositoryError
from gatebot.suite.source import matching
from gatebot.workspace.tree import Entry, FileTree

MAX_FILE_BYTES = 64 * 1024
MAX_FILES_READ = 2_000
MAX_DIFF = 8_000
_CONTEXT_LINES = 2
_WILDCARD = re.compile(r"[*?\[]")
_ALTERNATIVES = re.compile(r"\{[^{}]*,[^{}]*\}")


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

    A glob that ends in a name, or in `/`, stands for everything below a folder of that name, too: whoever writes
    `agent/` does not mean that nothing in it matters. Raises ValueError, in words for people, when one leads elsewhere.
    """
    named: dict[str, list[str]] = {}
    for path in paths:
        named.setdefault(_comparable(path), []).append(path)
    listed = _Listed(tuple(named))
    found: set[str] = set()
    for pattern in patterns:
        glob = _comparable(pattern)
        found |= set(matching(listed, "", glob))
        if glob.endswith("/") or not _WILDCARD.search(glob.rpartition("/")[2]):
            found |= set(matching(listed, "", f"{glob.rstrip('/')}/**"))
    return tuple(sorted(path for one in found for path in named[one]))


def checked_glob(pattern: str) -> str:
    """The glob itself, where it means here what it seems to mean.

    Raises ValueError, in words for people, for one that leads out of the repository, and for what other tools read in
    another way: it would match nothing here, and what it was to name would be passed over.
    """
    matching(_Listed(()), "", pattern)
    if not any(part not in ("", ".") for part in pattern.split("/")):
        raise ValueError(f"the glob '{pattern}' names nothing; '**' is every file")
    if pattern.startswith("!"):
        raise ValueError(f"the glob '{pattern}' cannot exclude: name what is relevant")
    if _ALTERNATIVES.search(pattern):
        raise ValueError(f"the glob '{pattern}' cannot list alternatives in braces: write one glob for each")
    if any("**" in part and part != "**" for part in pattern.split("/")):
        raise ValueError(f"in the glob '{pattern}' '**' must stand alone between slashes, as in '**/*.py'")
    return pattern


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


def _comparable(path: str) -> str:
    """The path composed as people type it, with the dots of hidden names replaced.

    A glob over cases skips hidden names, one over changes must not; and some systems write accents as two characters.
    """
    return "/".join(
        f"\x01{name[1:]}" if name.startswith(".") and name not in (".", "..") else name
        for name in unicodedata.normalize("NFC", path).split("/")
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
