"""`gatebot compare`: recorded trials against recorded trials; no agent is run."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
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

MOST_SLOTS = 10_000


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
    """Two recordings, the suite's directory, its configuration's name, where results go, and who hears of what went."""

    base: Recording
    head: Recording
    suite: Path
    config: str
    out: Path
    today: datetime.date
    tell: Callable[[str], None] = field(default=lambda _: None, repr=False)


def compare(request: ComparisonRequest) -> Report:
    """Compare two recordings and write the results. Raises InputFileError, ConfigError, UsageError."""
    ruler = one_side_ruler(suite_directory(request.suite), request.config, (), request.today)
    recordings: dict[Side, Recording] = {"base": request.base, "head": request.head}
    taken: dict[Side, _Taken] = {side: _taken(recordings[side], ruler.suite, side) for side in SIDES}
    plan = Plan(
        activity="compare",
        suite=ruler.suite.config.suite,
        digests=digests(ruler.suite),
        base=SideInfo(sha="", tree="", label=_label(request.base)),
        head=SideInfo(sha="", tree="", label=_label(request.head)),
        seeds=max(len(one.slots) for one in taken.values()),
        rounds=(_planned(ruler.suite, taken),),
        notes=ruler.notes,
        finished=True,
    )
    results, _ = open_results(request.out, plan, overwrite=True, tell=request.tell)
    results.write_suite(ruler.suite)
    report = conclude(plan, ruler.suite, lambda: _trials(taken), results)
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
    if stop - start >= MOST_SLOTS:
        raise UsageError(f"slots {text} are more than {MOST_SLOTS}", "name those that were recorded")
    return range(start, stop + 1)


@dataclass(frozen=True, slots=True)
class _Taken:
    """What a side of the comparison takes of a recording: the trials recorded for one side, in these slots."""

    file: Path
    held: Side
    slots: tuple[int, ...]


def _taken(recording: Recording, suite: Suite, side: Side) -> _Taken:
    """The head's trials where a recording has any, else the base's; of all slots unless some were asked for."""
    file = recording.file
    if not file.is_file():
        raise InputFileError(
            f"no recorded trials at {recording.place}",
            f"give a {TRIALS_FILE}, or the directory that holds one",
        )
    known = {case.id for case in suite.cases}
    found: dict[Side, set[int]] = {"base": set(), "head": set()}
    for trial in read_trials(file):
        if trial.case in known:
            found[trial.side].add(trial.slot)
            if trial.side == "head" and recording.slots is not None:
                break  # the slots are given, and whose trials are taken is known
    held: Side = "head" if found["head"] else "base"
    if not found[held]:
        raise InputFileError(
            f"the {side}'s recording holds no trial of a case of the suite", "check --suite and the recording"
        )
    return _Taken(
        file, held, tuple(sorted(found[held])) if recording.slots is None else tuple(recording.slots)
    )


def _trials(taken: Mapping[Side, _Taken]) -> Iterator[Trial]:
    for side in SIDES:
        one = taken[side]
        wanted = frozenset(one.slots)
        for trial in read_trials(one.file):
            if trial.side == one.held and trial.slot in wanted:
                yield replace(trial, side=side, cached=False)  # recordings, all of them: none spares another


def _planned(suite: Suite, taken: Mapping[Side, _Taken]) -> Round:
    keys = [
        TrialKey(case.id, side, slot) for case in suite.cases for side in SIDES for slot in taken[side].slots
    ]
    return Round(number=1, trials=tuple(keys))


def _label(recording: Recording) -> str:
    name = recording.place.name or str(recording.place)
    if recording.slots is None:
        return name
    return f"{name} slots {recording.slots.start}–{recording.slots.stop - 1}"
