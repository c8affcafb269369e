"""The results directory: what a run leaves behind, and whether a further run may go on in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import orjson
from pydantic import TypeAdapter, ValidationError

from gatebot.errors import InputFileError, Location, ResultsError
from gatebot.model.plan import PLAN_SCHEMA, Plan
from gatebot.model.suite import SUITE_SCHEMA, Suite
from gatebot.model.trial import Trial
from gatebot.results.candidate import CANDIDATE_FOLDER
from gatebot.results.journal import TRIALS_FILE, Journal, nobody_writing, read_trials
from gatebot.results.judgements import JUDGE_FILE
from gatebot.results.plain_file import TEMPORARY_PREFIX, open_to_read, replace_file
from gatebot.results.trial_file import TrialFile
from gatebot.results.trial_line import check_schema, first_errors

if TYPE_CHECKING:
    from gatebot.model.report import Report

T = TypeVar("T")

PLAN_FILE = "plan.json"
SUITE_FILE = "suite.json"
REPORT_FILE = "report.json"
SCORES_FILE = "scores.jsonl"
COMMENT_FILE = "comment.md"
JUNIT_FILE = "junit.xml"
LOGS = "logs"
_KNOWN = frozenset(
    {
        PLAN_FILE,
        SUITE_FILE,
        REPORT_FILE,
        SCORES_FILE,
        COMMENT_FILE,
        JUNIT_FILE,
        LOGS,
        CANDIDATE_FOLDER,
        TRIALS_FILE,
        JUDGE_FILE,
        ".gitignore",
    }
)
_MAX_FILE_BYTES = 512 * 1024 * 1024
_JSON = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE


@dataclass(frozen=True, slots=True)
class ResultsDirectory:
    """A results directory. Every write leaves the old file or the new one; only `journal()` appends."""

    path: Path

    def journal(self) -> Journal:
        """The writer of trials.jsonl: a context manager."""
        return Journal(self.path / TRIALS_FILE)

    def trials(self) -> Iterator[Trial]:
        """The finished trials, streamed: see `read_trials`."""
        return read_trials(self.path / TRIALS_FILE)

    def trial_file(self) -> TrialFile:
        """The finished trials as a file that is read once while it grows."""
        return TrialFile(self.path / TRIALS_FILE)

    def log(self, name: str) -> Path:
        """Where a log of that name goes; the logs' directory is made when absent."""
        folder = self.path / LOGS
        folder.mkdir(exist_ok=True)
        return folder / name

    def has(self, name: str) -> bool:
        """Whether the directory holds a file of that name."""
        return (self.path / name).is_file()

    def write_plan(self, plan: Plan) -> None:
        """Write plan.json."""
        replace_file(self.path / PLAN_FILE, _plans().dump_json(plan, indent=2) + b"\n")

    def read_plan(self) -> Plan:
        """Read plan.json. Raises InputFileError when it is absent, of another version, or no plan."""
        return _read(self.path / PLAN_FILE, _plans(), PLAN_SCHEMA)

    def write_suite(self, suite: Suite) -> None:
        """Write suite.json, the machine form of the suite these trials are graded by."""
        data = _suites().dump_json(suite, by_alias=True, indent=2)
        replace_file(self.path / SUITE_FILE, data + b"\n")

    def read_suite(self) -> Suite:
        """Read suite.json. Raises InputFileError as `read_plan` does."""
        # Its models of human files say themselves how strict they are: their lists may be lists.
        return _read(self.path / SUITE_FILE, _suites(), SUITE_SCHEMA, strict=None)

    def write_report(self, report: Report) -> None:
        """Write report.json."""
        replace_file(self.path / REPORT_FILE, orjson.dumps(report, option=_JSON))

    def read_report(self) -> Report:
        """Read report.json. Raises InputFileError as `read_plan` does."""
        from gatebot.model.report import REPORT_SCHEMA

        return _read(self.path / REPORT_FILE, _reports(), REPORT_SCHEMA)

    def write_scores(self, lines: Iterable[bytes]) -> None:
        """Write scores.jsonl: one line per graded trial (`score_line`), in the order given."""
        replace_file(self.path / SCORES_FILE, lines)

    def write_text(self, name: str, text: str) -> None:
        """Write a rendered file (comment.md, junit.xml …) as UTF-8."""
        replace_file(self.path / name, text.encode("utf-8"))


def decode_report(data: bytes) -> Report:
    """A report from the bytes of report.json, which may be anything. Raises InputFileError."""
    from gatebot.model.report import REPORT_SCHEMA

    return _decode(data, Location(REPORT_FILE), _reports(), REPORT_SCHEMA)


def start_over(results: ResultsDirectory) -> None:
    """Remove a finished evaluation that has shown nothing, so that the same one can be run anew in its place."""
    _remove_ours(results.path)


