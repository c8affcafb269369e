"""Trials are graded once each, whatever looks at them, and every look sees what grading all of them anew would show."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from gatebot.commands import graded_trials
from gatebot.commands.graded_trials import GradedTrials, ReaderSource
from gatebot.commands.grading import Counted, SuiteGrader, Tally, graded
from gatebot.core.evidence import Evidence, gather
from gatebot.model.case import AnswerExpectation, Expect
from gatebot.model.config import AgentConfig, Config
from gatebot.model.score import Grade
from gatebot.model.suite import Case, Suite
from gatebot.model.trajectory import Message, ToolCall, Trajectory
from gatebot.model.trial import Status, Trial, TrialKey
from gatebot.results.journal import read_trials
from gatebot.results.trial_file import TrialFile
from gatebot.results.trial_line import encode_trial

SUITE = Suite(
    Config(version=1, suite="s", agent=AgentConfig(builtin="nop")),
    (Case("case", "case.yaml", ("hi",), expect=Expect(answer=AnswerExpectation(contains="yes"))),),
)
PLANNED = frozenset(TrialKey("case", "head", slot) for slot in range(1, 9))


def trial(slot: int, status: Status = "completed") -> Trial:
    calls = tuple(ToolCall(f"c{n}", "look", {"n": n % 3}, result="x") for n in range(slot))
    said = Trajectory((Message("assistant", calls=calls),))
    answer = "yes" if slot % 2 else "no"
    return Trial("case", "head", slot, seed=slot, status=status, answer=answer, trajectory=said)


def add(path: Path, *trials: Trial) -> None:
    with path.open("ab") as file:
        file.writelines(map(encode_trial, trials))


def empty(planned: frozenset[TrialKey] = PLANNED) -> Evidence:
    return Evidence(planned, frozenset({"case"}))


def test_growing_and_graded_at_every_look_it_shows_what_one_grading_of_all_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    class Counting(SuiteGrader):
        def grade(self, trial: Trial) -> tuple[Grade, Counted] | None:
            asked.append(trial.slot)
            return super().grade(trial)

    monkeypatch.setattr(graded_trials, "SuiteGrader", Counting)
    path = tmp_path / "trials.jsonl"
    looked = GradedTrials(SUITE, TrialFile(path))
    for trials in ((trial(1), trial(2)), (trial(3, "infra_error"), trial(4)), (trial(3), trial(5))):
        add(path, *trials)
        seen, counts, fresh = empty(), Tally("g"), Tally("g")
        looked.gather(seen, counts)
        grades = list(graded(read_trials(path), SUITE, fresh, PLANNED.__contains__))
        assert seen.rows == gather(grades, PLANNED, {"case"}).rows
        assert (counts.result_digest(), counts.usage) == (fresh.result_digest(), fresh.usage)
        lines = [orjson.dumps(grade, option=orjson.OPT_SORT_KEYS) + b"\n" for grade in grades]
        assert list(looked.lines(seen)) == lines
    assert asked == [
        1,
        2,
        3,
        4,
        3,
        5,
    ]  # the third was lost at first, and is another trial when it is run again


def test_what_is_not_planned_counts_as_soon_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    add(path, trial(1), trial(2))
    looked = GradedTrials(SUITE, TrialFile(path))
    narrow = empty(frozenset({TrialKey("case", "head", 2)}))
    looked.gather(narrow, Tally("g"))
    assert [*narrow.rows["case"]["head"]] == [2]
    wide = empty()
    looked.gather(wide, Tally("g"))
    assert [*wide.rows["case"]["head"]] == [1, 2]


def test_a_second_opinion_hears_the_grade_that_was_kept() -> None:
    looked = GradedTrials(SUITE, ReaderSource(lambda: iter([trial(1), trial(2)])))
    heard: list[tuple[int, bool | None]] = []

    def second(_case: Case, trial: Trial, grade: Grade) -> Grade:
        heard.append((trial.slot, grade.passed))
        return grade

    evidence = empty()
    lines = list(looked.judged(evidence, Tally("g"), second))
    assert heard == [(1, True), (2, False)]
    assert lines == list(looked.lines(evidence))


def test_a_trial_of_no_case_of_the_suite_is_left_out() -> None:
    stranger = Trial("other", "head", 1, seed=1, status="completed")
    looked = GradedTrials(SUITE, ReaderSource(lambda: iter([stranger, trial(1)])))
    evidence = empty(PLANNED | {stranger.key})
    looked.gather(evidence, Tally("g"))
    assert set(evidence.rows) == {"case"}
