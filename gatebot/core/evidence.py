"""Grades into evidence: per metric and case, the values of the sample on both sides. Order of arrival is irrelevant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gatebot.core.rows import Row, Rows, row_of
from gatebot.core.view import MetricSample, Window
from gatebot.model.metric import METRICS, in_table_order
from gatebot.model.report import SideCount
from gatebot.model.score import Grade
from gatebot.model.trial import SIDES, Side, TrialKey

MISSING_SHARE = 0.20
"""Share of a side's planned trials that may be lost, and of its trials that may be ungraded, before a metric has no
evidence (architecture: "too much missing")."""


@dataclass(frozen=True, slots=True)
class _CaseRows:
    """A case's rows in the sample on one side, by slot."""

    slots: tuple[int, ...]
    rows: tuple[Row, ...]


class _Graded(NamedTuple):
    """One metric's graded values of one case on one side, with their slots."""

    values: tuple[float, ...]
    slots: tuple[int, ...]
    ungraded: int
    unexplained: int


@dataclass(slots=True)
class Evidence:
    """All rows of an evaluation, by case, side and slot, beside what was planned.

    `gating_cases` are the cases that count in the comparison: on both sides, not new, not quarantined. `confirming`
    are the planned trials that only confirm suspects: they are kept apart in `fresh`, since a suspect chose them. Base
    trials that come from a recording are kept apart in `recorded`: they spare trials and convict nobody; `recordings`
    are those that were planned. `sentinel` are the live trials that test the recordings, kept apart in `tested`.
    `doubt` says why the recordings do not stand for this base, `void` why for none any more; empty while they do.
    """

    planned: frozenset[TrialKey]
    gating_cases: frozenset[str]
    confirming: frozenset[TrialKey] = frozenset()
    recordings: frozenset[TrialKey] = frozenset()
    sentinel: frozenset[TrialKey] = frozenset()
    rows: Rows = field(default_factory=Rows)
    fresh: Rows = field(default_factory=Rows)
    recorded: Rows = field(default_factory=Rows)
    tested: Rows = field(default_factory=Rows)
    doubt: str = ""
    void: str = ""
    graders_faulted: int = 0
    _gathered: dict[tuple[Window | None, Side], tuple[_CaseRows, ...]] = field(
        default_factory=dict[tuple[Window | None, Side], tuple[_CaseRows, ...]], repr=False
    )

    _lost: dict[tuple[Window | None, Side], float] = field(
        default_factory=dict[tuple[Window | None, Side], float], repr=False
    )
    _graded: dict[tuple[str, Window | None, Side], tuple[_Graded, ...]] = field(
        default_factory=dict[tuple[str, Window | None, Side], tuple[_Graded, ...]], repr=False
    )

    def add(self, grade: Grade) -> None:
        """Take one grade in; the first of equal keys wins."""
        self.take(grade.key, row_of(grade), fault=any(score.fault for score in grade.scores.values()))

    def take(self, key: TrialKey, row: Row, *, fault: bool) -> None:
        """Take the row of one grade in; `fault`: a grader failed on the trial. The first of equal keys wins."""
        kept = self._kept_apart(key, row)
        sides = kept.setdefault(key.case, {side: {} for side in SIDES})
        if key.slot in sides[key.side]:
            return
        self._gathered.clear()
        self._lost.clear()
        self._graded.clear()
        self.graders_faulted += fault
        sides[key.side][key.slot] = row

    def _kept_apart(self, key: TrialKey, row: Row) -> Rows:
        if row.cached and key.side == "base":
            return self.recorded
        if key in self.sentinel:
            return self.tested
        return self.fresh if key in self.confirming else self.rows

    def case_rows(self, case: str, side: Side, window: Window | None = None) -> list[Row]:
        """The rows of a case on a side, by slot; `window` narrows them."""
        return [row for _, row in self._placed(case, side, window)]

    def sample_rows(self, case: str, side: Side, window: Window | None = None) -> list[Row]:
        """The rows in the sample: infrastructure errors have left it."""
        return [row for row in self.case_rows(case, side, window) if row.status != "infra_error"]

    def fresh_rows(self, case: str, side: Side) -> list[Row]:
        """The confirming rows of a case on a side that are in the sample, by slot."""
        by_slot = self.fresh.get(case, {}).get(side, {})
        return [by_slot[slot] for slot in sorted(by_slot) if by_slot[slot].status != "infra_error"]

    def slots_of(self, case: str, side: Side) -> list[int]:
        """The slots of a case on a side that have a row, ascending."""
        return [slot for slot, _ in self._placed(case, side, None)]

    def status_counts(self) -> Counter[str]:
        """How many rows ended in each status, and how many trials are missing or were not paid for again.

        Recordings are counted neither among the planned trials nor in any status, unless one is missing.
        """
        counts: Counter[str] = Counter()
        present: set[TrialKey] = set()
        for kept in (self.rows, self.fresh, self.tested, self.recorded):
            for case, sides in kept.items():
                for side, slots in sides.items():
                    present.update(TrialKey(case, side, slot) for slot in slots)
                    if kept is not self.recorded:
                        counts.update(row.status for row in slots.values())
                        counts["cached"] += sum(row.cached or row.reused for row in slots.values())
        counts["planned"] = len(self.planned - self.recordings)
        counts["missing"] = len(self.planned - present)
        return counts

    def metric_names(self) -> list[str]:
        """Every metric some row was graded on, in the order of the metric table."""
        seen: set[str] = set()
        for row in self.all_rows():
            seen.update(row.values)
        return in_table_order(seen)

    def all_rows(self) -> Iterator[Row]:
        """Every row that is not confirming, by case, side and slot."""
        for case in sorted(set(self.rows) | set(self.recorded)):
            for side in SIDES:
                yield from self.case_rows(case, side)

    @property
    def confirming_cases(self) -> tuple[str, ...]:
        """The cases whose confirming trials are planned, sorted."""
        return tuple(sorted({key.case for key in self.confirming}))

    def fresh_count(self, case: str, side: Side) -> SideCount:
        """Passes and trials of a case's confirming trials on a side."""
        rows = self.fresh_rows(case, side)
        return SideCount(passed=sum(row.passed is True for row in rows), trials=len(rows))

    def sample(self, name: str, window: Window | None = None) -> MetricSample:
        """The sample of one metric over the gating cases, within `window` when given."""
        kept: list[tuple[str, _Graded, _Graded]] = []
        one_sided: list[str] = []
        cases = sorted(self.gating_cases)
        graded = {side: self._graded_of(name, window, side) for side in SIDES}
        for case, base, head in zip(cases, graded["base"], graded["head"], strict=True):
            if base.values and head.values:
                kept.append((case, base, head))
            elif base.values or head.values:
                one_sided.append(case)
        return MetricSample(
            metric=METRICS[name],
            cases=tuple(case for case, _, _ in kept),
            base=tuple(base.values for _, base, _ in kept),
            head=tuple(head.values for _, _, head in kept),
            base_slots=tuple(base.slots for _, base, _ in kept),
            head_slots=tuple(head.slots for _, _, head in kept),
            ungraded={side: sum(one.ungraded for one in graded[side]) for side in SIDES},
            unexplained={side: sum(one.unexplained for one in graded[side]) for side in SIDES},
            one_sided=tuple(one_sided),
        )

    def values_of(self, name: str, side: Side) -> tuple[tuple[float, ...], ...]:
        """As `side_values`."""
        return tuple([one.values for one in self._graded_of(name, None, side) if one.values])

    def _graded_of(self, name: str, window: Window | None, side: Side) -> tuple[_Graded, ...]:
        """A metric's graded values per gating case (sorted); what is found is kept until a grade is added."""
        found = self._graded.get((name, window, side))
        if found is None:
            found = tuple([_graded(name, rows) for rows in self._of(window, side)])
            self._graded[name, window, side] = found
        return found

    def lost_share(self, side: Side, window: Window | None = None) -> float:
        """Share of a side's planned gating trials that are missing or ended in an infrastructure error, in [0, 1].

        Recordings are what there is: of a base that is only recorded nothing was planned.
        """
        if side == "base" and window is not None and window.recorded_base:
            return 0.0
        found = self._lost.get((window, side))
        if found is None:
            found = self._lost[window, side] = self._lost_share(side, window)
        return found

    def _lost_share(self, side: Side, window: Window | None) -> float:
        slots = window.slots(side) if window is not None else None
        planned = [
            key
            for key in self.planned
            if key.side == side
            and key.case in self.gating_cases
            and key not in self.confirming
            and key not in self.recordings
            and key not in self.sentinel
            and (slots is None or key.slot in slots)
        ]
        if not planned:
            return 1.0
        return 1.0 - sum(_in_sample(self.rows, key) for key in planned) / len(planned)

    def _of(self, window: Window | None, side: Side) -> tuple[_CaseRows, ...]:
        """Per gating case (sorted) its rows in the sample: gathered once for all metrics of a look."""
        found = self._gathered.get((window, side))
        if found is None:
            found = tuple(self._case_rows(case, side, window) for case in sorted(self.gating_cases))
            self._gathered[window, side] = found
        return found

    def _case_rows(self, case: str, side: Side, window: Window | None) -> _CaseRows:
        kept = [(slot, row) for slot, row in self._placed(case, side, window) if row.status != "infra_error"]
        return _CaseRows(tuple(slot for slot, _ in kept), tuple(row for _, row in kept))

    def _placed(self, case: str, side: Side, window: Window | None) -> list[tuple[int, Row]]:
        """Slots and rows of a case on a side. Without a window, recordings count where there is nothing fresher."""
        by_slot = self.rows.get(case, {}).get(side, {})
        if side == "base" and (not by_slot if window is None else window.recorded_base):
            by_slot = self.recorded.get(case, {}).get(side, {})
        elif window is not None:
            slots = window.slots(side)
            return [(slot, by_slot[slot]) for slot in sorted(by_slot) if slot in slots]
        return [(slot, by_slot[slot]) for slot in sorted(by_slot)]


