"""Patterns of cases: what compiles is used, what would take all memory to compile is refused before."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.suite.patterns import pattern_fault


@pytest.mark.parametrize(
    "pattern",
    [
        r"\d{4}-\d{2}-\d{2}",
        r"(?i)order\s+#?\d+",
        r"^[()\]\[{}]+$",
        r"(?P<a>x)(?P=a)(?:b|c){2,}",
        r".{0,5000}",
        r"a{,3}\{9999\}[{9999}]",
        r"(a+)+$",
        r"[^]]*",
    ],
)
def test_ordinary_patterns_are_fine(pattern: str) -> None:
    assert pattern_fault(pattern) is None


@pytest.mark.parametrize(
    "pattern",
    [
        r"((a{1000}){1000}){1000}",
        r"a{1000}{1000}{1000}",
        r"(?:(?:[)(]{500}\)){50}){50}",
        r"(?:a|bc{900}){9,900}",
        "(" * 30 + "a" + ")" * 30,
        "a{99999999999999999999}",
        r"(?x)a",
        r"(?iV1)a",
        "(a",
        "[a",
        "*a",
        r"\p{Nope}",
        "(?P<1>a)",
    ],
)
def test_faulty_patterns_are_told_quickly(pattern: str) -> None:
    started = time.process_time()
    assert pattern_fault(pattern)
    assert time.process_time() - started < 0.5


PIECES = st.sampled_from(
    ["a", "(", ")", "(?:", "[", "]", "{9}", "{2,}", "{,5}", "{900}", "*", "+", "?", "|", "\\", "^"]
)


@given(st.lists(PIECES, max_size=12))
def test_any_pattern_is_judged_in_bounded_time(pieces: list[str]) -> None:
    started = time.process_time()
    fault = pattern_fault("".join(pieces))
    assert time.process_time() - started < 1
    if fault is None:
        re.compile(r".")
    else:
        assert fault
