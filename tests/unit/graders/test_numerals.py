"""Numbers in prose."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.graders.numerals import numbers_in, unit_name


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,000 and 1000", [1000, 1000]),
        ("1k users", [1000]),
        ("1.5M rows, 2bn", [1.5e6, 2e9]),
        ("2 million", [2e6]),
        ("99.9%", [99.9]),
        ("$30.", [30]),
        ("-5 and \u22127", [-5, -7]),
        ("-$5", [-5]),
        ("5-10", [5, 10]),
        ("1\u202f234\u00a0567", [1234567]),
        ("1e3", [1000]),
        ("30kg", [30]),
        ("A100 v2 x86_64", []),
        ("12,345,678.9", [12345678.9]),
        ("1,2", [1, 2]),
        ("USD30, US$31", [30, 31]),
        ("no digits", []),
        ("#42", [42]),
        ("", []),
    ],
)
def test_values(text: str, values: list[float]) -> None:
    assert [quantity.value for quantity in numbers_in(text)] == values


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("$30", "$"), ("30 USD", "usd"), ("30 dollars", "$"), ("99 %", "%"), ("99 percent", "%"), ("3 days", "day"),
        ("€5", "EUR"), ("10 km/h", "km/h"), ("USD 12", "$"), ("US$ 12", "$"),
    ],
)  # fmt: skip
def test_units(text: str, unit: str) -> None:
    assert unit_name(unit) in numbers_in(text)[0].units


@given(st.text(alphabet="0123456789.,-+$% kMe\u00a0", max_size=60))
def test_any_text_is_read(text: str) -> None:
    assert all(quantity.text for quantity in numbers_in(text))


@pytest.mark.parametrize(
    "text", ["1," * 200_000, "9" * 200_000, "1,000" * 60_000, " " * 500_000, "1e" * 100_000]
)
def test_hostile_text_takes_no_time(text: str) -> None:
    begun = time.process_time()
    numbers_in(text)
    assert time.process_time() - begun < 2
