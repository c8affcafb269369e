"""What libgit2 raises, turned into one error that names what was being read and what to do."""

from __future__ import annotations

from gatebot.errors import RepositoryError
from gatebot.workspace.tree import shown


def git_errors() -> tuple[type[Exception], ...]:
    """What libgit2's binding raises when a repository cannot be read as asked."""
    import pygit2

    return (pygit2.GitError, KeyError, ValueError, OSError)


def said(error: Exception) -> str:
    """What libgit2 said, safe to show."""
    return shown(str(error.args[0]) if error.args else type(error).__name__)


class Reading:
    """Turns what libgit2 raises into a RepositoryError that names what was being read."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, git_errors()) and not isinstance(error, FileNotFoundError):
            message = f"cannot read {self._what}: {said(error)}"
            hint = "objects are missing or damaged: fetch the history (`git fetch --unshallow`), or run `git fsck`"
            raise RepositoryError(message, hint) from error
