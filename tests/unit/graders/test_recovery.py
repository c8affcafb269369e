"""Failed calls and recovery from them."""

from __future__ import annotations

import pytest

from gatebot.graders.recovery import error_text, failures, incidents
from gatebot.model.trajectory import ToolCall
from tests.unit.graders.trials import Written, call, case, grade, steps_of, trial, value

ANY: Written = {"answer": {"contains": "x"}}


def bad(name: str = "t", k: int = 1, result: str = "boom") -> ToolCall:
    return call(name, {"k": k}, result=result, is_error=True)


def good(name: str = "t", k: int = 1) -> ToolCall:
    return call(name, {"k": k}, result="fine", is_error=False)


def silent(name: str = "t", k: int = 1, result: str = "fine") -> ToolCall:
    return call(name, {"k": k}, result=result)


@pytest.mark.parametrize(
    ("calls", "failed"),
    [
        ([bad(), good()], 1),
        ([good()], 0),
        ([silent(result="Error: no such order")], 1),
        ([silent()], None),  # unknown is not success
        ([silent(), good()], 0),
        ([call("t", result="Error: but the source says it is fine", is_error=False)], 0),
        ([], 0),
    ],
)
def test_failed_calls(calls: list[ToolCall], failed: int | None) -> None:
    assert value(grade(case(ANY), trial(*calls, answer="x")), "failed_calls") == failed


@pytest.mark.parametrize(
    ("text", "is_error"),
    [
        ("Error: nope", True), ("  error - nope", True), ("Traceback (most recent call last):\n", True),
        ('{"error": "nope"}', True), ('{"error": null, "data": 1}', False), ('{"error": ""}', False),
        ("Errors are rare", False), ("No error: fine", False), ("erroneous", False), ("Tool error: x", True),
        ("terror: x", False), (" " * 50_000 + "x", False),
    ],
)  # fmt: skip
def test_errors_known_by_their_text(text: str, is_error: bool) -> None:
    assert error_text(text) is is_error


@pytest.mark.parametrize(
    ("calls", "passed", "kinds"),
    [
        ([bad(), good()], False, ["same_retry"]),
        ([bad(k=1), good(k=2)], False, ["fixed_args"]),
        ([bad(), bad(), good(k=2)], False, ["fixed_args"]),
        ([bad(), good("other")], True, ["switched_tool"]),
        ([bad(), good("other")], False, ["abandoned"]),
        ([good("other"), bad()], True, ["abandoned"]),
        ([bad(), bad()], False, ["blind_repeat"]),
        ([bad(k=1), bad(k=2)], False, ["abandoned"]),
        ([bad("a"), bad("b"), good("b"), good("a")], False, ["same_retry", "same_retry"]),
        ([bad(), good(), bad()], False, ["same_retry", "abandoned"]),
        ([bad(), silent()], False, ["abandoned"]),  # nobody says that the second call succeeded
        ([silent(result="Error: x"), silent(k=2)], False, ["fixed_args"]),  # failures known by text alone
        ([good()], True, []),
    ],
)
def test_incidents(calls: list[ToolCall], passed: bool, kinds: list[str]) -> None:
    steps = steps_of(*calls)
    assert [incident.kind for incident in incidents(steps, failures(steps), passed=passed)] == kinds


def test_recovery() -> None:
    def recovery(*calls: ToolCall, answer: str = "x") -> float | None:
        return value(grade(case(ANY), trial(*calls, answer=answer)), "recovery")

    assert recovery() is None
    assert recovery(good()) is None
    assert recovery(bad(), good()) == 1
    assert recovery(bad(), answer="y") == 0
    assert recovery(bad("a"), good("a"), bad("b"), answer="y") == 0.5


def test_an_unrecovered_failure_is_the_primary_category() -> None:
    graded = grade(case(ANY), trial(bad(result="503\nservice \x1b[31munavailable"), answer="sorry"))
    assert graded.failure == "tool_execution"
    assert graded.failure_reason == "step 1: `t(k=1)` failed and was given up: 503 service [31munavailable"
