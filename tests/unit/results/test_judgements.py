"""judge.jsonl: appended, read back, a torn last line ignored, foreign lines told with their number."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatebot.errors import InputFileError
from gatebot.model.judgement import Explanation, JudgeLine, Judgement, JudgeSession, Opinion
from gatebot.results.judgements import JUDGE_FILE, append_judge_lines, read_judge_lines

OPINION = Opinion("m", 1, 0.5, steps=(1, 2), strengths=("a",), explanation="Step 1 — gut")
LINES = [
    JudgeLine(judgement=Judgement("c", "head", 1, "judge_trajectory", 0.5, "s", opinions=(OPINION,))),
    JudgeLine(judgement=Judgement("c", "base", 1, "judge:tone", None, "s", reason="judge error: x")),
    JudgeLine(session=JudgeSession("healthy", calls=3, cost_usd=0.1)),
    JudgeLine(explanation=Explanation("c", "s", "text", "planning")),
]


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / JUDGE_FILE
    assert list(read_judge_lines(file)) == []
    append_judge_lines(file, LINES[:2])
    append_judge_lines(file, LINES[2:])
    assert list(read_judge_lines(file)) == LINES


@pytest.mark.parametrize("cut", [1, 5, 60])
def test_a_torn_tail_is_ignored_and_cut_off_by_the_next_write(tmp_path: Path, cut: int) -> None:
    file = tmp_path / JUDGE_FILE
    append_judge_lines(file, LINES)
    file.write_bytes(file.read_bytes()[:-cut])
    assert list(read_judge_lines(file)) == LINES[:-1]
    append_judge_lines(file, LINES[-1:])
    assert list(read_judge_lines(file)) == LINES


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"nonsense\n", "not a line of the judge"),
        (b'{"schema":"gatebot.judge/9"}\n', "judge/9"),
        (b'{"schema":"gatebot.trial/1"}\n', "trial/1"),
        (b'{"judgement":{"value":NaN}}\n', "not a line of the judge"),
        (b"x" * (1024 * 1024 + 10), "too long"),
    ],
)
def test_foreign_lines_are_told_with_their_number(tmp_path: Path, line: bytes, told: str) -> None:
    file = tmp_path / JUDGE_FILE
    append_judge_lines(file, LINES[:1])
    with file.open("ab") as stream:
        stream.write(line)
    with pytest.raises(InputFileError, match=told) as error:
        list(read_judge_lines(file))
    assert str(error.value.location) == f"{JUDGE_FILE}:2"