def open_results(
    path: Path,
    plan: Plan,
    *,
    overwrite: bool = False,
    unfinished: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[ResultsDirectory, Plan | None]:
    """Open or make the directory for the evaluation that `plan` (its rounds aside) describes.

    Hands back the plan found there when it is of the same evaluation (which then goes on, or is finished), else None.
    With `overwrite` the files of another *finished* evaluation are removed first, with `unfinished` those of any other.
    `tell` hears of finished results of another command that are replaced, unless `unfinished` said that they may be.
    Raises ResultsError when the directory holds another evaluation, or files that are not ours.
    """
    results = ResultsDirectory(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        held = {entry.name for entry in path.iterdir()}
    except OSError as error:
        message = f"cannot make the results directory {path}: {error.strerror}"
        raise ResultsError(message, "name a writable directory with --out") from error
    for name in held:
        if name.startswith(TEMPORARY_PREFIX):
            (path / name).unlink(missing_ok=True)
    ours = all(name in _KNOWN or name.startswith(TEMPORARY_PREFIX) for name in held)
    if unfinished and ours and not _is_readable(results):
        _remove_ours(path)  # another version's, or damaged
    elif PLAN_FILE in held:
        found = results.read_plan()
        differences = differences_between(found, plan)
        if (
            found.env_names != plan.env_names
        ):  # a key that was missing then may be why agents answered as they did
            differences = (*differences, "other variables for the agent")
        if not differences:
            return results, found
        if not (unfinished or (overwrite and found.finished)):
            state = "finished" if found.finished else "unfinished"
            message = f"{shown_name(path)} holds another, {state} evaluation ({', '.join(differences)})"
            raise ResultsError(message, f"name another directory with --out, or remove {path}")
        _remove_ours(path)
        if not unfinished and found.activity != plan.activity:
            tell(f"replaced the finished results of `{found.activity}` in {shown_name(path)}")
    elif foreign := sorted(name for name in held - _KNOWN if not name.startswith(TEMPORARY_PREFIX)) or (
        [TRIALS_FILE] if TRIALS_FILE in held and _holds_something(path / TRIALS_FILE) else []
    ):
        message = (
            f"{shown_name(path)} is not a results directory: it holds {ascii(foreign[0])[1:-1]} and no plan"
        )
        raise ResultsError(message, "name a new or empty directory with --out")
    replace_file(path / ".gitignore", b"*\n")
    return results, None


def shown_name(path: Path) -> str:
    """What to call a results directory in a sentence: its own name, also where it was given as `.` or `..`."""
    return path.absolute().resolve().name or str(path)


def _is_readable(results: ResultsDirectory) -> bool:
    """Whether there is a plan that this version can read."""
    try:
        results.read_plan()
    except InputFileError:
        return False
    return True


def _holds_something(path: Path) -> bool:
    """Whether a file is more than empty: a run that is killed before its first plan leaves an empty journal."""
    return path.is_symlink() or not path.is_file() or path.stat().st_size > 0


def existing_results(path: Path) -> ResultsDirectory:
    """The results directory at `path`. Raises InputFileError when there is none."""
    if not path.is_dir():
        message = f"{path} is not a results directory"
        raise InputFileError(
            message,
            "give the directory that --out named; by default gatebot-results, or gatebot-results-run after `gatebot run`",
        )
    return ResultsDirectory(path)


def differences_between(one: Plan, other: Plan) -> tuple[str, ...]:
    """What makes two plans different evaluations, in words; empty when they are the same one."""
    compared: dict[str, tuple[object, object]] = {
        "activity": (one.activity, other.activity),
        "suite": (one.suite, other.suite),
        "base commit": (one.base and one.base.sha, other.base and other.base.sha),
        "base tree": (one.base and one.base.tree, other.base and other.base.tree),
        "head commit": (one.head and one.head.sha, other.head and other.head.sha),
        "head tree": (one.head and one.head.tree, other.head and other.head.tree),
        "cases": (one.digests.run, other.digests.run),
        "grading": (one.digests.grading, other.digests.grading),
        "policy": (one.digests.policy, other.digests.policy),
        "agent configuration": (one.digests.agent, other.digests.agent),
        "seeds": ((one.seeds, one.sequential), (other.seeds, other.sequential)),
        "shard": (one.shard, other.shard),
        "remainder of the suite": (one.emptied, other.emptied),
    }
    return tuple(f"another {name}" for name, (a, b) in compared.items() if a != b)


def _remove_ours(path: Path) -> None:
    """Remove an evaluation: the plan last, so that a kill on the way leaves a directory that says what it is.

    Raises ResultsError when another gatebot is writing it.
    """
    with nobody_writing(path / TRIALS_FILE):
        for name in (REPORT_FILE, COMMENT_FILE, JUNIT_FILE, SCORES_FILE, SUITE_FILE, TRIALS_FILE, JUDGE_FILE):
            (path / name).unlink(missing_ok=True)
        for folder in (path / LOGS, path / CANDIDATE_FOLDER):
            if folder.is_dir() and not folder.is_symlink():
                for file in folder.iterdir():
                    if not file.is_dir() or file.is_symlink():
                        file.unlink()
        (path / PLAN_FILE).unlink(missing_ok=True)


def _read(path: Path, adapter: TypeAdapter[T], schema: str, *, strict: bool | None = True) -> T:
    location = Location(path.name)
    try:
        with open_to_read(path) as stream:
            data = stream.read(_MAX_FILE_BYTES + 1)
    except FileNotFoundError as error:
        message = f"{path} does not exist"
        raise InputFileError(message, "give the directory of a run that has ended") from error
    if len(data) > _MAX_FILE_BYTES:
        message = f"larger than {_MAX_FILE_BYTES // 1024 // 1024} MB"
        raise InputFileError(message, "no run writes a file of that size", location=location)
    return _decode(data, location, adapter, schema, strict=strict)


def _decode(
    data: bytes, location: Location, adapter: TypeAdapter[T], schema: str, *, strict: bool | None = True
) -> T:
    check_schema(data, schema, location)
    try:
        return adapter.validate_json(data, strict=strict)
    except ValidationError as error:
        message = f"not what gatebot writes: {first_errors(error)}"
        raise InputFileError(
            message, "run the evaluation again, into an empty directory", location=location
        ) from error


@cache
def _plans() -> TypeAdapter[Plan]:
    return TypeAdapter(Plan)


@cache
def _suites() -> TypeAdapter[Suite]:
    return TypeAdapter(Suite)


@cache
def _reports() -> TypeAdapter[Report]:
    from gatebot.model.report import Report

    return TypeAdapter(Report)
