"""One key per JSON value, strict about types."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.graders.canonical import canonical, same
from gatebot.model.json_value import JsonValue

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": {"c": 1, "d": 2}}, {"b": {"d": 2, "c": 1}, "a": 1}),
        ({"a": 1}, {"a": 1.0}),
        (-0.0, 0),
        (1e16, 10**16),
        (1e300, int(1e300)),
        ([{"x": 2.0}], [{"x": 2}]),
    ],
)
def test_equal_values_have_equal_keys(one: JsonValue, other: JsonValue) -> None:
    assert same(one, other)
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": True}),
        ({"a": 0}, {"a": False}),
        ({"a": 1}, {"a": "1"}),
        ({"a": None}, {}),
        ([1, 2], [2, 1]),
        (0.1 + 0.2, 0.3),
        (float("nan"), None),
        (float("inf"), None),
        (2**64, 2**64 + 1),
        ("\ud800", "\udfff"),
        ("", None),
        ({"a": {}}, {"a": []}),
    ],
)
def test_unequal_values_have_unequal_keys(one: JsonValue, other: JsonValue) -> None:
    assert not same(one, other)
    assert canonical(one) != canonical(other)


def test_integers_too_long_to_print_have_keys() -> None:
    assert canonical({"a": 10**6000}) != canonical({"a": 10**6000 + 1})


@given(VALUES)
def test_a_value_read_back_has_the_same_key(value: JsonValue) -> None:
    assert canonical(json.loads(json.dumps(value))) == canonical(value)


@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=5))
def test_the_order_of_keys_does_not_matter(value: dict[str, JsonValue]) -> None:
    assert canonical(dict(reversed(value.items()))) == canonical(value)
