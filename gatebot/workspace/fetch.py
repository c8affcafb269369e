"""Fetches commits that a shallow checkout lacks: by id, in process, with a token that is written nowhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from gatebot.errors import RepositoryError
from gatebot.workspace.certificates import load_libgit2
from gatebot.workspace.reading import git_errors
from gatebot.workspace.repository import found_repository, open_repository


def empty_repository(place: Path) -> None:
    """Make a bare repository without a commit at `place`, to fetch into: nothing of it is ever checked out."""
    load_libgit2()
    import pygit2

    try:
        pygit2.init_repository(str(place), bare=True)
    except git_errors() as error:
        raise RepositoryError(f"no repository can be made at {place.name}", "free some space") from error


def make_available(workspace: Path, commits: Sequence[str], remote: Mapping[str, str]) -> None:
    """See to it that the commits are in the repository at `workspace`; those that are absent are fetched.

    `remote`: `url` and `token`. The token answers one request, and never goes into the repository's configuration.
    Raises RepositoryError when a commit cannot be had.
    """
    missing = [sha for sha in dict.fromkeys(commits) if not _has(workspace, sha)]
    if not missing:
        return
    import pygit2

    repository = found_repository(workspace)
    token = remote["token"]
    callbacks = pygit2.RemoteCallbacks(
        credentials=pygit2.UserPass("x-access-token", token) if token else None
    )
    anonymous = repository.remotes.create_anonymous(remote["url"])
    try:
        for sha in missing:
            anonymous.fetch([f"+{sha}:refs/gatebot/{sha}"], depth=1, callbacks=callbacks)
    except git_errors() as error:
        raise RepositoryError(
            f"commit {missing[0][:12]} cannot be fetched", "check out with `fetch-depth: 0`"
        ) from error


def _has(workspace: Path, sha: str) -> bool:
    try:
        repository = open_repository(workspace)
        repository.tree(repository.resolve(sha))
    except RepositoryError:
        return False
    return True
