"""trajectory_match and trajectory_credit: four modes, four argument modes, groups, options, unknown arguments."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatebot.graders.trajectory import judge
from gatebot.model.case import ArgsMode, MatchMode
from gatebot.model.suite import ExpectedCall, Reference
from gatebot.model.trajectory import ToolCall
from tests.unit.graders.trials import (
    Item,
    Spec,
    Written,
    call,
    case,
    golden,
    grade,
    prepared,
    steps_of,
    trial,
    unknown_call,
    value,
)

A: Spec = ("a", {"k": 1})
B: Spec = ("b", {"k": 2})
C: Spec = ("c", {"k": 3})
Turn = ToolCall | list[ToolCall]


def made(*names: str | list[str]) -> list[Turn]:
    """Calls of A, B, C by name, nested lists being parallel."""
    known: dict[str, Written] = {"a": {"k": 1}, "b": {"k": 2}, "c": {"k": 3}}
    return [
        [call(name, dict(known[name])) for name in item]
        if isinstance(item, list)
        else call(item, dict(known[item]))
        for item in names
    ]


@pytest.mark.parametrize(
    ("items", "turns", "strict", "unordered", "superset", "subset"),
    [
        ([A, B], made("a", "b"), True, True, True, True),
        ([A, B], made("b", "a"), False, True, True, True),
        ([A, B], made("a"), False, False, False, True),
        ([A, B], made("a", "b", "c"), False, False, True, False),
        ([A, B], made("a", "b", "b"), False, False, True, False),
        ([A, A], made("a"), False, False, False, True),
        ([A, B], made("c"), False, False, False, False),
        (
            [A, B],
            made(["a", "b"]),
            False,
            True,
            True,
            True,
        ),  # parallel where the golden says one after the other
        ([[A, B]], made(["b", "a"]), True, True, True, True),
        ([[A, B]], made("b", "a"), True, True, True, True),  # may run in parallel, need not
        ([[A, B], C], made("b", "a", "c"), True, True, True, True),
        ([[A, B], C], made("b", ["a", "c"]), False, True, True, True),
        ([[A, B], C], made("b", "c", "a"), False, True, True, True),
        ([A], [], False, False, False, None),  # an empty run does not pass subset silently
        ([], made("a"), False, False, None, False),  # nor an empty golden superset
        ([], [], True, True, None, True),
        ([("a", {})], [call("a")], True, True, True, True),
        ([("a", None)], [call("a", {"any": 1})], True, True, True, True),
    ],
)
def test_modes(
    items: list[Item],
    turns: list[Turn],
    strict: bool | None,
    unordered: bool | None,
    superset: bool | None,
    subset: bool | None,
) -> None:
    reference, steps = prepared(*items), steps_of(*turns)
    verdicts = [
        judge(reference, steps, mode).passed for mode in ("strict", "unordered", "superset", "subset")
    ]
    assert verdicts == [strict, unordered, superset, subset]


@pytest.mark.parametrize(
    ("expected", "got", "exact", "ignore", "subset", "superset"),
    [
        ({"k": 1}, {"k": 1}, True, True, True, True),
        ({"k": 1}, {"k": 1.0}, True, True, True, True),
        ({"k": 1}, {"k": True}, False, True, False, False),
        ({"k": 1}, {"k": "1"}, False, True, False, False),
        ({"k": 1}, {"k": 1, "l": 2}, False, True, False, True),
        ({"k": 1, "l": 2}, {"k": 1}, False, True, True, False),
        ({"k": 1}, {}, False, True, True, False),
        ({}, {"k": 1}, False, True, False, True),
        ({"k": {"x": 1, "y": 2}}, {"k": {"y": 2, "x": 1}}, True, True, True, True),
        ({"k": None}, {}, False, True, True, False),
    ],
)
def test_argument_modes(
    expected: Written,
    got: Written,
    exact: bool,
    ignore: bool,
    subset: bool,
    superset: bool,
) -> None:
    def verdict(args: ArgsMode) -> bool | None:
        return judge(prepared(("t", expected), args=args), steps_of(call("t", got)), "unordered").passed

    assert [verdict(a) for a in ("exact", "ignore", "subset", "superset")] == [
        exact,
        ignore,
        subset,
        superset,
    ]


@pytest.mark.parametrize(
    ("rule", "expected", "got", "passes"),
    [
        ({"q": "ignore"}, {"q": 1}, {"q": 2}, True),
        ({"q": "ignore"}, {"q": 1}, {}, True),
        ({"q": "ignore"}, {}, {"q": 2}, True),
        ({"q": "ignore"}, {"q": 1, "n": 1}, {"q": 1, "n": 2}, False),
        ({"q": "any"}, {"q": 1}, {"q": [2]}, True),
        ({"q": "any"}, {"q": 1}, {}, False),
        ({"q": "any"}, {}, {"q": 1}, True),
        ({"q": "case_insensitive"}, {"q": "SLA  Uptime"}, {"q": "sla uptime"}, True),
        ({"q": "case_insensitive"}, {"q": "sla"}, {"q": "slo"}, False),
        ({"q": "unordered"}, {"q": [1, 2]}, {"q": [2, 1]}, True),
        ({"q": "unordered"}, {"q": [1, 2]}, {"q": [2, 2]}, False),
        ({"q": {"regex": "^SLA"}}, {"q": "x"}, {"q": "SLA uptime"}, True),
        ({"q": {"regex": "^SLA$"}}, {"q": "x"}, {"q": "SLA uptime"}, False),
        ({"q": {"regex": "^SLA"}}, {}, {"q": "SLA"}, True),
        ({"q": {"regex": r"^\d+$"}}, {"q": "x"}, {"q": 12}, True),
        ({"q": {"tolerance": 0.5}}, {"q": 10}, {"q": 10.5}, True),
        ({"q": {"tolerance": 0.5}}, {"q": 10}, {"q": 11}, False),
        ({"q": {"tolerance": 1}}, {"q": 1}, {"q": True}, False),
        ({"q": {"one_of": ["a", 1]}}, {"q": "x"}, {"q": 1}, True),
        ({"q": {"one_of": ["a", 1]}}, {"q": "x"}, {"q": True}, False),
        ({"f.date": "ignore"}, {"f": {"date": 1, "n": 2}}, {"f": {"date": 9, "n": 2}}, True),
        ({"f.date": "ignore"}, {"f": {"date": 1, "n": 2}}, {"f": {"date": 9, "n": 3}}, False),
        ({"f.date": "any"}, {"f": {"date": 1}}, {"f": {}}, False),
        ({"l.0": "ignore"}, {"l": [1, 2]}, {"l": [9, 2]}, True),
        ({"l.*.id": "ignore"}, {"l": [{"id": 1, "n": 1}]}, {"l": [{"id": 2, "n": 1}]}, True),
        ({"l.*.id": "ignore"}, {"l": [{"id": 1, "n": 1}]}, {"l": [{"id": 2, "n": 2}]}, False),
        ({"f.date": "ignore"}, {"f": 1}, {"f": 1}, True),
        ({"f.date": "ignore"}, {"f": 1}, {"f": 2}, False),
    ],
)
def test_field_rules(rule: Written, expected: Written, got: Written, passes: bool) -> None:
    graded = grade(
        case({"trajectory": {"match": "strict", "args": {"t": rule}}}, golden(("t", expected))),
        trial(call("t", got)),
    )
    assert graded.passed is passes


def test_overrides_name_tools_and_star_means_every_other() -> None:
    expect: Written = {"trajectory": {"args": {"a": "ignore", "*": "superset"}}}
    made_case = case(expect, golden(("a", {"k": 1}), ("b", {"k": 1})))
    assert grade(made_case, trial(call("a", {"z": 0}), call("b", {"k": 1, "l": 2}))).passed is True
    assert grade(made_case, trial(call("a", {"z": 0}), call("b", {"k": 2}))).passed is False


def test_greedy_would_fail_here() -> None:
    reference = prepared(("s", {}), ("s", {"q": 1}), args="superset")
    steps = steps_of(call("s", {"q": 1}), call("s", {"q": 2}))
    assert judge(reference, steps, "superset").passed is True


def optional(name: str, group: int) -> ExpectedCall:
    return ExpectedCall(name, {}, group, optional=True)


@pytest.mark.parametrize(
    ("turns", "verdicts"),
    [
        ([call("a"), call("b")], [True, True, True, True]),
        ([call("b")], [True, True, True, True]),
        ([call("a")], [False, False, False, True]),
        ([call("b"), call("a")], [False, True, True, True]),
        ([call("a"), call("a"), call("b")], [False, False, True, False]),
    ],
)
def test_optional_calls(turns: list[Turn], verdicts: list[bool]) -> None:
    reference = prepared(optional("a", 0), ExpectedCall("b", {}, 1))
    steps = steps_of(*turns)
    modes: tuple[MatchMode, ...] = ("strict", "unordered", "superset", "subset")
    assert [judge(reference, steps, mode).passed for mode in modes] == verdicts


def test_optional_calls_never_take_what_a_required_one_needs() -> None:
    reference = prepared(optional("a", 0), ExpectedCall("a", {}, 1))
    assert judge(reference, steps_of(call("a")), "superset").passed is True
    assert judge(reference, steps_of(call("a")), "strict").passed is True


def test_alternatives() -> None:
    either = ExpectedCall("a", {"k": 1}, 0, alternatives=(("b", None), ("c", {"k": 3})))
    reference = prepared(either)
    for good in (call("a", {"k": 1}), call("b", {"z": 1}), call("c", {"k": 3})):
        assert judge(reference, steps_of(good), "strict").passed is True
    for bad in (call("a", {"k": 2}), call("c"), call("d")):
        assert judge(reference, steps_of(bad), "strict").passed is False


@pytest.mark.parametrize(
    ("turns", "passes"),
    [
        ([call("read"), call("note"), call("write")], True),
        ([call("note"), call("read"), call("write")], True),
        ([call("write"), call("read"), call("note")], False),
        ([[call("read"), call("write")], call("note")], False),  # in one turn is not after
        (
            [call("write"), call("read"), call("write"), call("note")],
            True,
        ),  # superset: the second write is after
    ],
)
def test_partial_order(turns: list[Turn], passes: bool) -> None:
    calls = (
        ExpectedCall("read", {}, 0, id="r"),
        ExpectedCall("write", {}, 1, after=("r",)),
        ExpectedCall("note", {}, 2),
    )
    graded = grade(case({"trajectory": {"match": "superset"}}, calls), trial(*turns))
    assert graded.passed is passes
    if not passes:
        assert graded.divergence is not None
        assert graded.divergence.kind == "out_of_order"


def test_too_many_orders_are_a_grader_fault() -> None:
    calls = (
        *(ExpectedCall("w", {}, 0, id=f"w{index}") for index in range(9)),
        ExpectedCall("r", {}, 1, after=tuple(f"w{index}" for index in range(6))),
    )
    graded = grade(case({}, calls), trial(call("r"), *(call("w") for _ in range(9))))
    assert graded.passed is False
    assert graded.scores["trajectory_match"].fault
    assert graded.scores["trajectory_match"].value == 0.0


@pytest.mark.parametrize(
    ("mode", "turns", "expected"),
    [
        ("superset", [unknown_call("t")], None),
        ("superset", [unknown_call("t"), call("t", {"k": 1})], True),
        ("superset", [unknown_call("u")], False),
        ("strict", [unknown_call("t")], None),
        ("strict", [unknown_call("t"), call("u")], False),
        ("superset", [call("t", arguments_error="bad JSON", raw_arguments="{")], False),
    ],
)
def test_unknown_arguments_give_no_verdict_only_where_it_hangs_on_them(
    mode: MatchMode, turns: list[Turn], expected: bool | None
) -> None:
    graded = grade(case({"trajectory": {"match": mode}}, golden(("t", {"k": 1}))), trial(*turns))
    assert value(graded, "trajectory_match") == (None if expected is None else float(expected))
    assert graded.passed is (expected is True)


def test_malformed_arguments_match_where_arguments_are_ignored() -> None:
    broken = call("t", arguments_error="bad JSON", raw_arguments="")
    assert judge(prepared(("t", {}), args="ignore"), steps_of(broken), "strict").passed is True
    assert judge(prepared(("t", {})), steps_of(broken), "strict").passed is False


def test_the_suite_default_grades_golden_calls_without_expect() -> None:
    graded = grade(case({}, golden(A, B)), trial(*made("b", "c", "a")))
    assert (graded.passed, value(graded, "trajectory_match")) == (True, 1.0)
    informs = grade(
        case({"trajectory": {"required": False}, "require": ["c"]}, golden(A, B)), trial(*made("c"))
    )
    assert (informs.passed, value(informs, "trajectory_match")) == (True, 0.0)


def test_the_best_variant_counts_as_a_whole() -> None:
    made_case = case(
        {"answer": {"exact": True}}, golden(A), answer="one", variants=(Reference(golden(B), answer="two"),)
    )
    assert grade(made_case, trial(*made("a"), answer="one")).passed is True
    assert grade(made_case, trial(*made("b"), answer="two")).passed is True
    assert grade(made_case, trial(*made("b"), answer="one")).passed is False
    inherits = case({"answer": {"exact": True}}, golden(A), answer="one", variants=(Reference(golden(B)),))
    assert grade(inherits, trial(*made("b"), answer="one")).passed is True


@pytest.mark.parametrize(
    ("turns", "credit"),
    [(made("a", "b"), 1.0), (made("a"), 0.5), (made("c"), 0.0), ([], 0.0), (made("b", "b", "b"), 0.5)],
)
def test_credit(turns: list[Turn], credit: float) -> None:
    assert value(grade(case({}, golden(A, B)), trial(*turns)), "trajectory_credit") == credit


def test_credit_without_golden_calls_is_ungraded() -> None:
    graded = grade(case({"answer": {"contains": "x"}}, ()), trial(answer="x"))
    assert value(graded, "trajectory_credit") is None
    assert value(graded, "trajectory_match") is None
    assert graded.passed is True  # a check that every run would pass is not made


CALLS = st.lists(
    st.tuples(st.sampled_from("ab"), st.dictionaries(st.sampled_from("xy"), st.integers(0, 1))), max_size=4
)


@settings(max_examples=150)
@given(CALLS, CALLS, st.sampled_from(["exact", "ignore", "subset", "superset"]))
def test_verdicts_equal_trying_every_assignment(
    expected: list[tuple[str, dict[str, int]]], actual: list[tuple[str, dict[str, int]]], args: ArgsMode
) -> None:
    reference = prepared(
        *[ExpectedCall(name, dict(a), at) for at, (name, a) in enumerate(expected)], args=args
    )
    steps = steps_of(*[call(name, dict(a)) for name, a in actual])

    def will_do(one: tuple[str, dict[str, int]], other: tuple[str, dict[str, int]]) -> bool:
        small, large = (other[1], one[1]) if args == "subset" else (one[1], other[1])
        fits = args == "ignore" or (small == large if args == "exact" else small.items() <= large.items())
        return one[0] == other[0] and fits

    size = 0
    for count in range(min(len(expected), len(actual)), 0, -1):
        assignments = itertools.product(
            itertools.combinations(range(len(expected)), count),
            itertools.permutations(range(len(actual)), count),
        )
        if any(
            all(will_do(expected[e], actual[a]) for e, a in zip(es, made_, strict=True))
            for es, made_ in assignments
        ):
            size = count
            break
    fit = judge(reference, steps, "superset")
    assert sum(index >= 0 for index in fit.partner) == size
    if expected:
        assert fit.passed is (size == len(expected))
        assert fit.credit(reference) == size / len(expected)
    if expected and actual:
        assert judge(reference, steps, "subset").passed is (size == len(actual))
    assert judge(reference, steps, "unordered").passed is (size == len(expected) == len(actual))
    in_place = len(expected) == len(actual) and all(map(will_do, expected, actual))
    assert judge(reference, steps, "strict").passed is in_place
