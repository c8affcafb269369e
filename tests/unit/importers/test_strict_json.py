"""Strict JSON: what a stranger may write, what is refused, with which words, and at what cost."""

from __future__ import annotations

import contextlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.errors import ImportFormatError
from gatebot.importers.strict_json import parse_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=30,
)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("NaN", "not valid JSON"),
        ("[Infinity]", "not valid JSON"),
        ("1e999", "infinity"),
        ("-1e999", "infinity"),
        (r'"\ud800"', "surrogate"),
        (r'{"a": "\udfff"}', "not valid JSON"),
        ("\ud800", "lone surrogate"),
        ('{"a": 1, "a": 2}', "the key 'a' is written twice"),
        ('[{"x": {"b:": 1, "b:": {"c": "d:"}}}]', "the key 'b:' is written twice"),
        (r'{"a": 1, "\u0061": 2}', "the key 'a' is written twice"),
        ("18446744073709551616", "64 bits"),
        ("[-9223372036854775809]", "64 bits"),
        ("9" * 300, "300 digits"),
        ("9" * 5000, "not valid JSON"),
        ("[" * 65 + "]" * 65, "nested more than 64 levels"),
        ('{"a":' * 65 + "1" + "}" * 65, "nested more than 64 levels"),
        ('[{"a":' * 33 + "1" + "}]" * 33, "nested more than 64 levels"),
        ("[" * 1_000_000, "not valid JSON"),
        ("[" * 100_000 + "]" * 100_000, "nested more than 64 levels"),
        ("1 2", "not valid JSON"),
        ("{} //", "not valid JSON"),
        ("\ufeff{}", "byte order mark"),
        (b"\xff\xfe{\x00}\x00", "byte order mark"),
        (b'"\xff"', "not valid JSON"),
        ("01", "not valid JSON"),
        ('"\x00"', "control character"),
        ("", "not valid JSON"),
        ("[1,]", "not valid JSON"),
        ("'a'", "not valid JSON"),
    ],
)
def test_refuses_with_a_reason(text: str | bytes, complaint: str) -> None:
    with pytest.raises(ImportFormatError) as caught:
        parse_json(text)
    assert complaint in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("18446744073709551615", 2**64 - 1),
        ("[-9223372036854775808]", [-(2**63)]),
        ("1e308", 1e308),
        ("1.00000000000000000000000000001", 1.0),
        ("12345678901234567890123.5", 12345678901234567890123.5),
        ("1E-1234567890123456789012", 0.0),
        ("[1e-12345678901234567890]", [0.0]),
        (r'"\u0000"', "\x00"),
        ('{"__proto__": {"a:b": "[{"}}', {"__proto__": {"a:b": "[{"}}),
        (r'{"a\"b\\": "\\"}', {'a"b\\': "\\"}),
        ("[" * 64 + "]" * 64, None),
    ],
)
def test_takes(text: str, value: object) -> None:
    parsed = parse_json(text)
    assert value is None or parsed == value


@given(VALUES)
def test_reads_what_json_writes(value: object) -> None:
    written = json.dumps(value)
    assert parse_json(written) == json.loads(written)
    assert parse_json(json.dumps(value, ensure_ascii=False).encode()) == json.loads(written)


@given(st.text() | st.binary())
def test_any_text_is_a_value_or_the_typed_error(text: str | bytes) -> None:
    try:
        value = parse_json(text)
    except ImportFormatError:
        return
    assert parse_json(json.dumps(value)) == value


def test_names_source_line_and_column() -> None:
    with pytest.raises(ImportFormatError) as caught:
        parse_json('{"a": 1,\n  oops}', source="run.json")
    assert str(caught.value).startswith("run.json:2:3:")


def test_never_shows_the_text_beyond_one_short_key() -> None:
    key = "k" * 5000 + "\u202e"
    with pytest.raises(ImportFormatError) as caught:
        parse_json(f'{{"{key}": 1, "{key}": 2}}')
    assert len(caught.value.message) < 200
    assert caught.value.message.isascii()


def test_bounds_bytes_values_and_depth_as_asked() -> None:
    with pytest.raises(ImportFormatError, match="MB"):
        parse_json('"' + "x" * 100 + '"', max_bytes=100)
    with pytest.raises(ImportFormatError, match="more than 10 values"):
        parse_json("[" + "1," * 20 + "1]", max_values=10)
    with pytest.raises(ImportFormatError, match="more than 10 values"):
        parse_json("[" + '"",' * 50 + "1]", max_values=10)
    with pytest.raises(ImportFormatError, match="more than 3 levels"):
        parse_json("[[[[]]]]", max_depth=3)
    assert parse_json("[[[]]]", max_depth=3) == [[[]]]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 5_000_000,
        "[]," * 3_000_000,
        '"",' * 3_000_000,
        '"' + r"\"" * 5_000_000 + '"',
        "{" * 2_000_000 + "}" * 2_000_000,
        "[" * 63 + "[]," * 2_000_000,
        "1" * 10_000_000,
        "\\" * 10_000_000,
    ],
    ids=lambda text: text[:6],
)
def test_hostile_text_costs_little(text: str) -> None:
    """Ten megabytes of nonsense take well under a second of processor time; the bound leaves room for slow machines."""
    started = time.process_time()
    with contextlib.suppress(ImportFormatError):
        parse_json(text)
    assert time.process_time() - started < 3
