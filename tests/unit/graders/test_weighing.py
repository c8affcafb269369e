"""Weighted composition of answer checks, with its edges."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from gatebot.model.case import AnswerExpectation
from gatebot.model.trial import GraderResult
from tests.unit.graders.trials import Written, case, grade, trial

THREE: Written = {
    "contains": "refund",
    "regex": "[0-9]+",
    "number": 30,
    "combine": {"weighted": {"contains": 2, "regex": 1, "number": 1}, "threshold": 0.75},
}


@pytest.mark.parametrize(
    ("answer", "passed"),
    [
        ("a refund of 30", True),
        ("a refund of 31", True),
        ("a refund", False),
        ("30", False),
        (None, False),
    ],
)
def test_earned_weight_against_the_threshold(answer: str | None, passed: bool) -> None:
    graded = grade(case({"answer": THREE}), trial(answer=answer))
    assert [(check.name, check.passed) for check in graded.checks] == [("answer", passed)]
    assert graded.scores["final_response"].value == float(passed)


def test_the_reason_says_what_was_earned_and_what_failed() -> None:
    reason = grade(case({"answer": THREE}), trial(answer="a refund")).checks[0].reason
    assert reason.startswith("earned 0.50 of the weight, needs 0.75: regex: ")
    assert "number: " in reason


def test_rounding_does_not_decide() -> None:
    weights: Written = {"contains": 0.1, "regex": 0.2, "number": 0.7}
    expected: Written = {**THREE, "combine": {"weighted": weights, "threshold": 0.3}}
    assert grade(case({"answer": expected}), trial(answer="refund 31")).passed is True


def program(threshold: float) -> Written:
    weights: Written = {"contains": 1, "command": 3}
    return {
        "contains": "a",
        "command": {"run": ["./grade"]},
        "combine": {"weighted": weights, "threshold": threshold},
    }


@pytest.mark.parametrize(
    ("score", "threshold", "passed"), [(0.5, 0.6, True), (0.4, 0.6, False), (None, 0.6, False)]
)
def test_a_program_earns_its_score(score: float | None, threshold: float, passed: bool) -> None:
    results = (GraderResult("command", passed=False, score=score, reason="2 of 4"),)
    graded = grade(case({"answer": program(threshold)}), trial(answer="a", grader_results=results))
    assert graded.passed is passed


@pytest.mark.parametrize(
    ("answer", "threshold", "checked"),
    [("a", 0.25, True), ("a", 0.5, None), ("b", 0.75, None), ("b", 0.8, False)],
)
def test_what_could_not_be_checked_counts_only_where_it_could_turn_the_verdict(
    answer: str, threshold: float, checked: bool | None
) -> None:
    graded = grade(case({"answer": program(threshold)}), trial(answer=answer))
    assert graded.checks[0].passed is checked
    assert graded.passed is (checked is True)


def test_a_graders_own_fault_is_flagged() -> None:
    results = (GraderResult("command", passed=False, reason="did not start", fault=True),)
    graded = grade(case({"answer": program(0.5)}), trial(answer="a", grader_results=results))
    assert (graded.passed, graded.scores["final_response"].value) == (False, 0.0)
    assert graded.scores["final_response"].fault


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ({"contains": 1}, "the check 'number' has no weight"),
        ({"contains": 1, "number": 1, "regex": 1}, "combine weighs 'regex', which is no check of this case"),
        ({"contains": 0, "number": 1}, "greater than 0"),
        ({}, "at least 1 item"),
    ],
)
def test_every_check_has_a_weight_and_every_weight_a_check(weights: dict[str, float], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        AnswerExpectation.model_validate(
            {"contains": "a", "number": 1, "combine": {"weighted": weights, "threshold": 0.5}}
        )
