"""Means and deviations of a handful of values: exact where a report reader would notice."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.core.averages import deviation, mean, variance

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12)


def test_of_nothing_there_is_no_mean_and_of_one_value_no_deviation() -> None:
    assert mean(()) is None
    assert deviation(()) is None
    assert deviation((0.3,)) is None


def test_one_value_is_its_own_mean() -> None:
    assert mean((0.1,)) == 0.1


def test_ten_tenths_are_one() -> None:
    assert mean((0.1,) * 10) == 0.1


@pytest.mark.parametrize("value", [0.1, 1 / 3, 12345.678])
def test_equal_values_do_not_deviate(value: float) -> None:
    assert deviation((value,) * 7) == 0.0


def test_by_hand() -> None:
    assert mean((1.0, 0.0, 1.0)) == 2 / 3
    assert variance((1.0, 0.0, 1.0)) == pytest.approx(1 / 3)
    assert deviation((2.0, 4.0)) == pytest.approx(2**0.5)


def test_what_an_agent_claims_may_be_as_large_as_a_number_gets() -> None:
    assert mean((1e308, 1e308)) == 1e308
    assert mean((1.7e308, 1.7e308, 0.0)) == pytest.approx(1.7e308 / 3 * 2)
    assert deviation((1e200, 0.0)) == math.inf
    assert deviation((0.0, 1.7e308, 1.7e308)) == math.inf


@given(VALUES)
def test_as_exact_fractions_have_it(values: list[float]) -> None:
    assert mean(values) == pytest.approx(statistics.mean(values), rel=1e-12, abs=1e-12)
    assert variance(values) == pytest.approx(statistics.variance(values), rel=1e-9, abs=1e-9)
