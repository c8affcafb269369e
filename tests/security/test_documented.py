"""docs/security.md and the tests say the same: every test it names is there, every attack that is tried is in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if re.match(r"\| [SF]\d", line)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip().replace(" ", "-"))
def test_a_row_names_tests_that_are_there_or_says_why_not(row: str) -> None:
    *_, tests = row.strip("| ").split(" | ")
    named = re.findall(r"`(tests/[^`]+)`", tests)
    assert named or tests in ("by inspection", "not built")
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_attack_that_is_tried_has_a_row() -> None:
    tried = {
        number.upper()
        for path in sorted((ROOT / "tests" / "security").glob("test_*.py"))
        for name in re.findall(r"^def test_((?:[sf]\d+_)+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        for number in name.strip("_").split("_")
    }
    assert len(tried) > 20
    documented = {number for row in ROWS for number in row.split("|")[1].split()}
    assert tried <= documented
