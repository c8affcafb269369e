"""Grades into evidence: per metric and case, the values of the sample on both sides. Order of arrival is irrelevant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from gatebot.model.metric import METRICS, Metric
from gatebot.model.score import Divergence, FailureCategory, Grade
from gatebot.model.trial import SIDES, Side, Status, TrialKey

MISSING_SHARE = 0.20
"""Share of a side's planned trials that may be lost, and of its trials that may be ungraded, before a metric has no
evidence (architecture: "too much missing")."""


@dataclass(frozen=True, slots=True)
class Row:
    """What deciding needs of one grade."""

    status: Status
    passed: bool | None
    cached: bool
    values: dict[str, float | None]
    by_design: frozenset[str]
    failure: FailureCategory | None
    failure_reason: str
    divergence: Divergence | None


@dataclass(frozen=True, slots=True)
class MetricSample:
    """One metric: per case (sorted by id) the graded values of base and head; only cases graded on both sides.

    `ungraded` counts trials of the sample without a value, per side; `unexplained` leaves out those the case's own
    definition rules out. `one_sided` names the cases graded on one side only.
    """

    metric: Metric
    cases: tuple[str, ...]
    base: tuple[tuple[float, ...], ...]
    head: tuple[tuple[float, ...], ...]
    ungraded: dict[Side, int]
    unexplained: dict[Side, int]
    one_sided: tuple[str, ...]


Window = Mapping[Side, range]
"""The slots of each side that a look may use."""


@dataclass(slots=True)
class Evidence:
    """All rows of an evaluation, by case, side and slot, beside what was planned.

    `gating_cases` are the cases that count in the comparison: on both sides, not new, not quarantined. `confirming`
    are the planned trials that only confirm suspects: they are kept apart in `fresh`, since a suspect chose them.
    """

    planned: frozenset[TrialKey]
    gating_cases: frozenset[str]
    confirming: frozenset[TrialKey] = frozenset()
    rows: dict[str, dict[Side, dict[int, Row]]] = field(default_factory=dict[str, dict[Side, dict[int, Row]]])
    fresh: dict[str, dict[Side, dict[int, Row]]] = field(
        default_factory=dict[str, dict[Side, dict[int, Row]]]
    )
    graders_faulted: int = 0

    def add(self, grade: Grade) -> None:
        """Take one grade in; the first of equal keys wins."""
        kept = self.fresh if grade.key in self.confirming else self.rows
        sides = kept.setdefault(grade.case, {side: {} for side in SIDES})
        if grade.slot in sides[grade.side]:
            return
        self.graders_faulted += any(score.fault for score in grade.scores.values())
        sides[grade.side][grade.slot] = _row(grade)

    def case_rows(self, case: str, side: Side, window: Window | None = None) -> list[Row]:
        """The rows of a case on a side, by slot; `window` narrows them."""
        by_slot = self.rows.get(case, {}).get(side, {})
        return [by_slot[slot] for slot in sorted(by_slot) if window is None or slot in window[side]]

    def sample_rows(self, case: str, side: Side, window: Window | None = None) -> list[Row]:
        """The rows in the sample: infrastructure errors have left it."""
        return [row for row in self.case_rows(case, side, window) if row.status != "infra_error"]

    def fresh_rows(self, case: str, side: Side) -> list[Row]:
        """The confirming rows of a case on a side that are in the sample, by slot."""
        by_slot = self.fresh.get(case, {}).get(side, {})
        return [by_slot[slot] for slot in sorted(by_slot) if by_slot[slot].status != "infra_error"]

    def slots_of(self, case: str, side: Side) -> list[int]:
        """The slots of a case on a side that have a row, ascending."""
        return sorted(self.rows.get(case, {}).get(side, {}))

    def status_counts(self) -> Counter[str]:
        """How many rows ended in each status, and how many planned trials are missing or came from the cache."""
        counts: Counter[str] = Counter()
        present: set[TrialKey] = set()
        for kept in (self.rows, self.fresh):
            for case, sides in kept.items():
                for side, slots in sides.items():
                    present.update(TrialKey(case, side, slot) for slot in slots)
                    counts.update(row.status for row in slots.values())
                    counts["cached"] += sum(row.cached for row in slots.values())
        counts["missing"] = len(self.planned - present)
        return counts

    def metric_names(self) -> list[str]:
        """Every metric some row was graded on, in the order of the metric table."""
        seen = {name for row in self.all_rows() for name in row.values}
        return [name for name in METRICS if name in seen]

    def all_rows(self) -> Iterator[Row]:
        """Every row, by case, side and slot."""
        for case in sorted(self.rows):
            for side in SIDES:
                yield from self.case_rows(case, side)


def gather(grades: Iterable[Grade], planned: Iterable[TrialKey], gating_cases: Iterable[str]) -> Evidence:
    """Collect grades (any order) into evidence."""
    evidence = Evidence(planned=frozenset(planned), gating_cases=frozenset(gating_cases))
    for grade in grades:
        evidence.add(grade)
    return evidence


def metric_sample(evidence: Evidence, name: str, window: Window | None = None) -> MetricSample:
    """The sample of one metric over the gating cases, within `window` when given."""
    kept: list[tuple[str, tuple[float, ...], tuple[float, ...]]] = []
    ungraded: dict[Side, int] = dict.fromkeys(SIDES, 0)
    unexplained: dict[Side, int] = dict.fromkeys(SIDES, 0)
    one_sided: list[str] = []
    for case in sorted(evidence.gating_cases):
        values: dict[Side, tuple[float, ...]] = {}
        for side in SIDES:
            rows = evidence.sample_rows(case, side, window)
            values[side] = tuple(v for row in rows if (v := row.values.get(name)) is not None)
            ungraded[side] += len(rows) - len(values[side])
            unexplained[side] += sum(_missing(row, name) for row in rows)
        if values["base"] and values["head"]:
            kept.append((case, values["base"], values["head"]))
        elif values["base"] or values["head"]:
            one_sided.append(case)
    return MetricSample(
        metric=METRICS[name],
        cases=tuple(case for case, _, _ in kept),
        base=tuple(base for _, base, _ in kept),
        head=tuple(head for _, _, head in kept),
        ungraded=ungraded,
        unexplained=unexplained,
        one_sided=tuple(one_sided),
    )


def side_values(evidence: Evidence, name: str, side: Side) -> tuple[tuple[float, ...], ...]:
    """One side's graded values per gating case (sorted by id) that has any: what a side alone shows."""
    values = [
        tuple(v for row in evidence.sample_rows(case, side) if (v := row.values.get(name)) is not None)
        for case in sorted(evidence.gating_cases)
    ]
    return tuple(v for v in values if v)


