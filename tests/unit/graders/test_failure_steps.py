"""The steps that show a failure, per category; a stop by a turn limit is a loop."""

from __future__ import annotations

import pytest

from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import ToolCall
from gatebot.model.trial import Status
from tests.unit.graders.trials import call, case, golden, grade, trial, value

MADE = case(
    {"answer": {"contains": "done"}, "forbid": ["z"], "require": ["a"], "state": True, "trajectory": {"match": "strict"}},
    golden(("a", {"k": 1}), ("b", {})),
    state={"n": 1},
)  # fmt: skip
A, B = call("a", {"k": 1}), call("b")


@pytest.mark.parametrize(
    ("calls", "answer", "category", "steps"),
    [
        ([A, call("b", result="x", is_error=True), call("b", result="x", is_error=True)], "done", "tool_execution", (2, 3)),
        ([call("a", {"k": 1}, result="r")] * 5, "done", "infinite_loop", (2, 3, 4)),
        ([A, call("p", result="1"), call("q", result="2")] + [call("p", result="1"), call("q", result="2")] * 2, "done", "infinite_loop", (2, 3, 4, 5, 6, 7)),
        ([A], "done", "premature_termination", (2,)),
        ([A, B], None, "premature_termination", (3,)),
        ([A, call("z"), B, call("z")], "done", "forbidden_tool", (2, 4)),
        ([A, call("c")], "done", "tool_selection", (2,)),
        ([call("a", {"k": 2}), B], "done", "wrong_arguments", (1,)),
        ([B, A], "done", "wrong_order", (1,)),
        ([A, B], "no", "wrong_answer", ()),
    ],
)  # fmt: skip
def test_steps(calls: list[ToolCall], answer: str | None, category: str, steps: tuple[int, ...]) -> None:
    state: JsonValue = {"n": 1}
    graded = grade(MADE, trial(*calls, answer=answer, state=state))
    assert (graded.failure, graded.failure_steps) == (category, steps)


def test_at_most_twenty_steps_are_named() -> None:
    failing = [call("b", {"n": number}, result="x", is_error=True) for number in range(50)]
    assert grade(MADE, trial(A, *failing, answer="done", state={"n": 1})).failure_steps == tuple(range(2, 22))


@pytest.mark.parametrize("status", ["agent_error", "timeout"])
@pytest.mark.parametrize(
    "reason",
    [
        "MaxTurnsExceeded: Max turns (10) exceeded",
        "exit code 1: openai agents: MaxTurnsExceeded",
        "GraphRecursionError: Recursion limit of 25 reached",
        "Agent stopped due to max iterations.",
        "reached the maximum number of steps",
        "max_tool_calls reached",
        "step limit of 50 reached",
    ],
)
def test_a_stop_by_turn_limit_is_a_loop(status: Status, reason: str) -> None:
    graded = grade(MADE, trial(A, status=status, reason=reason))
    assert (graded.failure, graded.failure_reason) == ("infinite_loop", reason)
    assert value(graded, "loop") == 1
    assert value(graded, "pass_rate") == 0


@pytest.mark.parametrize(
    "reason", ["", "exit code 1", "KeyError: 'step'", "rate limit reached", "maximum context length"]
)
def test_other_ends_are_no_loop(reason: str) -> None:
    graded = grade(MADE, trial(A, status="agent_error", reason=reason))
    assert graded.failure == "agent_error"
    assert value(graded, "loop") is None
