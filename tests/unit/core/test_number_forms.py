"""Whole numbers in a golden: integers stay integers, and what the case writes as a float stays one."""

from __future__ import annotations

import json

import pytest

from gatebot.core.number_forms import as_written, whole_floats
from gatebot.model.json_value import JsonValue
from gatebot.model.suite import Case, ExpectedCall, Reference


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (900.0, "900"),
        (900, "900"),
        (0.5, "0.5"),
        (-3.0, "-3"),
        (True, "true"),
        (1e300, "1e+300"),
        (2.0**53, "9007199254740992.0"),
        ({"a": [1.0, {"b": 2.0}], "c": "3.0"}, '{"a": [1, {"b": 2}], "c": "3.0"}'),
        (7.0, "7.0"),
    ],
    ids=str,
)
def test_whole_floats_are_written_as_integers_unless_the_case_has_them(
    value: JsonValue, written: str
) -> None:
    told = as_written(value, frozenset({7.0}))
    assert json.dumps(told) == written
    assert told == value


def test_floats_are_looked_for_in_all_of_a_cases_references() -> None:
    call = ExpectedCall("pay", {"amount": 900, "fee": 5.0}, 0, alternatives=(("refund", {"of": [6.0, 6.5]}),))
    references = (Reference(calls=(call,)), Reference(state={"left": {"sum": 8.0}}))
    case = Case("c", "golden/c.yaml", ("hi",), references=references)
    assert whole_floats(case) == {5.0, 6.0, 8.0}
    assert whole_floats(Case("c", "golden/c.yaml", ("hi",))) == frozenset()
