"""Accepting on a laptop what an older gatebot left: calls that no trial has told are not written as none."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatebot.commands.accept.local import accept
from gatebot.errors import UsageError
from gatebot.model.acceptance import CaseCandidate, GoldenCandidate
from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import Message, Trajectory
from gatebot.model.trial import Trial
from gatebot.results.candidate import write_candidate
from gatebot.results.store import ResultsDirectory

CASE = "input: hi\nexpect: {answer: {contains: yes}}\n"


def left(place: Path, golden: dict[str, JsonValue], trajectory: Trajectory) -> Path:
    """A results directory with one trial and the candidate of one case."""
    place.mkdir()
    one = CaseCandidate("one", "golden/one.yaml", golden, "d", "g", 1, 1)
    write_candidate(place, GoldenCandidate("shop", "1" * 40, "r", "p", (one,), (), ()))
    with ResultsDirectory(place).journal() as journal:
        journal.append(Trial("one", "head", 1, 1, "completed", answer="yes", trajectory=trajectory))
    return place


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """The configuration's directory."""
    (tmp_path / "golden").mkdir()
    (tmp_path / "golden" / "one.yaml").write_text(CASE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("trajectory", "written"),
    [
        (Trajectory(), "golden:\n  answer: yes it is\n"),
        (
            Trajectory((Message("assistant", "yes"),), format="openai"),
            "golden:\n  answer: yes it is\n  calls: []\n",
        ),
    ],
    ids=["untold", "none"],
)
def test_calls_that_no_trial_has_told_are_not_written_as_none(
    suite: Path, trajectory: Trajectory, written: str
) -> None:
    accept(left(suite / "out", {"answer": "yes it is", "calls": []}, trajectory), suite, (), write=True)
    assert (suite / "golden" / "one.yaml").read_text("utf-8") == CASE + written


def test_a_candidate_of_untold_calls_alone_writes_nothing(suite: Path) -> None:
    with pytest.raises(UsageError, match="its trials told no calls"):
        accept(left(suite / "out", {"calls": []}, Trajectory()), suite, (), write=True)
    assert (suite / "golden" / "one.yaml").read_text("utf-8") == CASE
