"""Checks of the final answer, each with its edges."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gatebot.errors import ConfigError
from gatebot.graders.answer import json_in
from gatebot.model.suite import Case
from gatebot.model.trial import GraderResult, Outcome
from tests.unit.graders.trials import Written, case, grade, trial, value


def holds(expectation: Written, answer: str | None, golden_answer: str | None = None) -> bool | None:
    """Whether the one goal check passes."""
    graded = grade(case({"answer": expectation}, answer=golden_answer), trial(answer=answer))
    assert graded.passed is (graded.checks[0].passed is True)
    return graded.checks[0].passed


@pytest.mark.parametrize(
    ("expectation", "answer", "expected"),
    [
        ({"exact": "Paris"}, "  paris \n", True),
        ({"exact": "cafe\u0301 au lait"}, "CAF\u00c9  AU LAIT", True),
        ({"exact": "Paris"}, "Paris.", False),
        ({"contains": "99.9%"}, "Our SLA is 99.9% uptime", True),
        ({"contains": "99.9%"}, "Our SLA is 99.99 % uptime", False),
        ({"contains": ["a b", "C"]}, "c then A  B", True),
        ({"contains": ["a", "z"]}, "a", False),
        ({"contains": {"any": ["x", "y"]}}, "only y", True),
        ({"contains": {"any": ["x", "y"]}}, "none", False),
        ({"contains": {"all": ["a"], "any": ["x", "y"]}}, "a x", True),
        ({"contains": {"all": ["a"], "any": ["x", "y"]}}, "x y", False),
        ({"regex": r"order\s+#\d+"}, "your order  #12 ships", True),
        ({"regex": r"^order"}, "your order", False),
        ({"json": {"value": {"a": 1}}}, '{"a": 1, "b": 2}', True),
        ({"json": {"value": {"a": 1}, "exact": True}}, '{"a": 1, "b": 2}', False),
        ({"json": {"value": {"a": 1}, "exact": True}}, '{"a": 1.0}', True),
        ({"json": {"value": {"a": 1}}}, '{"a": true}', False),
        ({"json": {"value": {"a": 1.0}, "tolerance": 0.1}}, '{"a": 1.05}', True),
        ({"json": {"value": {"a": 1}}}, 'Here it is:\n```json\n{"a": 1}\n```\nAnything else?', True),
        ({"json": {"value": [3, 1]}}, "[1, 2, 3]", True),
        ({"json": {"value": [3, 1], "exact": True}}, "[1, 3]", False),
        ({"json": {"value": {"a": 1}}}, "no json here", False),
        ({"json": {"value": {"a": 1}}}, '{"a": 1, "a": 1}', False),
        ({"number": 30}, "You get $30 back", True),
        ({"number": 30}, "You get $300 back", False),
        ({"number": 1000}, "1k", True),
        ({"number": 1000}, "1,000", True),
        ({"number": {"value": 99.9, "unit": "%"}}, "99.9%", True),
        ({"number": {"value": 99.9, "unit": "%"}}, "99.9 people", False),
        ({"number": {"value": 5, "unit": "m"}}, "5m", True),
        ({"number": {"value": 30, "tolerance": 0.5}}, "about 30.4", True),
        ({"number": {"value": 30, "tolerance": 0.5}}, "about 30.6", False),
        ({"number": 30}, "thirty", False),
        ({"contains": "a", "number": 3, "combine": "any"}, "3", True),
        ({"contains": "a", "number": 3, "combine": "any"}, "4 b", False),
    ],
)
def test_answer_checks(expectation: Written, answer: str, expected: bool) -> None:
    assert holds(expectation, answer) is expected


def test_exact_true_compares_with_the_golden_answer() -> None:
    assert holds({"exact": True}, "yes", golden_answer="Yes") is True
    assert holds({"exact": True}, "no", golden_answer="Yes") is False


@pytest.mark.parametrize("answer", [None, "", "  \n"])
def test_no_answer_is_zero_with_a_reason(answer: str | None) -> None:
    graded = grade(case({"answer": {"contains": "a"}}), trial(answer=answer))
    assert graded.scores["final_response"].value == 0.0
    assert graded.scores["final_response"].reason == "answer.contains: the agent gave no answer"
    assert graded.failure == "premature_termination"


@pytest.mark.parametrize(
    "made",
    [
        lambda: case({"answer": {"contains": " "}}),
        lambda: case({"answer": {"contains": ["a", "\t"]}}),
        lambda: case({"answer": {"exact": " "}}),
        lambda: case({"answer": {"exact": True}}),
        lambda: case({"answer": {"regex": "("}}),
        lambda: case({"trajectory": {"args": {"t": {"q": {"regex": "["}}}}}),
    ],
)
def test_an_expectation_that_cannot_be_graded_is_an_error_with_the_case(made: Callable[[], Case]) -> None:
    with pytest.raises(ConfigError) as caught:
        grade(made(), trial(answer="a"))
    assert str(caught.value).startswith("golden/case.yaml: ")


def test_a_hostile_pattern_fails_in_a_second_instead_of_hanging() -> None:
    graded = grade(case({"answer": {"regex": r"(a|aa)+$"}}), trial(answer="a" * 5_000 + "b"))
    assert graded.passed is False
    assert "takes more than a second" in graded.checks[0].reason


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a": NaN}', "", '{"a":', "[1] 2 [", '{"a":1,"a":2}', "1" * 5000]
)
def test_hostile_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        json_in(text)


def test_recorded_outcome() -> None:
    made = case({"outcome": "recorded"})
    assert grade(made, trial(outcome=Outcome(passed=True))).passed is True
    assert grade(made, trial(outcome=Outcome(passed=False, score=0.2, verifier="tests"))).passed is False
    missing = grade(made, trial())
    assert missing.passed is False
    assert missing.scores["final_response"].value is None
    assert missing.checks[0].passed is None


def test_programs_that_graded_in_the_sandbox() -> None:
    made = case({"answer": {"command": {"run": ["check"]}}})
    assert grade(made, trial(grader_results=(GraderResult("command", passed=True),))).passed is True
    failed = grade(
        made, trial(grader_results=(GraderResult("command", passed=False, reason="2 tests fail"),))
    )
    assert failed.checks[0].reason == "the command grader says no: 2 tests fail"
    assert grade(made, trial(answer="x")).checks[0].passed is None


def test_without_a_goal_check_the_final_response_is_ungraded() -> None:
    graded = grade(case({"require": ["a"]}), trial(answer="x"))
    assert graded.scores["final_response"].value is None
    assert graded.scores["final_response"].reason == "no goal check"
    assert value(graded, "corrupt_success") is None


def test_a_case_that_requires_nothing_never_passes() -> None:
    graded = grade(case(), trial(answer="x"))
    assert graded.passed is False
    assert graded.checks[0].passed is None
    assert "requires nothing" in graded.checks[0].reason
