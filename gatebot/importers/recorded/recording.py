"""What every benchmark's recorded runs come to: cases with golden calls, and runs with the source's own verdict."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gatebot.errors import ImportFormatError
from gatebot.importers.fields import shown
from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import Trajectory, Usage
from gatebot.model.trial import Outcome, Status

GoldenCalls = tuple[tuple[str, dict[str, JsonValue]], ...]
MAX_SLOTS = 200
_NOT_SLUG = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class RecordedCase:
    """One task of the benchmark. `calls` None = the source names no reference calls; an empty tuple = none are right."""

    id: str
    turns: tuple[str, ...]
    calls: GoldenCalls | None = None
    answer: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One run of a task. `slot` counts from 0; `outcome` is the source's verdict, None where it has none."""

    case: str
    slot: int
    trajectory: Trajectory
    outcome: Outcome | None
    answer: str | None = None
    status: Status = "completed"
    reason: str = ""
    usage: Usage = field(default_factory=Usage)
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class RecordedSuite:
    """Cases sorted by id, runs by case and slot; `slots` = the most runs a case has."""

    name: str
    cases: tuple[RecordedCase, ...]
    runs: tuple[RecordedRun, ...]
    warnings: tuple[str, ...] = ()

    @property
    def slots(self) -> int:
        """How many slots the suite needs: the highest slot and the ones below it."""
        return 1 + max(run.slot for run in self.runs)


def assemble(
    name: str, cases: Iterable[RecordedCase], runs: Sequence[RecordedRun], warnings: Iterable[str] = ()
) -> RecordedSuite:
    """The suite in order. Raises ImportFormatError when there are no runs, or two of one case in one slot."""
    if not runs:
        raise ImportFormatError("no recorded run in it", "give the file with the runs of one agent")
    seen: set[tuple[str, int]] = set()
    for run in runs:
        if (run.case, run.slot) in seen:
            message = f"two runs of {run.case} say they are trial {run.slot}"
            raise ImportFormatError(message, "give one agent's runs only, each trial once")
        seen.add((run.case, run.slot))
    slots = 1 + max(slot for _, slot in seen)
    ordered = tuple(sorted(cases, key=lambda case: case.id))
    missing = slots * len(ordered) - len(seen)
    notes = list(warnings)
    if missing:
        notes.append(f"{missing} of {slots * len(ordered)} trials are not in the recording")
    return RecordedSuite(
        name, ordered, tuple(sorted(runs, key=lambda run: (run.case, run.slot))), tuple(dict.fromkeys(notes))
    )


def case_ids(tasks: Iterable[str]) -> dict[str, str]:
    """Task → case id: `task-007`, zero-padded so that ids sort as numbers do; other names as they are, made slugs.

    Raises ImportFormatError when two tasks would get one id.
    """
    names = list(dict.fromkeys(tasks))
    width = max((len(name) for name in names if name.isascii() and name.isdigit()), default=0)
    ids: dict[str, str] = {}
    for name in names:
        padded = name.zfill(max(3, width)) if name.isascii() and name.isdigit() else name
        ids[name] = f"task-{_NOT_SLUG.sub('-', padded)[:90]}"
    if len(set(ids.values())) < len(ids):
        raise ImportFormatError("two tasks have names that give one case id", "rename one of them")
    return ids


def trial_number(value: JsonValue, task: str) -> int:
    """The trial's number, which becomes the slot. Raises ImportFormatError for anything but 0 … MAX_SLOTS - 1."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MAX_SLOTS:
        message = f"a run of task {shown(task)} does not say which trial it is (0 to {MAX_SLOTS - 1})"
        raise ImportFormatError(message, "`trial` counts from 0 for every task")
    return value


def task_name(value: JsonValue) -> str:
    """The task's id as text. Raises ImportFormatError when there is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value:
        return value
    raise ImportFormatError("a run without task_id", "every run names its task")
