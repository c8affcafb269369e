"""JSON and JSON Lines are told apart by the first line, and are bounded together."""

from __future__ import annotations

import pytest

from gatebot.errors import ImportFormatError
from gatebot.importers.document_text import parse_documents


def test_one_document_however_it_is_laid_out() -> None:
    assert parse_documents('{"a": 1}') == ({"a": 1},)
    assert parse_documents(b'[\n {"a": 1}\n]\n') == ([{"a": 1}],)
    assert parse_documents('{\n"a":\n1}\n\n') == ({"a": 1},)


def test_lines_are_documents_of_their_own_and_empty_lines_none() -> None:
    assert parse_documents('{"a": 1}\n\n[2]\r\n"x"\n') == ({"a": 1}, [2], "x")
    assert parse_documents(b'\n{"a": 1}\n{"a": 2}') == ({"a": 1}, {"a": 2})


def test_a_broken_line_is_named() -> None:
    with pytest.raises(ImportFormatError) as caught:
        parse_documents('{"a": 1}\n{"a": 2}\n{"a": oops}\n', source="run.jsonl")
    assert "run.jsonl 3" in str(caught.value)


def test_lines_are_bounded_together() -> None:
    with pytest.raises(ImportFormatError, match="more than 100 values"):
        parse_documents("[1,2,3]\n" * 50, max_values=100)
    with pytest.raises(ImportFormatError, match="MB"):
        parse_documents('{"a": 1}\n' * 50, max_bytes=100)


def test_nothing_is_no_document() -> None:
    for text in ("", "\n\n", b" \n"):
        with pytest.raises(ImportFormatError):
            parse_documents(text)
