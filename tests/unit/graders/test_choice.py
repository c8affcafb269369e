"""tool_choice: at each step, given the steps before it, was the tool an allowed one."""

from __future__ import annotations

import pytest

from gatebot.graders.choice import tool_choice
from gatebot.model.suite import ExpectedCall
from tests.unit.graders.trials import (
    Item,
    Written,
    call,
    case,
    golden,
    grade,
    prepared,
    steps_of,
    trial,
    value,
)


@pytest.mark.parametrize(
    ("items", "made", "ordered", "share"),
    [
        ([], "", False, 1.0),
        (["a"], "", False, 0.0),
        ([], "a", False, 0.0),
        (["a", "b"], "ab", True, 1.0),
        (["a", "b"], "ba", True, 0.5),
        (["a", "b"], "ba", False, 1.0),
        (["a", "b"], "aab", True, 2 / 3),
        (["a"], "aaaa", False, 0.25),
        (["a", "b"], "xab", False, 2 / 3),
        ([[("a", {}), ("b", {})], "c"], "bac", True, 1.0),
        ([[("a", {}), ("b", {})], "c"], "cab", True, 2 / 3),
        ([ExpectedCall("a", {}, 0, optional=True), ExpectedCall("b", {}, 1)], "b", True, 1.0),
        ([ExpectedCall("a", {}, 0, optional=True), ExpectedCall("b", {}, 1)], "ba", True, 0.5),
        ([ExpectedCall("a", {}, 0, alternatives=(("b", None),)), ExpectedCall("b", {}, 0)], "ba", False, 1.0),
        ([ExpectedCall("a", {}, 0, id="1"), ExpectedCall("b", {}, 1, after=("1",))], "ba", False, 0.5),
    ],
)
def test_tool_choice(items: list[Item], made: str, ordered: bool, share: float) -> None:
    score = tool_choice(prepared(*items), steps_of(*map(call, made)), ordered=ordered)
    assert score.value == pytest.approx(share)
    assert bool(score.reason) is (share < 1)


def test_the_reason_names_step_expected_and_got() -> None:
    score = tool_choice(prepared("a", "b"), steps_of(call("a"), call("c"), call("b")), ordered=True)
    assert score.reason == "step 2: expected b, got `c()`"
    score = tool_choice(prepared("a"), steps_of(call("a"), call("a")), ordered=True)
    assert score.reason == "step 2: expected no further tool, got `a()`"


def test_polling_is_allowed_once_it_has_begun() -> None:
    expect: Written = {"poll": ["status"], "trajectory": {"match": "superset"}}
    graded = grade(
        case(expect, golden("start", "status")), trial(*map(call, ["start", "status", "status", "status"]))
    )
    assert value(graded, "tool_choice") == 1.0


def test_a_forbidden_tool_is_never_an_allowed_one() -> None:
    either = ExpectedCall("a", None, 0, alternatives=(("b", None),))
    made = steps_of(call("b"), call("c"))
    score = tool_choice(prepared(either, "c"), made, ordered=True, never=("b",))
    assert (score.value, score.reason) == (0.5, "step 1: expected c, got `b()`, which is forbidden")
    assert tool_choice(prepared("b", "c"), made, ordered=False, never=("b",)).value == 0.5
    assert tool_choice(prepared(either, "c"), made, ordered=True, never=("x",)).value == 1.0
