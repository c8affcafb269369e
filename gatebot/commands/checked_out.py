"""Whether what is accepted is what is checked out: one commit's behaviour must not become another's golden set."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from gatebot.errors import RepositoryError, UsageError
from gatebot.results.candidate import read_candidate
from gatebot.results.store import existing_results
from gatebot.workspace.repository import open_repository


def check_checked_out(results: Path, suite: Path) -> None:
    """Raise UsageError when another commit is checked out at `suite` than the results are of.

    One with the same files will do. Outside a repository there is nothing to compare. Raises InputFileError for results
    that hold no candidate.
    """
    evaluated = read_candidate(existing_results(results).path).head_sha
    try:
        repository = open_repository(suite)
        here = repository.resolve("HEAD").sha
    except RepositoryError:
        return
    if here == evaluated:
        return
    with suppress(RepositoryError):
        if repository.same_tree(here, repository.resolve(evaluated).sha):
            return
    raise UsageError(
        f"these results are of commit {evaluated[:7]}, and {here[:7]} is checked out",
        "run `gatebot gate` on this commit first, or check out the one that was evaluated",
    )
