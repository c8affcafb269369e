"""`gatebot accept` on a laptop: golden blocks from a finished run, into the working tree, and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from gatebot.commands.accept.changes import chosen, golden_changes
from gatebot.errors import UsageError
from gatebot.model.acceptance import CaseCandidate, GoldenCandidate, Undecided
from gatebot.model.publication import FileChange
from gatebot.model.trial import Trial
from gatebot.results.candidate import read_candidate
from gatebot.results.plain_file import replace_file
from gatebot.results.store import existing_results
from gatebot.suite.source import DirectorySource


@dataclass(frozen=True, slots=True)
class LocalAcceptance:
    """What was (or would be) written: the cases, the changes of their files, and the cases that have no candidate."""

    cases: tuple[CaseCandidate, ...]
    changes: tuple[FileChange, ...]
    undecided: tuple[Undecided, ...]


def accept(results: Path, suite: Path, only: Collection[str], *, write: bool) -> LocalAcceptance:
    """Write the candidates of a results directory into the case files below `suite`, the configuration's directory.

    Raises UsageError when there is nothing to accept, InputFileError and ConfigError for files that do not fit.
    """
    held = existing_results(results)
    candidate = _without_untold_calls(read_candidate(results), held.trials())
    return apply_candidate(candidate, suite, only, write=write)


def _without_untold_calls(candidate: GoldenCandidate, trials: Iterable[Trial]) -> GoldenCandidate:
    """A candidate of an older gatebot without the empty lists that stand for calls which no trial has told."""
    idle = {case.case for case in candidate.cases if case.golden.get("calls") == []}
    if not idle:
        return candidate
    told = {trial.case for trial in trials if trial.case in idle and trial.trajectory.format != "none"}
    untold = idle - told
    cleared = [
        replace(case, golden={key: value for key, value in case.golden.items() if key != "calls"})
        if case.case in untold
        else case
        for case in candidate.cases
    ]
    return replace(
        candidate,
        cases=tuple(case for case in cleared if case.golden),
        undecided=(
            *candidate.undecided,
            *(Undecided(case.case, "its trials told no calls") for case in cleared if not case.golden),
        ),
    )


def apply_candidate(
    candidate: GoldenCandidate, suite: Path, only: Collection[str], *, write: bool
) -> LocalAcceptance:
    """Write a candidate's golden blocks into the case files below `suite`. Raises as `accept` does."""
    cases = chosen(candidate, only)
    source = DirectorySource(suite)

    def read(path: str) -> bytes:
        try:
            return source.read(path)
        except FileNotFoundError:
            raise UsageError(
                f"there is no case file {path!a} here", "check out the commit that was evaluated"
            ) from None

    changes = golden_changes(cases, "", read)
    if write:
        for change in changes:
            replace_file((suite / change.path).resolve(), change.after)
    return LocalAcceptance(cases, changes, candidate.undecided)
