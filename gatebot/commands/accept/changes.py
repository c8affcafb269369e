"""From a golden candidate to the changes of case files: exactly the golden blocks, exactly the suite's files."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import PurePosixPath

from gatebot.errors import InputFileError, UsageError
from gatebot.model.acceptance import CaseCandidate, GoldenCandidate
from gatebot.model.publication import FileChange
from gatebot.suite.splice import splice_golden

MAX_GOLDEN_BYTES = 256 * 1024
_ENDINGS = (".yaml", ".yml")


def chosen(candidate: GoldenCandidate, only: Collection[str]) -> tuple[CaseCandidate, ...]:
    """The cases to accept: all that have a candidate, or those named.

    Raises UsageError when a named case has none, and when there is nothing to accept.
    """
    known = {case.case: case for case in candidate.cases}
    why = {case.case: case.reason for case in candidate.undecided}
    for name in only:
        if name not in known:
            reason = why.get(name, "its head is no worse than its base, or there is no such case")
            raise UsageError(f"there is nothing to accept for case {name!a}: {reason}")
    found = tuple(case for case in candidate.cases if not only or case.case in only)
    if not found:
        told = "; ".join(f"{case.case}: {case.reason}" for case in candidate.undecided)
        raise UsageError(
            f"there is nothing to accept{f' ({told})' if told else ''}",
            "correct these cases' `expect`, or the agent, and run the gate again"
            if told
            else "no case does worse than its base: `gatebot record` writes goldens of the agent as it is",
        )
    return found


def golden_changes(
    cases: Collection[CaseCandidate], folder: str, read: Callable[[str], bytes]
) -> tuple[FileChange, ...]:
    """The changes that write the cases' goldens; files that have them already are left out.

    `folder` is the suite's in the repository ("" at its root), `read` hands out a file of the head. Sorted by path.
    Raises InputFileError for a path that is no case file of the suite, ConfigError when a file cannot be spliced.
    """
    changes: list[FileChange] = []
    for case in sorted(cases, key=lambda one: one.path):
        path = case_file(folder, case.path)
        before = read(path)
        after = splice_golden(path, before, case.golden)
        if len(after) > MAX_GOLDEN_BYTES:
            raise InputFileError(
                f"the golden of {case.case!a} would make its file larger than {MAX_GOLDEN_BYTES // 1024} kB",
                "let the agent answer shorter, or expect less of it",
            )
        if after != before:
            changes.append(FileChange(path, before, after))
    return tuple(changes)


def case_file(folder: str, path: str) -> str:
    """The repository's path of a case file. Raises InputFileError for one that leads elsewhere or names no case file."""
    if path.endswith(".jsonl"):
        raise InputFileError(
            f"{path!a} holds one case a line, and a golden is written into a file of its own",
            "move the case into golden/<case>.yaml",
        )
    parts = PurePosixPath(path).parts
    whole = PurePosixPath(folder, path)
    odd = (
        not parts
        or ".." in parts
        or path.startswith("/")
        or "\\" in path
        or not path.isprintable()
        or whole.suffix not in _ENDINGS
        or any(part.startswith(".") for part in whole.parts)
    )
    if odd:
        raise InputFileError(f"{path!a} is no case file of the suite", "run the evaluation again")
    return str(whole)
