"""Killed at any moment and run again: every trial is there, and none that had finished ran twice."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from gatebot.model.trial import Timing, Trial, TrialKey
from gatebot.results.journal import read_trials
from tests.integration.runner.driver import WIDTH, planned

ROOT = Path(__file__).resolve().parents[3]
DRIVER = Path(__file__).with_name("driver.py")


def start(directory: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(DRIVER), str(directory), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(ROOT)},
    )


def finish(directory: Path, *words: str) -> int:
    with start(directory, *words) as process:
        process.communicate(timeout=60)
        return process.returncode


def stop_after(directory: Path, ended: int, number: signal.Signals) -> tuple[int, str]:
    """Send the signal when so many trials have ended; the exit code and what was said on standard error."""
    with start(directory) as process:
        assert process.stdout is not None
        for _ in range(ended):
            assert process.stdout.readline() == "ended\n"
        process.send_signal(number)
        said = process.communicate(timeout=5)[1]  # five seconds are the promise for SIGTERM
        return process.returncode, said


def runs(directory: Path) -> Counter[TrialKey]:
    """How often each trial was begun, as the agent counted."""
    counted = Counter[TrialKey]()
    for line in (directory / "runs").read_text(encoding="ascii").splitlines():
        case, side, slot = line.split(" ")
        counted[TrialKey(case, "base" if side == "base" else "head", int(slot))] += 1
    return counted


def stored(directory: Path) -> list[Trial]:
    """The journal's trials without what is measured, sorted."""
    trials = [replace(trial, timing=Timing()) for trial in read_trials(directory / "trials.jsonl")]
    return sorted(trials, key=lambda trial: trial.key)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> list[Trial]:
    directory = tmp_path_factory.mktemp("whole")
    assert finish(directory) == 0
    assert set(runs(directory).values()) == {1}
    return stored(directory)


def check_resumed(directory: Path, done: set[TrialKey], uninterrupted: list[Trial]) -> None:
    """After the last run: the same trials as without interruption, and the finished ones ran once."""
    assert stored(directory) == uninterrupted
    counted = runs(directory)
    assert sorted(counted) == sorted(planned())
    assert {key: counted[key] for key in done} == dict.fromkeys(done, 1)
    lines = (directory / "trials.jsonl").read_bytes().splitlines()
    assert len(lines) == len(planned())


@pytest.mark.parametrize("ended", [1, 2, 5, 11, 17, 23, 29, 38, 47, 58])
def test_killed_while_it_runs(tmp_path: Path, uninterrupted: list[Trial], ended: int) -> None:
    code, _ = stop_after(tmp_path, ended, signal.SIGKILL)
    assert code == -signal.SIGKILL
    done = {trial.key for trial in stored(tmp_path)}
    assert finish(tmp_path) == 0
    check_resumed(tmp_path, done, uninterrupted)
    assert finish(tmp_path) == 0  # a third time there is nothing left to run
    check_resumed(tmp_path, set(runs(tmp_path)) & done, uninterrupted)


@pytest.mark.parametrize("number", [1, 2, 7, 13])
def test_killed_in_the_middle_of_a_line(tmp_path: Path, uninterrupted: list[Trial], number: int) -> None:
    assert finish(tmp_path, "die-in-write", str(number)) == -signal.SIGKILL
    journal = (tmp_path / "trials.jsonl").read_bytes()
    assert not journal.endswith(b"\n") or len(journal.splitlines()) > number - 1
    done = {trial.key for trial in stored(tmp_path)}
    assert len(done) >= number - 1
    assert finish(tmp_path) == 0
    check_resumed(tmp_path, done, uninterrupted)


def test_killed_again_and_again(tmp_path: Path, uninterrupted: list[Trial]) -> None:
    paid: Counter[TrialKey] = Counter()
    for _ in range(6):
        assert stop_after(tmp_path, 4, signal.SIGKILL)[0] == -signal.SIGKILL
        counted = runs(tmp_path)
        assert {key: counted[key] for key in paid} == paid  # what had finished before did not run again
        paid = Counter({trial.key: counted[trial.key] for trial in stored(tmp_path)})
    assert len(paid) >= 6 * (4 - WIDTH)
    assert finish(tmp_path) == 0
    check_resumed(tmp_path, set(), uninterrupted)
    counted = runs(tmp_path)
    assert {key: counted[key] for key in paid} == paid


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_it_says_how_far_it_came_and_goes_on_later(
    tmp_path: Path, uninterrupted: list[Trial], number: signal.Signals
) -> None:
    code, said = stop_after(tmp_path, 20, number)
    done = {trial.key for trial in stored(tmp_path)}
    assert code == 130
    assert said == f"cancelled, {len(done)} of {len(planned())} done\n"
    assert len(done) >= 20 - WIDTH
    assert all(trial.status == "completed" for trial in stored(tmp_path))
    assert finish(tmp_path) == 0
    check_resumed(tmp_path, done, uninterrupted)
