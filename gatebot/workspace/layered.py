"""Makes a git repository out of directories laid over each other: one commit per layer. For the demo."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gatebot.errors import RepositoryError
from gatebot.workspace.certificates import load_libgit2


@dataclass(frozen=True, slots=True)
class Layer:
    """A directory whose files are laid over what is there, and the message of the commit that follows.

    `leave_out`: names of folders directly below the directory that are not taken.
    """

    directory: Path
    message: str
    leave_out: frozenset[str] = frozenset()


def layered_repository(place: Path, layers: Sequence[Layer]) -> list[str]:
    """Make a repository in the new directory `place`; returns the commits' ids (hex), one per layer.

    The same layers give the same ids: author and date are fixed. Raises RepositoryError when `place` exists.
    """
    load_libgit2()
    import pygit2

    try:
        place.mkdir(parents=True)
    except FileExistsError as error:
        message = f"{place} exists already"
        raise RepositoryError(message, "name a new directory") from error
    repository = pygit2.init_repository(str(place), initial_head="main")
    who = pygit2.Signature("gatebot demo", "demo@example.com", 1_700_000_000, 0)
    commits: list[str] = []
    for layer in layers:
        _lay(layer, place)
        repository.index.add_all()
        repository.index.write()
        tree = repository.index.write_tree()
        parents = [pygit2.Oid(hex=commits[-1])] if commits else []
        commits.append(str(repository.create_commit("HEAD", who, who, layer.message, tree, parents)))
    return commits


def _lay(layer: Layer, place: Path) -> None:
    def left_out(folder: str, names: list[str]) -> set[str]:
        top = Path(folder) == layer.directory
        return {name for name in names if name == "__pycache__" or (top and name in layer.leave_out)}

    shutil.copytree(layer.directory, place, ignore=left_out, dirs_exist_ok=True)
