"""Every attack on workflow, words, files and acceptances, and every fault of GitHub, has a row that names a test."""

from __future__ import annotations

import pytest

from tests.security.test_documented import ROWS, is_there, named, numbers

ATTACKS = (
    *(1, 2, 4, 5, 7, 8, 10, 11, 13, 14),
    *(91, 92, 94, 95, 97, 98, 100, 101, 103, 104),
    *(106, 107, 109, 110),
    *(112, 113, 115, 116, 118, 119),
)
FAULTS = (*range(1, 29), 54, 55, 56)
EXPECTED = [*(f"S{number}" for number in ATTACKS), *(f"F{number}" for number in FAULTS)]


@pytest.mark.parametrize("number", EXPECTED)
def test_it_has_a_row_whose_tests_are_there(number: str) -> None:
    rows = [row for row in ROWS if number in numbers(row)]
    assert rows
    tests = [test for row in rows for test in named(row)]
    assert tests
    assert all(is_there(test) for test in tests)
