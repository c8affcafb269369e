"""The final state: equal or contained, ignored paths, tolerance, order, assertions."""

from __future__ import annotations

import pytest

from gatebot.graders.difference import Comparison, TooManyComparisonsError
from gatebot.graders.state import violated
from gatebot.model.case import StateAssertion
from gatebot.model.json_value import JsonValue
from tests.unit.graders.trials import Written, case, grade, trial, value


@pytest.mark.parametrize(
    ("how", "expected", "got", "passes"),
    [
        ({}, {"a": 1}, {"a": 1}, True),
        ({}, {"a": 1}, {"a": True}, False),
        ({}, {"a": 1}, {"a": 1, "b": 2}, False),
        ({"mode": "subset"}, {"a": 1}, {"a": 1, "b": 2}, True),
        ({"mode": "subset"}, {"a": 1}, {"b": 2}, False),
        ({"ignore": ["b"]}, {"a": 1}, {"a": 1, "b": 2}, True),
        (
            {"ignore": ["orders.*.at"]},
            {"orders": [{"id": 1, "at": 5}]},
            {"orders": [{"id": 1, "at": 6}]},
            True,
        ),
        (
            {"ignore": ["orders.*.at"]},
            {"orders": [{"id": 1, "at": 5}]},
            {"orders": [{"id": 2, "at": 6}]},
            False,
        ),
        ({"tolerance": 0.01}, {"a": 1.0}, {"a": 1.005}, True),
        ({"tolerance": 0.01}, {"a": 1.0}, {"a": 1.02}, False),
        ({"tolerance": 1}, {"a": 1}, {"a": True}, False),
        ({}, {"a": [1, 2]}, {"a": [2, 1]}, True),
        ({"ignore_order": False}, {"a": [1, 2]}, {"a": [2, 1]}, False),
        ({}, {"a": [1, 1, 2]}, {"a": [1, 2, 2]}, False),
        ({"tolerance": 0.06}, {"a": [1.0, 1.05]}, {"a": [1.0, 0.95]}, True),
        ({"mode": "subset"}, {"a": [{"x": 1}]}, {"a": [{"y": 2}, {"x": 1, "y": 2}]}, True),
        ({"assert": [{"path": "a", "op": ">=", "value": 2}]}, {"a": 2}, {"a": 2}, True),
        ({"assert": [{"path": "a", "op": ">", "value": 2}]}, {"a": 2}, {"a": 2}, False),
        ({"assert": [{"path": "a", "op": "exists"}]}, None, {"a": None}, True),
        ({}, {}, {"a": 1}, False),
    ],
)
def test_state_match(how: Written, expected: JsonValue, got: JsonValue, passes: bool) -> None:
    graded = grade(case({"state": how}, state=expected, answer="needed for a golden"), trial(state=got))
    assert value(graded, "state_match") == float(passes)
    assert graded.passed is passes
    assert (graded.failure == "wrong_state") is not passes


def test_a_missing_state_is_ungraded_as_an_error_and_no_pass() -> None:
    graded = grade(case({"state": True}, state={"a": 1}), trial(answer="x"))
    assert graded.passed is False
    assert graded.scores["state_match"].value is None
    assert graded.scores["state_match"].reason == "error: the agent reported no final state"


def test_both_empty_is_ungraded_and_passes_nothing_alone() -> None:
    made = case({"state": True}, state={}, answer="x")
    alone = grade(made, trial(state={}))
    assert (alone.scores["state_match"].value, alone.passed) == (None, False)
    beside = grade(
        case({"state": True, "answer": {"exact": True}}, state={}, answer="x"), trial(state={}, answer="x")
    )
    assert (beside.scores["state_match"].value, beside.passed) == (None, True)