def lost_share(evidence: Evidence, side: Side, window: Window | None = None) -> float:
    """Share of a side's planned gating trials that are missing or ended in an infrastructure error, in [0, 1]."""
    planned = [
        key
        for key in evidence.planned
        if key.side == side
        and key.case in evidence.gating_cases
        and key not in evidence.confirming
        and (window is None or key.slot in window[side])
    ]
    if not planned:
        return 1.0
    kept = sum(_in_sample(evidence.rows, key) for key in planned)
    return 1.0 - kept / len(planned)


def empty_cases(evidence: Evidence, side: Side) -> list[str]:
    """Gating cases without one trial in the sample on a side, sorted."""
    return [case for case in sorted(evidence.gating_cases) if not evidence.sample_rows(case, side)]


def _in_sample(rows: Mapping[str, Mapping[Side, Mapping[int, Row]]], key: TrialKey) -> bool:
    row = rows.get(key.case, {}).get(key.side, {}).get(key.slot)
    return row is not None and row.status != "infra_error"


def _missing(row: Row, name: str) -> bool:
    """A value is missing evidence unless it is there, or the case's definition rules the metric out."""
    if row.values.get(name) is not None or name in row.by_design:
        return False
    return name in row.values


def _row(grade: Grade) -> Row:
    values: dict[str, float | None] = {
        name: score.value for name, score in grade.scores.items() if name in METRICS
    }
    if grade.passed is not None:
        values["pass_rate"] = float(grade.passed)
    return Row(
        status=grade.status,
        passed=grade.passed,
        cached=grade.cached,
        values=values,
        by_design=frozenset(name for name, score in grade.scores.items() if score.by_design),
        failure=grade.failure,
        failure_reason=grade.failure_reason,
        divergence=grade.divergence,
    )