_NOTHING = _Graded((), (), 0, 0)


def gather(grades: Iterable[Grade], planned: Iterable[TrialKey], gating_cases: Iterable[str]) -> Evidence:
    """Collect grades (any order) into evidence."""
    evidence = Evidence(planned=frozenset(planned), gating_cases=frozenset(gating_cases))
    for grade in grades:
        evidence.add(grade)
    return evidence


def side_values(evidence: Evidence, name: str, side: Side) -> tuple[tuple[float, ...], ...]:
    """One side's graded values per gating case (sorted by id) that has any: what a side alone shows."""
    return evidence.values_of(name, side)


def empty_cases(evidence: Evidence, side: Side) -> list[str]:
    """Gating cases without one trial in the sample on a side, sorted."""
    return [case for case in sorted(evidence.gating_cases) if not evidence.sample_rows(case, side)]


def _graded(name: str, of: _CaseRows) -> _Graded:
    if not of.rows:
        return _NOTHING
    found = [row.values.get(name) for row in of.rows]
    values = tuple([value for value in found if value is not None])
    if len(values) == len(found):
        return _Graded(values, of.slots, 0, 0)
    return _Graded(
        values,
        tuple([slot for slot, value in zip(of.slots, found, strict=True) if value is not None]),
        len(found) - len(values),
        sum(_missing(row, name) for row in of.rows),
    )


def _in_sample(rows: Mapping[str, Mapping[Side, Mapping[int, Row]]], key: TrialKey) -> bool:
    row = rows.get(key.case, {}).get(key.side, {}).get(key.slot)
    return row is not None and row.status != "infra_error"


def _missing(row: Row, name: str) -> bool:
    """A value is missing evidence unless it is there, or the case's definition rules the metric out."""
    if row.values.get(name) is not None or name in row.by_design:
        return False
    return name in row.values
