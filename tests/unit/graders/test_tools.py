"""Names alone: overlap, selection, order, required and forbidden tools, each with its edges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.graders.tools import NAME_METRICS, name_scores
from gatebot.model.suite import ExpectedCall
from tests.unit.graders.trials import call, case, grade, prepared, steps_of, trial, value


@pytest.mark.parametrize(
    ("expected", "made", "values"),
    [
        ("", "", (1, 1, 1, 1, 1, 1, 1)),
        ("a", "", (0, 0, 0, 0, 0, 0, 0)),
        ("", "a", (0, 0, 0, 0, 0, 0, 0)),
        ("ab", "ab", (1, 1, 1, 1, 1, 1, 1)),
        ("a", "aaaaaaaaaa", (0.1, 1, 0.1, 1, 2 / 11, 0.1, 2 / 11)),
        ("ab", "ba", (1, 1, 1, 1, 1, 0.5, 0.5)),  # OSA: a swap of neighbours is one edit
        ("abc", "axbc", (0.75, 0.75, 0.75, 1, 6 / 7, 0.75, 6 / 7)),
        ("abc", "ac", (2 / 3, 2 / 3, 1, 2 / 3, 0.8, 2 / 3, 0.8)),
        ("ab", "cd", (0, 0, 0, 0, 0, 0, 0)),
        ("aab", "abb", (0.5, 1, 2 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3)),
    ],
)
def test_name_metrics(expected: str, made: str, values: tuple[float, ...]) -> None:
    """In the order of NAME_METRICS: overlap (multiset, set), precision, recall, F1, order, in order."""
    scores = name_scores(prepared(*expected), steps_of(*map(call, made)))
    assert [scores[name].value for name in NAME_METRICS] == pytest.approx(values)
    assert all(score.reason for score in scores.values() if score.value != 1)


def test_parallel_calls_have_no_order() -> None:
    scores = name_scores(prepared("z", [("a", {}), ("b", {})]), steps_of(call("z"), [call("b"), call("a")]))
    assert scores["order"].value == 1
    scores = name_scores(prepared("a", "b"), steps_of([call("b"), call("a")]))
    assert scores["order"].value == 1


def test_optional_calls_count_only_where_made_and_alternatives_by_the_name_called() -> None:
    reference = prepared(
        ExpectedCall("a", {}, 0, optional=True), ExpectedCall("b", {}, 1, alternatives=(("c", None),))
    )
    for made in (["b"], ["c"], ["a", "c"]):
        scores = name_scores(reference, steps_of(*map(call, made)))
        assert {scores[name].value for name in NAME_METRICS} == {1.0}
    assert name_scores(reference, steps_of(call("a")))["tool_recall"].value == 0.5


def test_required_tools() -> None:
    made = case({"require": ["search", "book"]})
    assert value(grade(made, trial(call("book"), call("search"))), "required_tools") == 1
    missing = grade(made, trial(call("search")))
    assert value(missing, "required_tools") == 0
    assert missing.checks[0].reason == "required tool not called: book; called: search"
    assert missing.failure == "tool_selection"
    assert (
        value(grade(made, trial(call("search"), call("book", raw_name="mcp__x__book"))), "required_tools")
        == 1
    )


def test_forbidden_tools_are_seen_under_either_name() -> None:
    made = case({"forbid": ["mcp__gh__delete_repo"]})
    graded = grade(made, trial(call("delete_repo", {"name": "x"}, raw_name="mcp__gh__delete_repo")))
    assert value(graded, "forbidden_tools") == 0
    assert graded.failure == "forbidden_tool"
    assert graded.failure_reason == 'step 1: forbidden tool called: `delete_repo(name="x")`'
    assert value(grade(made, trial(call("list_repos"))), "forbidden_tools") == 1


def test_metrics_of_tools_are_not_looked_at_unless_asked_for() -> None:
    graded = grade(case({"answer": {"contains": "x"}}), trial(answer="x"))
    assert not {"required_tools", "forbidden_tools", "tool_iou", "trajectory_match"} & set(graded.scores)


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_every_value_lies_in_the_unit_interval_and_is_one_for_equals(one: str, other: str) -> None:
    scores = name_scores(prepared(*one), steps_of(*map(call, other)))
    assert all(score.value is not None and 0 <= score.value <= 1 for score in scores.values())
    if sorted(one) == sorted(other):
        assert scores["tool_iou"].value == scores["tool_selection"].value == 1
