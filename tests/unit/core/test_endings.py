"""A side on which nothing completed has not been evaluated, however alike both sides failed."""

from __future__ import annotations

import pytest

from gatebot.core.course import course_of
from gatebot.core.decide import decide
from gatebot.core.endings import ending_alerts
from gatebot.core.evidence import Evidence
from gatebot.core.one_side import decide_one_side
from gatebot.model.score import Grade
from gatebot.model.trial import Side, Status, TrialKey
from tests.unit.core.grades import gate_of, plan_of


def _evidence(base: Status | None, head: Status | None) -> Evidence:
    grades: list[Grade] = []
    sides: list[tuple[Side, Status | None]] = [("base", base), ("head", head)]
    for case in range(20):
        for side, status in sides:
            if status is None:
                continue
            grades.extend(
                Grade(
                    f"c{case}",
                    side,
                    slot,
                    status,
                    status == "completed",
                    failure=None if status == "completed" else "agent_error",
                    failure_reason="" if status == "completed" else "exited with code 1",
                )
                for slot in range(1, 6)
            )
    evidence = Evidence(frozenset(grade.key for grade in grades), frozenset(f"c{case}" for case in range(20)))
    for grade in grades:
        evidence.add(grade)
    return evidence


@pytest.mark.parametrize("status", ["agent_error", "timeout"])
def test_two_sides_that_never_complete_are_no_pass(status: Status) -> None:
    gate = gate_of()
    decision = decide(_evidence(status, status), gate, course_of(plan_of(5), gate))
    assert decision.conclusion == "not_evaluated"
    assert "no trial of the base completed" in decision.reason


def test_a_head_that_never_completes_fails_where_the_base_passed() -> None:
    gate = gate_of()
    assert (
        decide(_evidence("completed", "agent_error"), gate, course_of(plan_of(5), gate)).conclusion == "fail"
    )


def test_one_side_alone_that_never_completes_is_no_pass() -> None:
    assert (
        decide_one_side(_evidence(None, "agent_error"), gate_of(), side="head").conclusion == "not_evaluated"
    )


def test_the_reader_is_told_how_many_and_why() -> None:
    evidence = _evidence("completed", "agent_error")
    assert ending_alerts(evidence) == [
        "100 of 100 trials of the head did not complete; most often: exited with code 1"
    ]
    assert TrialKey("c0", "head", 1) in evidence.planned