@pytest.mark.parametrize(
    ("path", "op", "wanted", "holds"),
    [
        ("orders.0.status", "==", "sent", True),
        ("orders.0.status", "!=", "sent", False),
        ("orders.1.status", "==", "sent", False),
        ("orders.1", "absent", None, True),
        ("orders.0", "absent", None, False),
        ("orders.0.total", "<", 31, True),
        ("orders.0.total", "<=", 30, True),
        ("orders.0.total", ">", "1", False),
        ("orders.0.total", "==", True, False),
        ("orders.0.tags", "contains", "vip", True),
        ("orders.0.tags", "contains", 1, False),
        ("orders.0.status", "contains", "en", True),
        ("orders.0", "contains", "status", True),
        ("a.b", "==", 5, True),
        ("orders.x", "exists", None, False),
        ("orders.-1", "exists", None, False),
        ("missing", "!=", 1, False),
    ],
)
def test_assertions(path: str, op: str, wanted: JsonValue, holds: bool) -> None:
    state: JsonValue = {"orders": [{"status": "sent", "total": 30.0, "tags": ["vip"]}], "a.b": 5}
    assertion = StateAssertion.model_validate({"path": path, "op": op, "value": wanted})
    assert (violated(assertion, state) == "") is holds


def test_the_difference_names_path_expected_and_got() -> None:
    def say(expected: JsonValue, got: JsonValue) -> str:
        return str(Comparison(ignore_order=True).first_difference(expected, got))

    assert say({"o": {"s": "sent"}}, {"o": {"s": "open"}}) == 'at o.s: expected "sent", got "open"'
    assert say({"n": 1}, {"n": True}) == "at n: expected 1, got true (boolean instead of number)"
    assert say({"n": 1}, {}) == "at n: expected 1, got nothing"
    assert say({}, {"n": 1}) == "at n: expected nothing, got 1"
    assert say({"l": [1, 2]}, {"l": [1]}) == "at l: expected 2 items, got 1 items"
    assert say({"l": [{"a": 1}, {"b": 2}]}, {"l": [{"b": 3}, {"a": 1}]}) == "at l.1.b: expected 2, got 3"
    assert say([1, 2, 3], [1, 4, 5]) == "at 1: expected 2, got no such item; left over: 4"


def test_hostile_lists_end_in_a_fault_not_in_a_wait() -> None:
    how = Comparison(tolerance=0.1, ignore_order=True)
    many: JsonValue = [{"a": index} for index in range(2_000)]
    others: JsonValue = [{"a": index + 0.5} for index in range(2_000)]
    with pytest.raises(TooManyComparisonsError):
        how.first_difference(many, others)
    graded = grade(case({"state": {"tolerance": 0.1}}, state=many), trial(state=others))
    assert graded.passed is False
    assert graded.scores["state_match"] == graded.scores["final_response"]
    assert graded.scores["state_match"].fault
    assert graded.scores["state_match"].value == 0.0


@pytest.mark.parametrize(
    ("expect", "changed", "said"),
    [
        ({"mode": "equal"}, {"refund": 30}, "at orders.A-1004.refund: expected nothing, got 30"),
        (
            {"mode": "subset", "assert": [{"path": "orders.A-1004.refund", "op": "absent"}]},
            {"refund": 30},
            "at orders.A-1004.refund: expected nothing, got 30",
        ),
        (
            {"mode": "subset", "assert": [{"path": "orders.A-1004.total", "op": "==", "value": 5}]},
            {"total": 6},
            "at orders.A-1004.total: expected == 5, got 6",
        ),
    ],
    ids=["equal", "absent", "stays"],
)
def test_a_forbidden_change_fails(expect: Written, changed: dict[str, JsonValue], said: str) -> None:
    """The order that nobody asked about: every way that the docs give to forbid a change of it."""
    paid: JsonValue = {"status": "refunded"}
    before: JsonValue = {"orders": {"A-1003": paid, "A-1004": {"total": 5}}}
    after: JsonValue = {"orders": {"A-1003": paid, "A-1004": {"total": 5, **changed}}}
    golden_state: JsonValue = before if expect["mode"] == "equal" else {"orders": {"A-1003": paid}}
    made = case({"state": expect}, state=golden_state)
    assert grade(made, trial(state=before)).passed is True
    graded = grade(made, trial(state=after))
    assert graded.passed is False
    assert said in graded.scores["state_match"].reason
