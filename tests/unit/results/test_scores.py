"""Grades on their way to scores.jsonl: kept as they are, whatever was read in between; a full disk is told."""

from __future__ import annotations

import resource
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatebot.errors import InfrastructureError
from gatebot.model.score import Check, Divergence, Grade, Score
from gatebot.results.scores import KeptGrades, score_line

LONG = Grade(
    "c",
    "head",
    1,
    "completed",
    False,
    scores={
        "pass_rate": Score(0.0, "é\u2028"),
        "cost_usd": Score(1 / 3),
        "x": Score(None, "why", by_design=True),
    },
    checks=(Check("goal", "answer", passed=False, reason="no"), Check("forbid", "t", None, fault=True)),
    divergence=Divergence(2, "missing", "a", "b", "c"),
    failure="wrong_answer",
    failure_reason="r",
    failure_steps=(1, 3),
)
SHORT = Grade("c", "base", 2, "infra_error", None)


@pytest.fixture
def small_files() -> Iterator[None]:
    """No file may grow beyond 100 bytes: what a full disk does to a write."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def test_what_is_kept_comes_back_in_any_order() -> None:
    grades = KeptGrades()
    first = grades.keep(LONG)
    assert grades.grade(first) == LONG
    second = grades.keep(SHORT)
    assert [grades.grade(second), grades.grade(first)] == [SHORT, LONG]
    assert grades.line(first) == score_line(LONG)
    assert grades.line(second).endswith(b"\n")


@pytest.mark.usefixtures("small_files")
def test_a_disk_that_refuses_is_infrastructure() -> None:
    grades = KeptGrades()
    with pytest.raises(InfrastructureError, match="cannot keep grades"):
        grades.keep(LONG)


def test_no_place_for_temporary_files_is_infrastructure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(InfrastructureError, match="cannot keep grades"):
        KeptGrades()
