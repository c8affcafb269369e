"""What the judge said, joined with grades: errors, sessions, changed models, categories."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gatebot.commands.judged import JudgeRecord, read_record, take
from gatebot.model.judge import JudgeConfig
from gatebot.model.judgement import JudgeLine, Judgement, JudgeSession, Opinion, SessionStatus
from gatebot.model.score import FailureCategory, Grade
from gatebot.model.trial import Side
from gatebot.results.judgements import JUDGE_FILE, append_judge_lines
from tests.unit.judge.subjects import case, trial

METRIC = "judge_trajectory"
HEALTHY = JudgeLine(session=JudgeSession("healthy"))


def judgement(value: float | None, *, side: Side = "head", slot: int = 1, by: str = "m-1") -> Judgement:
    record = JudgeRecord(JudgeConfig())
    (subject,) = record.subjects.of(case(), trial())
    said = Opinion("m", 1, value, answered_by=by, explanation="Step 1", failure_category="planning")
    return Judgement("refund", side, slot, METRIC, value, subject.digest, reason="why", opinions=(said,))


def grade(failure: FailureCategory | None = None, *, passed: bool = True) -> Grade:
    return Grade("refund", "head", 1, "completed", passed, failure=failure, failure_reason="rule says")


def record(*lines: JudgeLine) -> JudgeRecord:
    made = JudgeRecord(JudgeConfig())
    for line in lines:
        take(made, line)
    return made


def test_a_judgement_becomes_a_score() -> None:
    made = record(HEALTHY, JudgeLine(judgement=judgement(0.7)))
    score = made.graded(case(), trial(), grade()).scores[METRIC]
    assert (score.value, score.reason, score.by_design) == (0.7, "why", False)


@pytest.mark.parametrize(
    ("status", "told"),
    [("did_not_run", "did not run"), ("unhealthy", "is not trusted"), ("stopped", None), ("healthy", None)],
)
def test_only_a_trusted_session_counts(status: SessionStatus, told: str | None) -> None:
    made = record(JudgeLine(judgement=judgement(0.7)), JudgeLine(session=JudgeSession(status, "because")))
    score = made.graded(case(), trial(), grade()).scores[METRIC]
    assert score.value == (None if told else 0.7)
    assert told is None or told in score.reason


def test_before_any_session_the_judge_did_not_run() -> None:
    assert "did not run" in record().graded(case(), trial(), grade()).scores[METRIC].reason
    assert "did not run" in record().notes()[0]


def test_a_judgement_of_something_else_does_not_count() -> None:
    made = record(HEALTHY, JudgeLine(judgement=judgement(0.7)))
    assert made.graded(case(), trial("another answer"), grade()).scores[METRIC].value is None


def test_broken_trials_score_nothing_and_lost_ones_have_no_score() -> None:
    made = record(HEALTHY)
    broken = replace(trial(), status="agent_error", reason="it crashed")
    assert made.graded(case(), broken, grade()).scores[METRIC].value == 0.0
    assert made.graded(case(), replace(trial(), status="infra_error"), grade()).scores == {}


def test_an_error_does_not_undo_a_judgement() -> None:
    made = record(HEALTHY, JudgeLine(judgement=judgement(0.7)), JudgeLine(judgement=judgement(None)))
    assert made.graded(case(), trial(), grade()).scores[METRIC].value == 0.7


@pytest.mark.parametrize(
    ("failure", "passed", "expected"),
    [
        ("wrong_answer", False, "planning"),
        (None, False, "planning"),
        ("tool_execution", False, "tool_execution"),
        (None, True, None),
    ],
)
def test_the_judge_names_the_failure_where_the_rules_cannot(
    failure: FailureCategory | None, passed: bool, expected: FailureCategory | None
) -> None:
    made = record(HEALTHY, JudgeLine(judgement=judgement(0.2)))
    changed = made.graded(case(), trial(), grade(failure, passed=passed))
    assert changed.failure == expected
    assert ("rule says" in changed.failure_reason) or expected is None


def test_a_model_that_changed_its_version_is_not_compared_with_itself(tmp_path: Path) -> None:
    lines = [
        JudgeLine(judgement=judgement(0.9, side="base", by="m-2026-01")),
        JudgeLine(judgement=judgement(0.1, side="head", by="m-2026-02")),
        HEALTHY,
    ]
    append_judge_lines(tmp_path / JUDGE_FILE, lines)
    made = read_record(tmp_path, JudgeConfig())
    score = made.graded(case(), trial(), grade()).scores[METRIC]
    assert score.value is None
    assert score.reason == "m answered as m-2026-01 and as m-2026-02"


@pytest.mark.parametrize(("errors", "trusted"), [(2, True), (3, False)])
def test_more_than_a_fifth_of_errors_on_a_side_spoil_a_metric(
    tmp_path: Path, errors: int, trusted: bool
) -> None:
    values = [None] * errors + [0.7] * (10 - errors)
    lines = [JudgeLine(judgement=judgement(value, slot=10 - place)) for place, value in enumerate(values)]
    append_judge_lines(tmp_path / JUDGE_FILE, [*lines, HEALTHY])
    made = read_record(tmp_path, JudgeConfig())
    score = made.graded(case(), trial(), grade()).scores[METRIC]
    assert score.value == (0.7 if trusted else None)
    assert trusted or score.reason == f"judge errors in {errors} of the head's 10 judgements"
