"""Write what a side may see of a tree into a directory of its own, by our own writer."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from gatebot.errors import InfrastructureError
from gatebot.process.run_directory import remove_tree
from gatebot.workspace.tree import Exclude, FileTree, TreeDigest, hash_and_copy, nothing, select, shown

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_POINTER_SIZE = 1024
_CHUNK = 1024 * 1024
_MODIFIED = 946_684_800
"""Every file is dated 2000-01-01, so that no date tells one side from the other (ZIP, and so pip, needs 1980)."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A tree on disk. `digest`: the agent-tree digest (hex); `notices`: sentences on what could not be written."""

    path: Path
    digest: str
    files: int
    notices: tuple[str, ...] = ()


def write_checkout(tree: FileTree, directory: Path, exclude: Exclude = nothing) -> Checkout:
    """Write the entries of `tree` that `exclude` (path → bool) lets pass into `directory`, which must not exist yet.

    Readable for every user (0755 and 0644), links last so that nothing is written through one, no `.git`.
    Raises RepositoryError for a tree no checkout can hold, InfrastructureError when writing fails.
    """
    selection = select(tree, exclude)
    digest = TreeDigest()
    pointers = 0
    links: list[tuple[Path, bytes]] = []
    try:
        _make_folder(directory)
        made = {""}
        for entry in selection.entries:
            _make_folders(directory, entry.path, made)
            place = directory / entry.path
            with tree.open(entry) as source:
                if entry.kind == "symlink":
                    target = source.read()
                    links.append((place, target))
                    digest.add(entry, hashlib.sha256(target).digest())
                    continue
                with place.open("xb") as copy:
                    digest.add(entry, hash_and_copy(source, copy))
                place.chmod(0o755 if entry.kind == "executable" else 0o644)
                os.utime(place, (_MODIFIED, _MODIFIED))
            pointers += _is_pointer(place)
        for place, target in links:
            place.symlink_to(os.fsdecode(target))
            os.utime(place, (_MODIFIED, _MODIFIED), follow_symlinks=False)
        for folder in sorted(made, reverse=True):
            os.utime(directory / folder, (_MODIFIED, _MODIFIED))
    except OSError as error:
        message = f"cannot write the checkout: {error.strerror}"
        raise InfrastructureError(
            message, "free some space, or point TMPDIR at a disk that has it"
        ) from error
    notices = selection.notices
    if pointers:
        notices = (*notices, _on_pointers(pointers))
    return Checkout(directory, digest.hexdigest(), len(selection.entries), notices)


@dataclass(frozen=True, slots=True)
class Examined:
    """A tree as a side would see it, nothing written. `digest` and `notices` as in `Checkout`."""

    digest: str
    notices: tuple[str, ...] = ()


def examine(tree: FileTree, exclude: Exclude = nothing) -> Examined:
    """What `write_checkout` would write, without writing it. Raises RepositoryError as it does."""
    selection = select(tree, exclude)
    digest = TreeDigest()
    pointers = 0
    for entry in selection.entries:
        with tree.open(entry) as source:
            start = source.read(_POINTER_SIZE)
            content = hashlib.sha256(start)
            while chunk := source.read(_CHUNK):
                content.update(chunk)
                start = b""
            digest.add(entry, content.digest())
        pointers += entry.kind != "symlink" and start.startswith(_LFS_POINTER)
    notices = selection.notices
    return Examined(digest.hexdigest(), (*notices, _on_pointers(pointers)) if pointers else notices)


def _make_folders(directory: Path, path: str, made: set[str]) -> None:
    parts = path.split("/")[:-1]
    for depth in range(1, len(parts) + 1):
        folder = "/".join(parts[:depth])
        if folder not in made:
            made.add(folder)
            _make_folder(directory / folder)


def _make_folder(place: Path) -> None:
    place.mkdir(parents=False)
    place.chmod(0o755)


def _on_pointers(count: int) -> str:
    if count == 1:
        return "1 file is a Git LFS pointer: gatebot does not fetch its content"
    return f"{count} files are Git LFS pointers: gatebot does not fetch their content"


def _is_pointer(place: Path) -> bool:
    if place.stat().st_size > _POINTER_SIZE:
        return False
    with place.open("rb") as content:
        return content.read(len(_LFS_POINTER)) == _LFS_POINTER


def remove_directory(directory: Path) -> None:
    """Remove a directory that untrusted code wrote into; does nothing when it is absent.

    Raises InfrastructureError when something of it stays.
    """
    if os.path.lexists(directory) and not remove_tree(directory):
        message = f"cannot remove {shown(str(directory))}"
        raise InfrastructureError(message, "remove it by hand")
