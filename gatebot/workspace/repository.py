"""A git repository, read from its object database: no git program, no hooks, filters, attributes or submodules."""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gatebot.errors import RepositoryError
from gatebot.workspace.certificates import load_libgit2
from gatebot.workspace.git_tree import CommitTree, WorkingTree
from gatebot.workspace.reading import Reading, git_errors, said
from gatebot.workspace.tree import shown

if TYPE_CHECKING:
    import pygit2


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its full id (hex), and the name by which the person asked for it."""

    sha: str
    label: str


@dataclass(frozen=True, slots=True)
class BasePoint:
    """Where the base is read: policy at the `tip`; cases, golden, graders and the base's code at the `fork`.

    `note` is a sentence for the report when there is no merge base and the tip stands in for it; else empty.
    """

    tip: Commit
    fork: Commit
    note: str = ""


class Repository:
    """An open repository. `prefix` is where the directory that was asked for lies in it ("" at its root)."""

    def __init__(self, repository: pygit2.Repository, prefix: str) -> None:
        self._repository = repository
        self.prefix = prefix

    @property
    def root(self) -> Path | None:
        """The working tree's directory; None for a bare repository."""
        workdir = self._repository.workdir
        return Path(workdir) if workdir else None

    def resolve(self, ref: str) -> Commit:
        """The commit a branch, tag, id, `HEAD~1` or `origin/x` names; a bare name is also looked up on `origin`.

        Raises RepositoryError, naming the nearest branches and tags, when nothing has that name.
        """
        import pygit2

        for name in (ref, f"refs/remotes/origin/{ref}"):
            try:
                return Commit(str(self._repository.revparse_single(name).peel(pygit2.Commit).id), ref)
            except git_errors():
                continue
        raise RepositoryError(f"no commit is called {shown(ref)!r} here", self._hint_for(ref))

    def base_point(self, base: Commit, head: Commit) -> BasePoint:
        """Tip and merge base of `base` with respect to `head`; the tip for both when the histories do not meet."""
        with Reading("the history"):
            fork = _merge_base(self._repository, base.sha, head.sha)
        if fork is not None:
            return BasePoint(base, Commit(fork, base.label))
        why = "the clone is shallow" if self._repository.is_shallow else "their histories do not meet"
        return BasePoint(
            base,
            base,
            f"no merge base of {shown(base.label)} and {shown(head.label)} was found ({why}); "
            f"the tip of {shown(base.label)} stands in for it",
        )

    def same_tree(self, one: str, other: str) -> bool:
        """Whether two commits hold the same files: one was amended or rebased into the other, say."""
        import pygit2

        with Reading("the commits"):
            first, second = (self._repository[id_].peel(pygit2.Tree).id for id_ in (one, other))
        return first == second

    def tree(self, commit: Commit) -> CommitTree:
        """The files of a commit."""
        return CommitTree(self._repository, commit.sha)

    def working_tree(self) -> WorkingTree:
        """The tree as it lies. Raises RepositoryError for a bare repository."""
        root = self.root
        if root is None:
            raise RepositoryError(
                "a bare repository has no working tree", "name a branch or a commit instead"
            )
        return WorkingTree(self._repository, root)

    def _hint_for(self, ref: str) -> str:
        names = set(self._repository.listall_branches()) | {
            name.removeprefix("refs/remotes/").removeprefix("refs/tags/")
            for name in self._repository.listall_references()
            if name.startswith(("refs/remotes/", "refs/tags/"))
        }
        start = re.split(r"[~^]", ref)[0]
        if start != ref and start in names | {"HEAD"}:
            fetched = ", as far as it was fetched" if self._repository.is_shallow else ""
            return f"the history of {shown(start)} is shorter than that{fetched}"
        near = difflib.get_close_matches(ref, sorted(names), n=3, cutoff=0.5)
        if near:
            return f"did you mean {' or '.join(shown(name) for name in near)}?"
        if self._repository.is_shallow:
            return "the clone is shallow: fetch the whole history (actions/checkout: `fetch-depth: 0`)"
        if not names:
            return "the repository has no commits yet: commit the suite first"
        some = ", ".join(shown(name) for name in sorted(names)[:5])
        return f"name a branch, a tag or a commit id; there are: {some}"


def open_repository(directory: Path) -> Repository:
    """Open the repository that holds `directory` (bare ones too), whoever owns it. Raises as `found_repository` does."""
    try:
        place = directory.absolute()
    except FileNotFoundError:
        message = "the directory this was started in is gone"
        raise RepositoryError(message, "start it in the repository") from None
    repository = found_repository(place)
    return Repository(repository, _prefix(repository, place))


def main_branch(directory: Path) -> str:
    """The default branch as far as a clone knows: the remote's, else `main` or `master` if there, else the current one.

    "" where the directory is in no repository that can be read, or on no branch.
    """
    origin, heads = "refs/remotes/origin/", "refs/heads/"
    try:
        repository = found_repository(directory.absolute())
        names = set(repository.listall_references())
        if f"{origin}HEAD" in names:
            return str(repository.lookup_reference(f"{origin}HEAD").target).removeprefix(origin)
        usual = next((name for name in ("main", "master") if heads + name in names), "")
        current = "" if usual else repository.lookup_reference("HEAD").target  # a branch without commits too
    except (RepositoryError, *git_errors()):
        return ""
    return usual or (current.removeprefix(heads) if isinstance(current, str) else "")


def found_repository(directory: Path) -> pygit2.Repository:
    """The library's own view of the repository that holds `directory`: for what this package does with it.

    Ownership is not checked: libgit2 runs nothing that a repository names, which is what the check is for.
    Raises RepositoryError when there is none, or when it is of a kind that cannot be read.
    """
    load_libgit2()
    import pygit2

    place = directory.absolute()
    if not place.is_dir():
        raise RepositoryError(
            f"{shown(str(directory))} is not a directory", "give the repository's directory"
        )
    checked = pygit2.settings.owner_validation
    pygit2.settings.owner_validation = False
    try:
        found = pygit2.discover_repository(str(place))
        if found is None:
            hint = "give --repo the directory of a git repository, or run `git init` and commit there"
            raise RepositoryError(f"{shown(str(directory))} is not in a git repository", hint)
        return pygit2.Repository(found)
    except git_errors() as error:
        message = f"the repository at {shown(str(directory))} cannot be read: {said(error)}"
        raise RepositoryError(
            message, "run `git fsck` there; gatebot reads SHA-1 repositories with file refs"
        ) from error
    finally:
        pygit2.settings.owner_validation = checked


def _prefix(repository: pygit2.Repository, place: Path) -> str:
    if not repository.workdir:
        return ""
    prefix = os.path.relpath(place.resolve(), Path(repository.workdir).resolve())
    return "" if prefix == "." or prefix.startswith("..") else prefix


def _merge_base(repository: pygit2.Repository, one: str, other: str) -> str | None:
    import pygit2

    found = repository.merge_base(pygit2.Oid(hex=one), pygit2.Oid(hex=other))
    return str(found) if found else None
