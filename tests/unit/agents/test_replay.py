"""Recorded trials come back by case and slot; what is not there or not readable is told apart from an agent's failure."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path, PurePath

import orjson
import pytest

from gatebot.agents.replay import ReplayAgent
from gatebot.errors import InputFileError
from gatebot.model.trajectory import Message, ToolCall, Trajectory, Usage
from gatebot.model.trial import Outcome, Side, Status, Timing, Trial
from gatebot.ports import SideEnvironment
from tests.unit.agents.tasks import task

ENVIRONMENT = SideEnvironment("head", PurePath("/nowhere"))


def recorded(slot: int = 0, side: Side = "head", answer: str = "a", status: Status = "completed") -> Trial:
    call = ToolCall("c", "look", {"a": [1, None]}, result="found", is_error=False)
    return Trial(
        "greeting",
        side,
        slot,
        seed=99,
        status=status,
        round=3,
        attempts=2,
        trajectory=Trajectory((Message("assistant", "", (call,), usage=Usage(1, 2)),), "openai-chat"),
        answer=answer,
        state={"n": 1.5},
        outcome=Outcome(passed=True, score=1.0, verifier="v"),
        timing=Timing(1.0, 0.5, (1.0,)),
    )


def write(path: Path, *trials: Trial, tail: bytes = b"") -> Path:
    path.write_bytes(b"".join(orjson.dumps(trial) + b"\n" for trial in trials) + tail)
    return path


def test_a_recording_comes_back_under_the_tasks_own_key(tmp_path: Path) -> None:
    agent = ReplayAgent(write(tmp_path / "trials.jsonl", recorded(0), recorded(1, answer="b")))
    trial = agent.run(task(slot=1), ENVIRONMENT)
    assert trial == replace(recorded(1, answer="b"), seed=7, round=1)


def test_a_directory_means_its_trials(tmp_path: Path) -> None:
    write(tmp_path / "trials.jsonl", recorded())
    assert ReplayAgent(tmp_path).run(task(), ENVIRONMENT).answer == "a"


def test_of_one_side_recorded_both_sides_get_it(tmp_path: Path) -> None:
    agent = ReplayAgent(write(tmp_path / "t.jsonl", recorded(side="base")))
    for side in ("base", "head"):
        trial = agent.run(task(side=side), ENVIRONMENT)
        assert (trial.side, trial.answer) == (side, "a")


def test_of_two_sides_recorded_each_gets_its_own(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.jsonl", recorded(side="base", answer="old"), recorded(side="head", answer="new")
    )
    agent = ReplayAgent(path)
    assert agent.run(task(side="base"), ENVIRONMENT).answer == "old"
    assert agent.run(task(side="head"), ENVIRONMENT).answer == "new"


def test_a_recorded_failure_comes_back_as_one(tmp_path: Path) -> None:
    agent = ReplayAgent(write(tmp_path / "t.jsonl", recorded(status="timeout")))
    assert agent.run(task(), ENVIRONMENT).status == "timeout"


def test_the_first_line_of_a_trial_counts_unless_it_was_lost(tmp_path: Path) -> None:
    lost = recorded(status="infra_error", answer="lost")
    path = write(tmp_path / "t.jsonl", lost, recorded(answer="one"), recorded(answer="two"), lost)
    assert ReplayAgent(path).run(task(), ENVIRONMENT).answer == "one"


def test_a_trial_that_was_not_recorded_is_no_fault_of_the_agent(tmp_path: Path) -> None:
    trial = ReplayAgent(write(tmp_path / "t.jsonl", recorded(0))).run(task(slot=4), ENVIRONMENT)
    assert (trial.status, trial.key, trial.seed) == ("infra_error", task(slot=4).key, 7)
    assert trial.reason == "no recorded trial of this case in slot 4"


def test_a_torn_last_line_is_passed_over(tmp_path: Path) -> None:
    whole = orjson.dumps(recorded(1))
    for cut in (1, len(whole) // 2, len(whole)):
        agent = ReplayAgent(write(tmp_path / "t.jsonl", recorded(), tail=whole[:cut]))
        assert agent.run(task(slot=0), ENVIRONMENT).status == "completed"
        assert agent.run(task(slot=1), ENVIRONMENT).status == "infra_error"


@pytest.mark.parametrize(
    "line",
    [
        b"not json",
        b"{}",
        b"[]",
        b"",
        b"[" * 100_000,
        b"\xff\xfe",
        orjson.dumps(recorded()).replace(b'"slot":0', b'"slot":"0"'),
        orjson.dumps(recorded()).replace(b"1.5", b"NaN"),
        orjson.dumps(recorded()).replace(b"gatebot.trial/1", b"gatebot.trial/2"),
    ],
    ids=["text", "empty-object", "list", "blank", "deep", "bytes", "slot", "nan", "schema"],
)
def test_a_line_that_is_no_trial_is_named(tmp_path: Path, line: bytes) -> None:
    path = write(tmp_path / "t.jsonl", recorded(), tail=line + b"\n")
    with pytest.raises(InputFileError, match=r"t\.jsonl:2"):
        ReplayAgent(path)


def test_a_recording_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="No such file") as missing:
        ReplayAgent(tmp_path / "gone.jsonl")
    assert "agent.replay" in missing.value.hint


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(InputFileError, match="no regular file"):
        ReplayAgent(tmp_path / "fifo")


def test_a_recording_that_changes_meanwhile_is_a_lost_trial(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", recorded())
    agent = ReplayAgent(path)
    path.write_bytes(b"x" * 5000)
    assert agent.run(task(), ENVIRONMENT).status == "infra_error"
    path.unlink()
    assert agent.run(task(), ENVIRONMENT).reason == "cannot read t.jsonl: No such file or directory"
