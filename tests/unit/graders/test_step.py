"""param_accuracy: right keys over all keys, in the pairing that is best for the agent."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatebot.graders import step
from gatebot.graders.step import param_accuracy
from gatebot.graders.trajectory import pair
from gatebot.model.score import Score
from gatebot.model.suite import ExpectedCall
from gatebot.model.trajectory import ToolCall
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
    unknown_call,
)


def scored(items: list[Item], calls: list[ToolCall]) -> Score:
    reference, steps = prepared(*items), steps_of(*calls)
    return param_accuracy(reference, steps, pair(reference, steps))


@pytest.mark.parametrize(
    ("items", "calls", "expected"),
    [
        ([("t", {})], [call("t")], 1.0),
        ([("t", {"a": 1})], [call("t", {"a": 1})], 1.0),
        ([("t", {"a": 1, "b": 2})], [call("t", {"a": 1, "b": 3})], 0.5),
        ([("t", {"a": 1})], [call("t", {"a": 1, "b": 3})], 0.5),  # an invented key lowers it
        ([("t", {"a": 1, "b": 2})], [call("t", {"a": 1})], 0.5),
        ([("t", {"a": 1})], [call("t", {"a": True})], 0.0),
        ([("t", {"a": 1})], [call("t")], 0.0),
        ([("t", {"a": 1})], [call("u", {"a": 1})], 0.0),  # expected calls but no pair
        ([("t", {"a": 1})], [], 0.0),
        ([], [call("t")], None),
        ([], [], None),
        ([("t", None)], [call("t", {"z": 1})], None),
        ([("t", {"a": 1})], [unknown_call("t")], None),
        ([("t", {"a": 1})], [unknown_call("t"), call("t", {"a": 1})], 1.0),
        ([("t", {"a": 1})], [call("t", arguments_error="bad", raw_arguments="{")], 0.0),
        # Assignment, not greedy: the first call is the better partner of the second golden call.
        (
            [("t", {"a": 1, "b": 1}), ("t", {"a": 1, "b": 2})],
            [call("t", {"a": 1, "b": 2}), call("t", {"a": 1})],
            0.75,
        ),
        ([("t", {"a": 1}), ("u", {"a": 1})], [call("t", {"a": 1})], 1.0),
        ([("t", {"a": 1})], [call("t", {"a": 2}), call("t", {"a": 1})], 1.0),
    ],
)
def test_param_accuracy(items: list[Item], calls: list[ToolCall], expected: float | None) -> None:
    score = scored(items, calls)
    assert score.value == expected
    assert bool(score.reason) is (expected != 1.0)


def test_ignored_fields_are_in_neither_side_and_modes_forgive_nothing() -> None:
    expect: Written = {"trajectory": {"args": {"t": {"q": "ignore"}, "u": "ignore", "v": "superset"}}}
    made = case(expect, golden(("t", {"q": 1, "n": 1}), ("u", {"q": 1}), ("v", {"a": 1})))
    graded = grade(made, trial(call("t", {"q": 2, "n": 1}), call("u", {"q": 9}), call("v", {"a": 1, "b": 1})))
    assert graded.passed is True
    assert graded.scores["param_accuracy"].value == 0.75  # t 1, u not compared, v 1 of 2 keys


def test_reasons_name_every_fault() -> None:
    score = scored(
        [("t", {"a": 1, "b": "x", "c": {"d": 1}})], [call("t", {"a": "1", "c": {"d": 2}, "e": None})]
    )
    assert score.value == 0.0
    assert score.reason == (
        'step 1: expected `t(a=1, b="x", c={"d": 1})`, got `t(a="1", c={"d": 2}, e=null)`: '
        'a is "1" (string instead of number), expected 1; b is missing, expected "x"; '
        "c.d is 2, expected 1; 1 more keys differ"
    )
    malformed = scored([("t", {"a": 1})], [call("t", arguments_error="line 1", raw_arguments="{")])
    assert malformed.reason.endswith("malformed_args: the arguments could not be parsed")


ARGUMENTS = st.dictionaries(st.sampled_from("xyz"), st.integers(0, 1), max_size=3)


@pytest.mark.parametrize("many", [0, 100])
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    expected=st.lists(ARGUMENTS, min_size=1, max_size=4), actual=st.lists(ARGUMENTS, min_size=1, max_size=4)
)
def test_no_pairing_is_better(
    many: int, expected: list[dict[str, int]], actual: list[dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step, "MANY_CALLS", many)  # 0: calls worth the same are thinned out first

    def share(one: dict[str, int], other: dict[str, int]) -> float:
        union = set(one) | set(other)
        return sum(one.get(key) == other.get(key) for key in union) / len(union) if union else 1.0

    count = min(len(expected), len(actual))
    best = max(
        sum(share(one, other) for one, other in zip(rows, columns, strict=True))
        for rows in itertools.combinations(expected, count)
        for columns in itertools.permutations(actual, count)
    )
    score = scored([("t", dict(one)) for one in expected], [call("t", dict(other)) for other in actual])
    assert score.value == pytest.approx(best / count)


def test_alternatives_are_compared_with_the_option_of_the_tool_called() -> None:
    either = ExpectedCall("a", {"k": 1}, 0, alternatives=(("b", {"k": 2}),))
    assert scored([either], [call("b", {"k": 2})]).value == 1.0
    assert scored([either], [call("b", {"k": 1})]).value == 0.0
