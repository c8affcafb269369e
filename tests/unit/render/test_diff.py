"""The trajectory diff: which calls pair, and what a reader is told."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gatebot.model.suite import ExpectedCall, Reference
from gatebot.model.trajectory import ToolCall
from gatebot.render.alignment import Arguments, align
from gatebot.render.diff import CaseDiff, DiffRules, trajectory_diff
from tests.unit.render.trajectories import call, golden, trajectory

A, B, C = call("a", x=1), call("b", y="two"), call("c")


def told(diff: CaseDiff) -> list[str]:
    marks = {"title": "@", "same": " ", "missing": "-", "extra": "+", "note": "."}
    return [f"{marks[line.kind]}{line.text}" for line in diff.lines]


def test_a_base_like_the_golden_is_one_line() -> None:
    assert told(trajectory_diff(golden(A, B), trajectory(A, B), trajectory(A, C))) == [
        "@golden → base: the same 2 calls",
        "@golden → head",
        " a(x=1)",
        "+c()",
        '-b(y="two")',
    ]


def test_a_head_like_the_base_is_one_line() -> None:
    assert told(trajectory_diff(golden(A, B), trajectory(A), trajectory(A))) == [
        "@golden → base",
        " a(x=1)",
        '-b(y="two")',
        "@golden → head: the same calls as the base",
    ]


def test_a_wrong_argument_is_named() -> None:
    wrong = call("b", z=None, y="three")
    assert told(trajectory_diff(golden(A, B), None, trajectory(A, wrong))) == [
        "@golden → head",
        " a(x=1)",
        '-b(y="two")',
        '+b(y="three", z=null)  ← differs: y, z',
    ]


def test_the_cut_of_a_long_value_never_hides_the_difference() -> None:
    want, got = call("b", y="s" * 300 + "GOLDEN" + "t" * 300), call("b", y="s" * 300 + "HEAD" + "t" * 300)
    missing, extra = told(trajectory_diff(golden(want), None, trajectory(got)))[1:]
    assert "GOLDEN" in missing
    assert "HEAD" in extra
    assert "more characters)" in missing
    assert len(missing) < 200


def test_the_case_decides_what_equal_arguments_are() -> None:
    def ignoring(_name: str, _expected: Arguments, _actual: Arguments) -> bool:
        return True

    diff = trajectory_diff(
        golden(B), None, trajectory(call("b", y="other")), DiffRules(same_arguments=ignoring)
    )
    assert [line.kind for line in diff.lines] == ["title", "same"]


def test_an_error_and_unreadable_arguments_are_shown() -> None:
    failed = replace(A, is_error=True, result="503\nunavailable")
    garbled = ToolCall("1", "b", None, raw_arguments='{"y": ', arguments_error="cut off")
    lines = told(trajectory_diff(golden(A, B), None, trajectory(failed, garbled)))
    assert " a(x=1)  → error: 503 unavailable" in lines
    assert '+b({"y": )  ← arguments not readable' in lines


def test_a_call_out_of_order_is_told_where_order_matters() -> None:
    strict = told(trajectory_diff(golden(A, B), None, trajectory(B, A)))
    assert any(line.endswith("← out of order") for line in strict)
    loose = trajectory_diff(golden(A, B), None, trajectory(B, A), DiffRules(any_order=True))
    assert {line.kind for line in loose.lines} == {"title", "same"}


def test_calls_of_one_group_may_come_in_any_order() -> None:
    parallel = Reference(
        (ExpectedCall("a", {"x": 1}, 0), ExpectedCall("b", {"y": "two"}, 0), ExpectedCall("c", {}, 1))
    )
    diff = trajectory_diff(parallel, None, trajectory(B, A, C))
    assert {line.kind for line in diff.lines} == {"title", "same"}
    assert any("out of order" in line for line in told(trajectory_diff(parallel, None, trajectory(C, A, B))))


def test_equal_calls_of_one_group_are_paired_before_similar_ones() -> None:
    two, three = call("b", y="two"), call("b", y="three")
    steps = [ExpectedCall("b", one.arguments, 0) for one in (two, three)]
    assert [pair.kind for pair in align(steps, [three, two])] == ["same", "same"]
    assert [pair.kind for pair in align(steps, [three])] == ["missing", "same"]


def test_an_optional_call_is_not_missed_and_an_alternative_will_do() -> None:
    reference = Reference(
        (ExpectedCall("a", {"x": 1}, 0, optional=True), ExpectedCall("b", None, 1, alternatives=(("c", {}),)))
    )
    assert told(trajectory_diff(reference, None, trajectory(C)))[1:] == [" c()"]


def test_without_golden_calls_the_base_is_the_measure() -> None:
    assert told(trajectory_diff(Reference(None, "fine"), trajectory(A, B), trajectory(A, answer="hm"))) == [
        "@base → head",
        " a(x=1)",
        '-b(y="two")',
        "@answers",
        ".golden  fine",
        ".head    hm",
    ]
    assert told(trajectory_diff(None, None, trajectory(A))) == ["@head", " a(x=1)"]
    assert trajectory_diff(None, None, None).lines == ()


def test_an_answer_both_sides_give_is_shown_once() -> None:
    diff = trajectory_diff(
        golden(A, answer="yes"), trajectory(A, answer="well"), trajectory(A, answer="well")
    )
    assert told(diff)[-2:] == [".golden      yes", ".base, head  well"]


def test_no_calls_where_none_were_expected_is_said() -> None:
    assert told(trajectory_diff(golden(), None, trajectory())) == ["@golden → head", ".no calls, as expected"]


def test_very_long_trajectories_are_bounded_and_say_so() -> None:
    lines = told(trajectory_diff(golden(A), None, trajectory(*[B] * 450)))
    assert len(lines) < 210
    assert ".… 250 more calls not compared" in lines


CALLS = st.lists(st.sampled_from([A, B, C, call("b", y="three")]), max_size=7)


@given(CALLS, CALLS, st.booleans())
def test_every_call_appears_once_and_equal_lists_are_the_same(
    want: list[ToolCall], got: list[ToolCall], any_order: bool
) -> None:
    steps = [ExpectedCall(one.name, one.arguments, group, id=str(group)) for group, one in enumerate(want)]
    parallel = [replace(step, group=0) for step in steps]
    for golden_calls in (steps, parallel):
        pairs = align(golden_calls, got, any_order=any_order)
        assert [pair.actual for pair in pairs if pair.actual is not None] == got
        paired = [pair.expected.id or "" for pair in pairs if pair.expected is not None]
        assert sorted(paired) == [str(number) for number in range(len(steps))]
    pairs = align(steps, got, any_order=any_order)
    same = all(pair.kind == "same" for pair in pairs)
    key = sorted if any_order else list
    assert same == (key(map(str, _keys(want))) == key(map(str, _keys(got))))


def _keys(calls: list[ToolCall]) -> list[tuple[str, Arguments]]:
    return [(one.name, one.arguments) for one in calls]
