"""Convergence, counts, time, tokens, money, duplicates and loops, each with its edges."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatebot.graders.efficiency import may_change
from gatebot.graders.steps import NOT_REPORTED
from gatebot.model.score import Score
from gatebot.model.trajectory import Message, ToolCall, Trajectory, Usage
from gatebot.model.trial import Timing, Trial
from tests.unit.graders.trials import Written, call, case, golden, grade, trial, unknown_call, value

ANY: Written = {"answer": {"contains": "x"}}


@pytest.mark.parametrize(
    ("expect", "optimal", "made", "answer", "expected"),
    [
        (ANY, None, 3, "x", None),
        (ANY, 2, 2, "x", 1.0),
        (ANY, 2, 4, "x", 0.5),
        (ANY, 2, 1, "x", 1.0),  # passed with fewer: the optimum was overstated
        (ANY, 2, 1, "y", None),
        (ANY, 3, 0, "y", None),  # the naive formula says 1
        (ANY, 0, 0, "y", 1.0),
        (ANY, 0, 1, "x", 0.0),
    ],
)
def test_convergence(
    expect: Written, optimal: int | None, made: int, answer: str, expected: float | None
) -> None:
    known = expect if optimal is None else {**expect, "optimal_steps": optimal}
    graded = grade(case(known), trial(*(call("t", {"n": n}) for n in range(made)), answer=answer))
    if optimal is None:
        assert "convergence" not in graded.scores
    else:
        assert value(graded, "convergence") == expected


def test_the_optimum_is_the_goldens_unless_the_case_says_otherwise() -> None:
    calls = golden(("a", {}), ("b", {}))
    run = trial(call("a"), call("b"), call("c"), call("d"))
    assert value(grade(case({}, calls), run), "convergence") == 0.5
    assert value(grade(case({"optimal_steps": 1}, calls), run), "convergence") == 0.25


def test_quantities() -> None:
    run = trial(
        [call("a"), call("b")],
        call("a"),
        answer="x",
        usage=Usage(10, 5, cost_usd=0.25),
        timing=Timing(wall_s=1.5),
    )
    graded = grade(case(ANY), run)
    names = ("tool_calls", "turns", "unique_tools", "tokens", "cost_usd", "latency_s")
    assert [value(graded, name) for name in names] == [3, 3, 2, 15, 0.25, 1.5]


@pytest.mark.parametrize("name", ["tokens", "cost_usd", "latency_s"])
def test_unknown_quantities_are_ungraded(name: str) -> None:
    score = grade(case(ANY), trial(answer="x")).scores[name]
    assert score.value is None
    assert "unknown" in score.reason


def test_quantities_that_are_none_are_ungraded() -> None:
    run = trial(answer="x", timing=Timing(wall_s=float("nan")), usage=Usage(cost_usd=-1.0))
    graded = grade(case(ANY), run)
    assert (value(graded, "latency_s"), value(graded, "cost_usd")) == (None, None)


@pytest.mark.parametrize(
    ("usages", "tokens"),
    [
        ([Usage(1, 2), Usage(3, 4)], 10),
        ([Usage(1, 2), None], None),
        ([None, None], None),
        ([Usage(1), Usage(2)], 3),
    ],
)
def test_tokens_are_summed_over_responses_only_when_all_are_known(
    usages: list[Usage | None], tokens: int
) -> None:
    messages = tuple(Message("assistant", "x", usage=usage) for usage in usages)
    run = Trial("case", "head", 0, 1, "completed", trajectory=Trajectory(messages, "openai"), answer="x")
    assert value(grade(case(ANY), run), "tokens") == tokens


def test_an_agent_that_reports_no_messages_has_unknown_counts() -> None:
    graded = grade(case(ANY), Trial("case", "head", 0, 1, "completed", answer="x"))
    for name in (
        "tool_calls",
        "turns",
        "unique_tools",
        "duplicate_calls",
        "failed_calls",
        "recovery",
        "loop",
    ):
        assert (graded.scores[name].value, graded.scores[name].reason) == (
            None,
            NOT_REPORTED,
        )


def get(result: str | None = "r", is_error: bool | None = None, **arguments: int) -> ToolCall:
    return call("get_x", dict(arguments), result=result, is_error=is_error)


@pytest.mark.parametrize(
    ("calls", "wasted"),
    [
        ([get(), get()], 1),
        ([get(), get(), get()], 2),
        ([get(a=1), get(a=2)], 0),
        ([get("one"), get("two")], 0),  # the result is new
        ([get("e", is_error=True), get()], 0),  # a retry after an error
        ([get("e", is_error=True), get("e", is_error=True)], 0),
        ([get(), call("list_y", result="y"), get()], 1),
        ([get(), call("update_y", result="ok"), get()], 0),  # something may have changed in between
        ([get(), call("update_y", result="no", is_error=True), get()], 1),
        ([call("set_y", result="ok"), call("set_y", result="ok")], 1),
        ([get(None), get(None)], 1),
        ([get(None), call("list_y"), get(None)], 0),
        ([unknown_call("get_x"), unknown_call("get_x")], 0),
        ([call("poll", result="wait"), call("poll", result="wait")], 0),
        ([], 0),
    ],
)
def test_duplicate_calls(calls: list[ToolCall], wasted: int) -> None:
    graded = grade(case({**ANY, "poll": ["poll"]}), trial(*calls, answer="x"))
    assert value(graded, "duplicate_calls") == wasted


def test_duplicates_are_found_whatever_the_order_of_nested_keys() -> None:
    one, other = (
        call("g", {"f": {"a": 1, "b": 2}}, result="r"),
        call("g", {"f": {"b": 2, "a": 1}}, result="r"),
    )
    graded = grade(case(ANY), trial(one, other, answer="x"))
    assert value(graded, "duplicate_calls") == 1
    assert graded.scores["duplicate_calls"].reason == (
        'step 2: `g(f={"b": 2, "a": 1})` repeats an equal call and brought nothing new'
    )


def failing() -> ToolCall:
    return get("e", is_error=True)


@pytest.mark.parametrize(
    ("calls", "loops"),
    [
        ([get()] * 3, 0),
        ([get()] * 4, 1),  # three wasted calls
        ([failing()] * 3, 0),
        ([failing()] * 4, 1),  # four times the same failure
        ([get(a=1), get(a=2)] * 2, 0),
        ([get(a=1), get(a=2)] * 3, 1),
        ([get("1", a=1), get("2", a=2), get("3", a=1), get("4", a=2), get("5", a=1), get("6", a=2)], 0),
        ([call("poll", result="wait")] * 9, 0),
        ([get(a=n) for n in range(9)], 0),
        ([call("set_a", result="ok"), call("set_b", result="ok")] * 3, 1),
        ([], 0),
    ],
)
def test_loop(calls: list[ToolCall], loops: int) -> None:
    graded = grade(case({**ANY, "poll": ["poll"]}), trial(*calls, answer="y"))
    assert value(graded, "loop") == loops
    if loops:
        assert graded.failure in ("infinite_loop", "tool_execution")
        assert graded.scores["loop"].reason.startswith("step ")


def test_a_cycle_is_named_by_its_first_step() -> None:
    calls = [call("login", result="ok"), *([get(a=1), get(a=2)] * 3)]
    graded = grade(case(ANY), trial(*calls, answer="x"))
    assert graded.scores["loop"].reason == (
        "step 2: a cycle of 2 calls from `get_x(a=1)` occurs 3 times in a row with unchanged results"
    )


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("update_order", True), ("sendMail", True), ("db.insert", True), ("DELETE", True), ("createHTTPRoute", True),
        ("get_updates", False), ("search", False), ("", False), ("list-orders", False), ("status", False),
    ],
)  # fmt: skip
def test_what_a_tool_says_of_itself(name: str, changes: bool) -> None:
    assert may_change(name) is changes


def test_an_agent_that_reports_no_messages_has_no_known_calls() -> None:
    """The conversation that gatebot itself keeps says nothing of the calls: unknown is not none."""
    ran = trial(answer="x")
    silent = replace(ran, trajectory=replace(ran.trajectory, format="none"))
    for optimal in (2, 0):
        graded = grade(case({**ANY, "optimal_steps": optimal}), silent)
        assert graded.passed is True
        for name in ("convergence", "tool_calls", "turns", "unique_tools", "duplicate_calls", "loop"):
            assert graded.scores[name] == Score(None, NOT_REPORTED), name
