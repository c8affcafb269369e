"""`gatebot compare`: recorded trials against recorded trials; no agent is run."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from gatebot.commands.concluding import conclude
from gatebot.commands.ruler import one_side_ruler
from gatebot.errors import InputFileError, UsageError
from gatebot.model.plan import Plan, Round, SideInfo
from gatebot.model.report import Report
from gatebot.model.suite import Suite
from gatebot.model.trial import SIDES, Side, Trial, TrialKey
from gatebot.results.journal import TRIALS_FILE, read_trials
from gatebot.results.store import open_results
from gatebot.suite.snapshot import digests
from gatebot.suite.source import suite_directory


@dataclass(frozen=True, slots=True)
class Recording:
    """Recorded trials of one side: a trials.jsonl or its directory, and the slots taken (None = all)."""

    place: Path
    slots: range | None = None

    @property
    def file(self) -> Path:
        """The trials file."""
        return self.place / TRIALS_FILE if self.place.is_dir() else self.place


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """Two recordings, the suite's directory, its configuration's name, and where results go."""

    base: Recording
    head: Recording
    suite: Path
    config: str
    out: Path
    today: datetime.date


def compare(request: ComparisonRequest) -> Report:
    """Compare two recordings and write the results. Raises InputFileError, ConfigError, UsageError."""
    ruler = one_side_ruler(suite_directory(request.suite), request.config, (), request.today)
    recordings: dict[Side, Recording] = {"base": request.base, "head": request.head}
    slots: dict[Side, list[int]] = {side: _slots(recordings[side], ruler.suite, side) for side in SIDES}
    plan = Plan(
        activity="compare",
        suite=ruler.suite.config.suite,
        digests=digests(ruler.suite),
        base=SideInfo(sha="", tree="", label=_label(request.base)),
        head=SideInfo(sha="", tree="", label=_label(request.head)),
        seeds=max(len(slots["base"]), len(slots["head"])),
        rounds=(_planned(ruler.suite, slots),),
        notes=ruler.notes,
        finished=True,
    )
    results, _ = open_results(request.out, plan, overwrite=True)
    results.write_suite(ruler.suite)
    report = conclude(plan, ruler.suite, lambda: _trials(recordings, slots), results)
    results.write_plan(plan)
    return report


def parse_slots(text: str | None) -> range | None:
    """`0-3` or `2` as a range of slots; None = all. Raises UsageError for anything else."""
    if text is None:
        return None
    first, dash, last = text.partition("-")
    if not first.isdecimal() or (dash and not last.isdecimal()) or len(text) > 12:
        raise UsageError(f"slots {text!a} are not a range", "write FIRST-LAST, for example 0-3")
    start, stop = int(first), int(last or first)
    if stop < start:
        raise UsageError(f"slots {text} run backwards", f"write {stop}-{start}")
    return range(start, stop + 1)


def source_side(file: Path) -> Side:
    """Which side's trials a recording holds: the head's where there are any, else the base's."""
    for trial in read_trials(file):
        if trial.side == "head":
            return "head"
    return "base"


def _slots(recording: Recording, suite: Suite, side: Side) -> list[int]:
    """The slots a side is compared on: those asked for, or every slot recorded for a case of the suite."""
    if not recording.file.is_file():
        raise InputFileError(
            f"no recorded trials at {recording.place}",
            f"give a {TRIALS_FILE}, or the directory that holds one",
        )
    if recording.slots is not None:
        return list(recording.slots)
    known = {case.id for case in suite.cases}
    found = sorted({trial.slot for trial in read_trials(recording.file) if trial.case in known})
    if not found:
        raise InputFileError(
            f"the {side}'s recording holds no trial of a case of the suite", "check --suite and the recording"
        )
    return found


def _trials(recordings: dict[Side, Recording], slots: dict[Side, list[int]]) -> Iterator[Trial]:
    for side in SIDES:
        file = recordings[side].file
        wanted, held = set(slots[side]), source_side(file)
        for trial in read_trials(file):
            if trial.side == held and trial.slot in wanted:
                yield trial if trial.side == side else replace(trial, side=side)


def _planned(suite: Suite, slots: dict[Side, list[int]]) -> Round:
    keys = [TrialKey(case.id, side, slot) for case in suite.cases for side in SIDES for slot in slots[side]]
    return Round(number=1, trials=tuple(keys))


def _label(recording: Recording) -> str:
    name = recording.place.name or str(recording.place)
    if recording.slots is None:
        return name
    return f"{name} slots {recording.slots.start}–{recording.slots.stop - 1}"
