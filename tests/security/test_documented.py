"""The pages and the tests say the same: every test they name is there, every attack and fault has a row and a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECURITY = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
FAULTS = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
ROWS = [line for page in (SECURITY, FAULTS) for line in page.splitlines() if re.match(r"\| [SFR]\d", line)]
UNTESTED = ("by inspection", "not built")

ATTACKS = (
    *(1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32, 34, 35, 37, 38),
    *(40, 41, 43, 44, 46, 47, 49, 50, 52, 53, 55, 56, 58, 59, 61, 62),
)
REQUIREMENTS = (1, 2, 3, 5, 6, 7, 16, 17, 18, 19, 20, 21, 24, 27, 29)
RUNNING = re.compile(r"S(1[6-9]|[2-5]\d|6[0-2])")
"""Attacks on what runs: each of their tests is named itself, and not by its file alone."""


def numbers(row: str) -> list[str]:
    """What a row is about."""
    return row.split("|")[1].split()


def named(row: str) -> list[str]:
    """The tests of a row: `tests/…`, `tests/…::function`."""
    return re.findall(r"`((?:tests|bench)/[^`]+)`", row.strip("| ").split(" | ")[-1])


def is_there(test: str) -> bool:
    """Whether the file, and the function in it, exist."""
    path, _, function = test.partition("::")
    if not (ROOT / path).exists():
        return False
    text = (ROOT / path).read_text(encoding="utf-8") if function else ""
    return not function or re.search(rf"^ *def {function}\(", text, re.MULTILINE) is not None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(numbers(row)))
def test_a_row_names_tests_that_are_there_or_says_why_not(row: str) -> None:
    tests = named(row)
    assert tests or row.strip("| ").split(" | ")[-1].endswith(UNTESTED)
    assert [test for test in tests if not is_there(test)] == []
    if RUNNING.fullmatch(numbers(row)[0]):
        assert any("::" in test for test in tests)


def test_a_test_that_is_not_there_is_noticed() -> None:
    assert is_there("tests/security/test_documented.py::is_there")
    assert not is_there("tests/security/test_documented.py::test_that_nobody_wrote")
    assert not is_there("tests/security/test_that_nobody_wrote.py::is_there")
    assert named("| S1 | a | b | `tests/a.py::b`, `tests/c.py` |") == ["tests/a.py::b", "tests/c.py"]


def test_every_attack_fault_and_requirement_has_a_row() -> None:
    expected = [f"S{number}" for number in ATTACKS] + [f"F{number}" for number in range(29, 47)]
    expected += [f"R{number}" for number in REQUIREMENTS]
    assert [
        number for number in expected if number not in {one for row in ROWS for one in numbers(row)}
    ] == []


def test_every_attack_that_is_tried_has_a_row_that_names_it() -> None:
    tried: dict[str, set[str]] = {}
    for folder in ("security", "faults"):
        for path in sorted((ROOT / "tests" / folder).glob("test_*.py")):
            text = path.read_text(encoding="utf-8")
            for name in re.findall(r"^def (test_(?:[sf]\d+_)+\w+)", text, re.MULTILINE):
                for number in re.findall(r"(?<=_)[sf]\d+(?=_)", name):
                    tried.setdefault(number.upper(), set()).add(f"tests/{folder}/{path.name}::{name}")
    assert len(tried) > 25
    for number, tests in sorted(tried.items()):
        told = {test for row in ROWS if number in numbers(row) for test in named(row)}
        files = {test.partition("::")[0] for test in told}
        assert tests & told or {test.partition("::")[0] for test in tests} & files, number
