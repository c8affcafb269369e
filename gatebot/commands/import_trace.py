"""Stories of `gatebot import`: what is in a trace, and a benchmark's recorded runs as a suite with trials."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gatebot.commands.eval_archive import MAGIC, read_sample
from gatebot.errors import ImportFormatError, InputFileError, Location, UsageError
from gatebot.importers.detect import load_text
from gatebot.importers.document_text import parse_documents
from gatebot.importers.recorded.react import read_react
from gatebot.importers.recorded.recording import RecordedRun, RecordedSuite
from gatebot.importers.recorded.suite_files import TRIALS_NAME, suite_files
from gatebot.importers.recorded.tau2_bench import read_tau2
from gatebot.importers.recorded.tau_bench import read_tau_bench
from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import Trajectory
from gatebot.model.trial import Timing, Trial
from gatebot.results.trial_line import encode_trial
from gatebot.runner.schedule import seed_for

MAX_RECORDING_BYTES = 512 * 1024 * 1024
_MAX_RECORDING_VALUES = 20_000_000
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What an import wrote: `passed` of `trials` have an outcome that says so, `unknown` have none."""

    out: Path
    suite: str
    cases: int
    trials: int
    slots: int
    passed: int
    unknown: int
    warnings: tuple[str, ...]


def inspect_trace(file: Path) -> Trajectory:
    """The trajectory in a trace of any known format: its `format` and `warnings` are what the reader wants to see.

    Raises InputFileError when the file cannot be read, ImportFormatError when its content is in no known format.
    """
    return load_text(_content(file), source=file.name)


def import_recorded(kind: str, file: Path, out: Path, *, tasks: Path | None = None) -> ImportSummary:
    """Turn a benchmark's recorded runs into a suite in `out`: gatebot.yaml, golden/*.yaml, trials.jsonl.

    `kind`: one of `RECORDED_KINDS`. `file`: JSON or JSON Lines, gzipped or not. `tasks`: the benchmark's tasks, where
    they are in a file of their own. Everything is written beside `out` and renamed, so that `out` is whole or not
    there. Raises UsageError, InputFileError, ImportFormatError.
    """
    read = RECORDED_KINDS.get(kind)
    if read is None:
        raise UsageError(f"unknown kind of recorded runs '{kind}'", f"one of {', '.join(RECORDED_KINDS)}")
    _refuse_used(out)
    documents = _documents(file)
    suite = read(documents, _documents(tasks) if tasks else ())
    trials = [_trial(run) for run in suite.runs]
    files = {name: text.encode() for name, text in suite_files(suite).items()}
    files[TRIALS_NAME] = b"".join(_line(trial) for trial in trials)
    _write_whole(out, files)
    outcomes = [run.outcome for run in suite.runs]
    return ImportSummary(
        out=out,
        suite=suite.name,
        cases=len(suite.cases),
        trials=len(suite.runs),
        slots=suite.slots,
        passed=sum(1 for outcome in outcomes if outcome is not None and outcome.passed),
        unknown=sum(1 for outcome in outcomes if outcome is None),
        warnings=suite.warnings,
    )


def _tau_bench(documents: Sequence[JsonValue], tasks: Sequence[JsonValue]) -> RecordedSuite:
    if tasks:
        raise UsageError("tau-bench results hold their own tasks", "leave out the file of tasks")
    return read_tau_bench(documents)


RECORDED_KINDS: Mapping[str, Callable[[Sequence[JsonValue], Sequence[JsonValue]], RecordedSuite]] = {
    "tau-bench": _tau_bench,
    "tau2": read_tau2,
    "react": read_react,
}
"""Kind → reader of (documents of the runs, documents of the tasks)."""


def _trial(run: RecordedRun) -> Trial:
    """The trial of a recorded run. The seed is the slot's, as in every run: the source's own says nothing here."""
    return Trial(
        case=run.case,
        side="head",
        slot=run.slot,
        seed=seed_for(run.case, run.slot),
        status=run.status,
        reason=run.reason,
        round=run.slot + 1,
        trajectory=run.trajectory,
        answer=run.answer,
        outcome=run.outcome,
        usage=run.usage,
        timing=Timing(wall_s=run.seconds),
    )


def _line(trial: Trial) -> bytes:
    try:
        return encode_trial(trial)
    except ValueError as error:
        message = f"the run of {trial.case} in slot {trial.slot} cannot be stored: {error}"
        raise ImportFormatError(message, "remove that run from the recording") from error


def _refuse_used(out: Path) -> None:
    if out.is_symlink() or (out.exists() and (not out.is_dir() or any(out.iterdir()))):
        raise UsageError(
            f"{out} is there already and not empty", "name a new or an empty directory with --out"
        )


def _write_whole(out: Path, files: Mapping[str, bytes]) -> None:
    """Write all files into a directory beside `out`, then rename it: a kill on the way leaves no half suite."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as temporary:
            whole = Path(temporary) / "suite"
            for name, data in sorted(files.items()):
                path = whole / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            whole.replace(out)  # a directory may be renamed onto an empty one, and onto nothing else
    except OSError as error:
        raise UsageError(
            f"{out} cannot be written: {error.strerror}", "name another directory with --out"
        ) from error


def _documents(file: Path) -> tuple[JsonValue, ...]:
    return parse_documents(
        _content(file), max_bytes=MAX_RECORDING_BYTES, max_values=_MAX_RECORDING_VALUES, source=file.name
    )


def _content(file: Path) -> bytes:
    """The file's bytes, unpacked when gzipped or an archive of Inspect's, bounded either way."""
    location = Location(str(file))
    try:
        if not file.is_file():
            raise InputFileError("there is no such file", "give the file to import", location=location)
        with file.open("rb") as stream:
            start = stream.read(len(MAGIC))
            stream.seek(0)
            if start == MAGIC:
                data = read_sample(stream, location, most=MAX_RECORDING_BYTES)
            elif start.startswith(_GZIP):
                with gzip.GzipFile(fileobj=stream) as unpacked:
                    data = unpacked.read(MAX_RECORDING_BYTES + 1)
            else:
                data = stream.read(MAX_RECORDING_BYTES + 1)
    except (OSError, EOFError) as error:
        raise InputFileError("the file cannot be read", "is it whole?", location=location) from error
    if len(data) > MAX_RECORDING_BYTES:
        message = f"more than {MAX_RECORDING_BYTES // 1024 // 1024} MB"
        raise InputFileError(message, "split it by trial", location=location)
    return data
