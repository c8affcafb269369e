"""The final state against the expected one, and assertions on single values of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from gatebot.graders.canonical import same
from gatebot.graders.difference import Comparison, is_number, within
from gatebot.graders.wording import clip, show_value
from gatebot.model.case import StateAssertion, StateExpectation
from gatebot.model.json_value import JsonValue, is_array, is_object

MISSING = object()


@dataclass(frozen=True, slots=True)
class StateVerdict:
    """`passed` None: could not be checked, or (`vacuous`) there was nothing to check."""

    passed: bool | None
    reason: str = ""
    vacuous: bool = False


def check_state(expectation: StateExpectation, expected: JsonValue, got: JsonValue) -> StateVerdict:
    """Whether the state is the expected one (None: none is written down) and every assertion holds.

    Edges: no state reported = could not be checked; expected and reported state both empty, and no assertion =
    nothing to check.
    """
    if got is None:
        return StateVerdict(None, "error: the agent reported no final state")
    for assertion in expectation.assertions:
        problem = violated(assertion, got)
        if problem:
            return StateVerdict(passed=False, reason=problem)
    if expected is None:
        if expectation.assertions:
            return StateVerdict(passed=True)
        return StateVerdict(None, "the golden has no state to compare with", vacuous=True)
    how = Comparison(
        subset=expectation.mode == "subset",
        tolerance=expectation.tolerance,
        ignore_order=expectation.ignore_order,
        ignore=expectation.ignore,
    )
    difference = how.first_difference(expected, got)
    if difference is not None:
        return StateVerdict(passed=False, reason=f"final state {difference}")
    if not expectation.assertions and _empty(expected) and _empty(got):
        return StateVerdict(None, "expected and final state are both empty", vacuous=True)
    return StateVerdict(passed=True)


def _empty(value: JsonValue) -> bool:
    return (is_object(value) or is_array(value)) and not value


def violated(assertion: StateAssertion, state: JsonValue) -> str:
    """Why the assertion does not hold, or an empty string. Values of different types are unequal and have no order."""
    found = value_at(state, assertion.path)
    wanted = cast("JsonValue", assertion.value)
    where = f"final state at {clip(assertion.path, 120)}"
    op = assertion.op
    if op == "absent":
        return (
            ""
            if found is MISSING
            else f"{where}: expected nothing, got {show_value(cast('JsonValue', found))}"
        )
    if op == "exists":
        return "" if found is not MISSING else f"{where}: expected a value, got nothing"
    if found is MISSING:
        return f"{where}: expected {op} {show_value(wanted)}, got nothing"
    got = cast("JsonValue", found)
    return (
        ""
        if _holds(op, got, wanted)
        else f"{where}: expected {op} {show_value(wanted)}, got {show_value(got)}"
    )


def _holds(op: str, got: JsonValue, wanted: JsonValue) -> bool:
    if op in ("==", "!="):
        equal = same(got, wanted) or (is_number(got) and is_number(wanted) and within(wanted, got, 0.0))
        return equal == (op == "==")
    if op == "contains":
        return _contains(got, wanted)
    return _ordered(op, got, wanted)


def _contains(got: JsonValue, wanted: JsonValue) -> bool:
    if isinstance(got, str):
        return isinstance(wanted, str) and wanted in got
    if is_object(got):
        return isinstance(wanted, str) and wanted in got
    return is_array(got) and any(same(item, wanted) for item in got)


def _ordered(op: str, got: JsonValue, wanted: JsonValue) -> bool:
    if isinstance(got, str) and isinstance(wanted, str):
        order = (got > wanted) - (got < wanted)
    elif (
        isinstance(got, int | float)
        and isinstance(wanted, int | float)
        and is_number(got)
        and is_number(wanted)
    ):
        if got != got or wanted != wanted:  # noqa: PLR0124 - NaN has no order
            return False
        order = (got > wanted) - (got < wanted)
    else:
        return False
    return {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[op]


def value_at(state: JsonValue, path: str) -> object:
    """The value at a dotted path with list indexes, or MISSING. A key that holds dots itself is found too."""
    node = state
    parts = path.split(".")
    position = 0
    while position < len(parts):
        if is_object(node):
            for end in range(len(parts), position, -1):
                key = ".".join(parts[position:end])
                if key in node:
                    node, position = node[key], end
                    break
            else:
                return MISSING
        elif is_array(node) and parts[position].isdecimal() and int(parts[position][:9]) < len(node):
            node, position = node[int(parts[position][:9])], position + 1
        else:
            return MISSING
    return node
