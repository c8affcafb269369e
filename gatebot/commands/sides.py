"""Where a side's files are: a commit of the repository, or the tree as it lies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from gatebot.commands.request import EvaluationRequest
from gatebot.errors import UsageError
from gatebot.workspace.git_tree import CommitTree, WorkingTree
from gatebot.workspace.repository import Commit, Repository, open_repository
from gatebot.workspace.tree import tree_digest

WORKTREE = "WORKTREE"


@dataclass(frozen=True, slots=True)
class OpenedRepository:
    """The repository and the configuration's path in it."""

    repository: Repository
    config_path: str


@dataclass(frozen=True, slots=True)
class OpenedSide:
    """A side's files; for WORKTREE `commit` is HEAD, and `dirty` says whether the tree differs from it."""

    tree: CommitTree | WorkingTree
    commit: Commit
    label: str
    dirty: bool = False


def opened(request: EvaluationRequest) -> OpenedRepository:
    """Open the repository the request names. Raises RepositoryError, UsageError."""
    repository = open_repository(request.repo)
    parts = [part for part in PurePosixPath(repository.prefix, request.config).parts if part != "."]
    if ".." in parts or (parts and parts[0] == "/"):
        raise UsageError(
            f"--config {request.config!a} leads out of the repository",
            "write the path of gatebot.yaml relative to --repo",
        )
    return OpenedRepository(repository, "/".join(parts))


def open_side(place: OpenedRepository, ref: str) -> OpenedSide:
    """The side that `ref` names: a branch, tag, commit, or WORKTREE. Raises RepositoryError."""
    repository = place.repository
    if ref != WORKTREE:
        commit = repository.resolve(ref)
        return OpenedSide(repository.tree(commit), commit, ref)
    tree = repository.working_tree()
    commit = repository.resolve("HEAD")
    dirty = tree_digest(tree) != tree_digest(repository.tree(commit))
    return OpenedSide(tree, commit, WORKTREE, dirty)
