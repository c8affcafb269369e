"""Single cases: counts, labels, first divergence, failure. Labels follow statistics §5; counts are printed, not p."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from gatebot.core.averages import deviation, mean
from gatebot.core.decision import SingleCases
from gatebot.core.evidence import Evidence
from gatebot.core.rows import Row
from gatebot.model.metric import in_table_order
from gatebot.model.plan import CaseNotice
from gatebot.model.report import CaseLabel, CaseMetric, CaseResult, Failure, SideCount
from gatebot.model.score import Divergence
from gatebot.model.trial import Side

SUSPECT_DROP = 0.5
"""A case whose pass rate dropped by this much is suspect until fresh trials confirm or clear it."""
FEWEST_TRIALS = 3
"""Fewer trials of a case on a side say nothing about that case: one trial more or less would be half of it."""


@dataclass(frozen=True, slots=True)
class _Shown:
    slot: int | None
    divergence: Divergence | None
    failure: Failure | None


def case_results(
    evidence: Evidence,
    singles: SingleCases,
    notices: Mapping[str, CaseNotice],
    tags: Mapping[str, tuple[str, ...]],
) -> tuple[CaseResult, ...]:
    """Every case of the evaluation, sorted by id."""
    cases = sorted({*evidence.rows, *evidence.recorded, *evidence.gating_cases, *notices})
    return tuple(
        _case_result(evidence, case, singles, notices.get(case), tags.get(case, ())) for case in cases
    )


def count(evidence: Evidence, case: str, side: Side) -> SideCount:
    """Passed trials and trials of the sample."""
    rows = evidence.sample_rows(case, side)
    return SideCount(passed=sum(row.passed is True for row in rows), trials=len(rows))


def worst_first(cases: tuple[CaseResult, ...], limit: int = 5) -> tuple[str, ...]:
    """Ids of the cases that got worse most, or fail most at the head: the worst five."""
    order: dict[CaseLabel, int] = {"regressed": 0, "suspect": 1}

    def key(case: CaseResult) -> tuple[int, float, float, str]:
        return order.get(case.label, 2), -_drop(case.base, case.head), _rate(case.head), case.id

    failing = [case for case in cases if case.head.trials and case.head.passed < case.head.trials]
    return tuple(case.id for case in sorted(failing, key=key)[:limit])


def _case_result(
    evidence: Evidence, case: str, singles: SingleCases, notice: CaseNotice | None, tags: tuple[str, ...]
) -> CaseResult:
    base, head = count(evidence, case, "base"), count(evidence, case, "head")
    gating = case in evidence.gating_cases
    shown = _shown(evidence, case)
    label = _label(case, base, head, singles, notice)
    fresh = singles.fresh.get(case)
    return CaseResult(
        id=case,
        label=label,
        base=base,
        head=head,
        metrics=_metrics(evidence, case),
        first_divergence=shown.divergence,
        failure=shown.failure,
        gating=gating,
        reason=_reason(label, base, head, fresh),
        p_value=singles.adjusted.get(case),
        tags=tags,
        shown_slot=shown.slot,
        shown_base_slot=_base_slot(evidence, case),
        fresh_base=fresh["base"] if fresh is not None else None,
        fresh_head=fresh["head"] if fresh is not None else None,
    )


def _label(
    case: str, base: SideCount, head: SideCount, singles: SingleCases, notice: CaseNotice | None
) -> CaseLabel:
    if case in singles.regressed:
        return "regressed"
    if notice is not None and notice.kind == "new":
        return "new"
    if not base.trials or not head.trials:
        return "removed" if notice is not None and notice.kind == "removed" else "not_evaluated"
    fresh = singles.fresh.get(case)
    drop = (
        _drop(base, head) if fresh is None else _drop(_both(base, fresh["base"]), _both(head, fresh["head"]))
    )
    few = min(base.trials, head.trials) < FEWEST_TRIALS
    if drop >= SUSPECT_DROP and not few:
        return "suspect"
    if notice is not None and notice.kind == "removed":
        return "removed"
    if drop <= -SUSPECT_DROP and not few:
        return "improved"
    return "flaky" if _flaky(base) or _flaky(head) else "stable"


def _both(rounds: SideCount, fresh: SideCount) -> SideCount:
    return SideCount(rounds.passed + fresh.passed, rounds.trials + fresh.trials)


def _reason(
    label: CaseLabel, base: SideCount, head: SideCount, fresh: Mapping[Side, SideCount] | None
) -> str:
    told = (
        ""
        if fresh is None
        else f"{_shown_count(fresh['base'])} → {_shown_count(fresh['head'])} on fresh trials"
    )
    if told and label != "regressed":
        return f"a large drop at first, not confirmed: {told}"
    if label == "regressed":
        return f"confirmed: {told}" if told else "dropped beyond chance"
    if label == "flaky":
        return "flaky on the base too" if _flaky(base) else "newly flaky"
    if label == "stable":
        return (
            "passes" if head.passed else ("too few trials to tell" if base.passed else "fails on both sides")
        )
    if label == "suspect":
        return "a large drop, not confirmed beyond chance"
    return ""


def _shown_count(count_: SideCount) -> str:
    return f"{count_.passed}/{count_.trials}"


def _shown(evidence: Evidence, case: str) -> _Shown:
    """The head trial that illustrates the case: the first one showing the most frequent failure."""
    failing = [
        (slot, row)
        for slot in evidence.slots_of(case, "head")
        if (row := evidence.rows[case]["head"][slot]).passed is False
    ]
    if not failing:
        slots = evidence.slots_of(case, "head")
        return _Shown(slots[0] if slots else None, None, None)
    counted = Counter(_signature(row) for _, row in failing)
    signature = max(counted, key=lambda s: (counted[s], -_first(failing, s)))
    slot, row = next((slot, row) for slot, row in failing if _signature(row) == signature)
    failure = Failure(
        category=row.failure or "unknown",
        reason=row.failure_reason,
        trials=counted[signature],
        steps=row.failure_steps,
        others=row.other_failures,
    )
    # A trial that broke off made too few calls because it broke off: its reason is the first difference.
    return _Shown(slot, row.divergence if row.status == "completed" else None, failure)


def _signature(row: Row) -> tuple[str, str]:
    return row.failure or "", row.divergence.kind if row.divergence is not None else ""


def _first(failing: list[tuple[int, Row]], signature: tuple[str, str]) -> int:
    return next(slot for slot, row in failing if _signature(row) == signature)


def _base_slot(evidence: Evidence, case: str) -> int | None:
    """A base trial to set beside it: the first that passed, else the first."""
    slots = evidence.slots_of(case, "base")
    rows = evidence.case_rows(case, "base")
    passed = [slot for slot, row in zip(slots, rows, strict=True) if row.passed]
    return (passed or slots or [None])[0]


def _metrics(evidence: Evidence, case: str) -> dict[str, CaseMetric]:
    sides = {side: evidence.sample_rows(case, side) for side in ("base", "head")}
    names = {name for rows in sides.values() for row in rows for name in row.values}
    found: dict[str, CaseMetric] = {}
    for name in in_table_order(names):
        base, head = (_values(sides[side], name) for side in ("base", "head"))
        found[name] = CaseMetric(mean(base), mean(head), deviation(base), deviation(head))
    return found


def _values(rows: list[Row], name: str) -> list[float]:
    return [value for row in rows if (value := row.values.get(name)) is not None]


def _rate(count_: SideCount) -> float:
    return count_.passed / count_.trials if count_.trials else 0.0


def _drop(base: SideCount, head: SideCount) -> float:
    return _rate(base) - _rate(head) if base.trials and head.trials else 0.0


def _flaky(count_: SideCount) -> bool:
    return count_.trials >= FEWEST_TRIALS and 0 < count_.passed < count_.trials
