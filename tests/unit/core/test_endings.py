"""A side on which nothing completed has not been evaluated, however alike both sides failed."""

from __future__ import annotations

import pytest

from gatebot.core.cases import case_results
from gatebot.core.course import course_of
from gatebot.core.decide import decide
from gatebot.core.decision import SingleCases
from gatebot.core.endings import ending_alerts, never_passing
from gatebot.core.evidence import Evidence
from gatebot.core.one_side import decide_one_side
from gatebot.model.score import Divergence, Grade
from gatebot.model.trial import Side, Status, TrialKey
from tests.unit.core.grades import Trials, evidence_of, gate_of, plan_of, reported, suite_of


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


def test_cases_that_never_pass_on_either_side_are_named() -> None:
    base = {**suite_of(20, "11111"), "broken": "00000", "rose": "00000"}
    head = {**base, "rose": "00100"}
    assert never_passing(evidence_of(Trials(base, head))) == ["broken"]
    alerts = reported(Trials(base, head)).alerts
    assert "cases that never pass on either side: broken; they say nothing about a pull request" in alerts
    assert not reported(Trials(suite_of(20, "11111"), suite_of(20, "11111"))).alerts


def test_one_side_is_told_of_the_cases_that_never_pass() -> None:
    head = {**suite_of(3, "11111"), "broken": "00000"}
    evidence = evidence_of(Trials({}, head), gating=list(head))
    alone = decide_one_side(evidence, gate_of(), side="head")
    assert "correct the case or the agent (broken)" in alone.advice
    first = decide_one_side(evidence, gate_of(), side="head", no_baseline="no baseline")
    assert first.advice.startswith("The next pull request will be compared with this one once it is merged.")
    assert "(broken)" in first.advice
    sound = evidence_of(Trials({}, suite_of(3, "11111")), gating=list(suite_of(3, "11111")))
    assert decide_one_side(sound, gate_of(), side="head").advice == "Nothing to do."


def test_a_trial_that_broke_off_is_shown_by_its_reason() -> None:
    gone = Divergence(1, "missing", "`search_docs()`", "nothing", "step 1: missing")
    evidence = _evidence("completed", None)
    ended: list[tuple[str, Status]] = [("c0", "agent_error"), ("c1", "completed")]
    for case, status in ended:
        for slot in range(1, 6):
            failure = "agent_error" if status == "agent_error" else "premature_termination"
            evidence.add(
                Grade(
                    case,
                    "head",
                    slot,
                    status,
                    False,
                    failure=failure,
                    failure_reason="No module named 'nosuch'",
                    divergence=gone,
                )
            )
    broke, went_on = case_results(evidence, SingleCases(), {}, {})[:2]
    assert broke.first_divergence is None
    assert broke.failure is not None
    assert broke.failure.reason == "No module named 'nosuch'"
    assert went_on.first_divergence == gone
