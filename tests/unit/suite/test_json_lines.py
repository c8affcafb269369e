"""Suites as JSON Lines: one case a line, told by file and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gatebot.commands.accept.changes import case_file
from gatebot.errors import ConfigError, InputFileError
from gatebot.suite.examine import examine
from gatebot.suite.load import load_cases, load_config, load_suite
from tests.unit.suite.suite_files import CONFIG, FilesInMemory, case_of

LINES_CONFIG = CONFIG + 'cases: ["golden/*.yaml", "golden/*.jsonl"]\n'
FIRST = '{"id": "b", "input": "hi", "expect": {"answer": {"contains": "hello"}}}'
SECOND = '{"id": "a", "input": ["one", "two"], "golden": {"calls": [{"search": {"q": 1}}], "answer": "x"}}'


def suite(*lines: str) -> FilesInMemory:
    return FilesInMemory({"gatebot.yaml": LINES_CONFIG, "golden/all.jsonl": "\n".join(lines)})


def test_lines_are_cases_like_any_other() -> None:
    source = suite(FIRST, "", SECOND + "\r", "  ")
    first, second = load_cases(source, load_config(source))
    assert [(first.case.id, first.case.path), second.case.id] == [("a", "golden/all.jsonl"), "b"]
    yaml = case_of("id: a\ninput: [one, two]\ngolden: {calls: [search: {q: 1}], answer: x}\n")
    assert (first.case.turns, first.case.references) == (yaml.turns, yaml.references)


def test_files_of_both_kinds_make_one_suite(tmp_path: Path) -> None:
    (tmp_path / "golden").mkdir()
    (tmp_path / "gatebot.yaml").write_text(LINES_CONFIG)
    (tmp_path / "golden" / "c.yaml").write_text("input: hi\nexpect: {require: [x]}\n")
    long = json.dumps({"id": "long", "input": "x" * 200_000, "expect": {"require": ["x"]}})
    more = [long.replace("long", f"long{number}", 1) for number in range(4)]
    (tmp_path / "golden" / "all.jsonl").write_text("\n".join([FIRST, *more]))
    assert [case.id for case in load_suite(tmp_path).cases] == ["b", "c", "long0", "long1", "long2", "long3"]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ((FIRST, "{broken"), "golden/all.jsonl:2:2: not valid JSON"),
        ((FIRST, '{"id": "c", "id": "d", "input": "x"}'), "golden/all.jsonl:2"),
        ((FIRST, '{"id": "c", "input": NaN}'), "golden/all.jsonl:2"),
        ((FIRST, "[1]"), "golden/all.jsonl:2: a line of the suite is one JSON object"),
        ((FIRST, '{"input": "x"}'), "golden/all.jsonl:2: a case on a line has no file's name"),
        (
            (FIRST, "", '{"id": "c", "input": "x", "expcet": {}}'),
            "golden/all.jsonl:3:27: unknown key 'expcet'",
        ),
        ((FIRST, FIRST), "the case id 'b' is taken"),
        ((FIRST, '{"id": "\\ud83d\\ude00", "input": "x"}'), "golden/all.jsonl:2: 'id' may hold"),
        (("",), "golden/all.jsonl: the file holds no case"),
        ((json.dumps({"id": "c", "input": "x" * 300_000}),), "golden/all.jsonl:1: the line has 300,"),
        (("[" * 5000,), "golden/all.jsonl:1"),
    ],
)
def test_mistakes_name_file_and_line(lines: tuple[str, ...], told: str) -> None:
    source = suite(*lines)
    with pytest.raises(ConfigError) as error:
        load_cases(source, load_config(source))
    assert str(error.value).startswith(told) or told in str(error.value)


def test_lint_and_validate_name_the_line() -> None:
    found = examine(suite(FIRST, '{"id": "idle", "input": "x"}'))
    assert found.suite is None
    (finding,) = found.findings
    assert (finding.location.path, finding.location.line) == ("golden/all.jsonl", 2)
    assert "checks nothing" in finding.message


def test_accepting_into_a_line_is_refused_in_words() -> None:
    with pytest.raises(InputFileError, match="one case a line"):
        case_file("", "golden/all.jsonl")
