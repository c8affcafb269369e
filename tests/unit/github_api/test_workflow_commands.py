"""What the runner reads: parsed back by its own rules, whatever stands in the values."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatebot.github_api.workflow_commands import (
    MAX_SUMMARY_BYTES,
    annotation_line,
    annotation_lines,
    mask_lines,
    write_outputs,
    write_summary,
)
from gatebot.model.publication import Annotation

WORDS = [f"word{number}" for number in range(100)]


def parsed(text: str) -> dict[str, str]:
    """As actions/runner reads GITHUB_OUTPUT: `name<<delimiter`, lines, the delimiter alone on a line."""
    found: dict[str, str] = {}
    lines = text.split("\n")
    index = 0
    while index < len(lines) and lines[index]:
        equals, heredoc = lines[index].find("="), lines[index].find("<<")
        assert heredoc >= 0
        assert equals < 0 or heredoc < equals
        name, delimiter = lines[index].split("<<", 1)
        end = lines.index(delimiter, index + 1)
        found[name] = "\n".join(lines[index + 1 : end])
        index = end + 1
    return found


HOSTILE = ["", "a\nfoo=bar", "gatebot_word0", "EOF\n", "x<<y", "::set-output name=a::b", "é😀", "\n\n"]


@pytest.mark.parametrize("value", HOSTILE)
def test_no_value_can_define_another_output(value: str, tmp_path: Path) -> None:
    place = tmp_path / "out"
    written = write_outputs(str(place), [("one", value), ("two", "x")], iter(WORDS).__next__)
    assert [name for name, _ in written] == ["one", "two"]
    assert parsed(place.read_text("utf-8")) == {"one": value, "two": "x"}


def test_without_a_file_nothing_is_written(tmp_path: Path) -> None:
    assert write_outputs("", [("a", "b")], iter(WORDS).__next__) == []
    assert write_outputs(str(tmp_path / "none" / "x"), [("a", "b")], iter(WORDS).__next__) == []
    assert not write_summary("", "page")


def test_a_summary_too_large_for_its_file_is_left_out(tmp_path: Path) -> None:
    place = str(tmp_path / "summary")
    assert not write_summary(place, "x" * MAX_SUMMARY_BYTES)
    assert write_summary(place, "one")
    assert write_summary(place, "two")
    assert Path(place).read_text("utf-8") == "one\ntwo\n"


def test_an_annotation_in_full() -> None:
    line = annotation_line(Annotation("a,b:c.py", "100%\r\nworse", "the, title:", 3))
    assert line == "::error file=a%2Cb%3Ac.py,line=3,title=the%2C title%3A::100%25%0D%0Aworse"


@settings(max_examples=200)
@given(st.text(), st.text(), st.text())
def test_an_annotation_is_one_line_and_one_command(path: str, message: str, title: str) -> None:
    line = annotation_line(Annotation(path, message, title))
    assert "\n" not in line
    assert "\r" not in line
    assert line.startswith("::error")
    assert "::" not in line[2:].split("::", 1)[0]


def test_a_step_makes_at_most_ten_of_a_kind() -> None:
    some = [Annotation("a", str(number)) for number in range(30)]
    assert len(annotation_lines([*some, Annotation("b", "x", level="warning")])) == 11


def test_every_line_of_a_secret_is_masked() -> None:
    assert mask_lines("first line\nsecond%line\n\nabc") == [
        "::add-mask::first line",
        "::add-mask::second%25line",
    ]
