"""F33, F35, F36: no home, no cache, no temporary directory, a clock that jumps."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.faults.conftest import PullRequest
from tests.integration.stories.command_line import CommandLine, part

ROOT = Path(__file__).resolve().parents[2]


def bare(*argv: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command line with these variables and no others."""
    return subprocess.run(
        [sys.executable, "-m", "gatebot", *argv],
        cwd="/",
        env={"PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


def test_without_home_and_with_an_empty_environment_it_works(
    pull_request: PullRequest, tmp_path: Path
) -> None:
    ended = bare(*pull_request.gate(tmp_path / "out", "--no-store"))
    assert ended.returncode in (0, 1), ended.stderr
    assert "the environment names no cache directory" in ended.stderr


def test_a_temporary_directory_that_is_missing_is_named(
    pull_request: PullRequest, tmp_path: Path, cache: Path
) -> None:
    """Python itself falls back to another directory; where that is the working directory of a repository, it must not."""
    ended = bare(
        *pull_request.gate(tmp_path / "out"), TMPDIR=str(tmp_path / "gone"), XDG_CACHE_HOME=str(cache)
    )
    assert ended.returncode in (0, 1), ended.stderr
    assert not (tmp_path / "gone").exists()


def test_a_cache_that_is_no_directory_is_done_without(
    gatebot: CommandLine, pull_request: PullRequest, cache: Path
) -> None:
    (cache / "gatebot").write_text("a file", encoding="ascii")
    ended = gatebot(*pull_request.gate(gatebot.results, "--store", str(cache / "gatebot")))
    assert ended.code in (0, 1), ended.err
    assert ended.err.count("note: Checkouts and environments are kept in") == 1
    assert ended.err.count("note: finished trials cannot be kept") == 1


def test_a_store_full_of_garbage_is_a_miss_with_a_notice(
    gatebot: CommandLine, pull_request: PullRequest, cache: Path, tmp_path: Path
) -> None:
    """F32 through the command line; entry by entry in tests/unit/results/test_trial_store.py."""
    first = gatebot(*pull_request.gate(gatebot.results))
    entries = [path for path in (cache / "gatebot" / "trials").rglob("*.jsonl") if path.is_file()]
    assert len(entries) == 24
    for number, entry in enumerate(entries):
        entry.write_bytes(
            (b"", b"garbage\n", b'{"schema": "gatebot.stored-trial/9"}\n', entry.read_bytes()[:-9])[
                number % 4
            ]
        )
    again = gatebot(*pull_request.gate(tmp_path / "again"))
    assert again.code == first.code
    assert "note: a kept trial is not used, and run again" in again.err
    assert "newer" in again.err
    assert part(CommandLine(gatebot.capture, tmp_path / "again").report(), "trials")["cached"] == 0


def test_a_clock_that_jumps_ends_no_trial_and_no_budget(
    gatebot: CommandLine, pull_request: PullRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deadlines and budgets go by the monotonic clock; tests/unit/house keeps the other clock out of the package."""
    jumps = itertools.cycle((0.0, 86_400.0, -3_600.0, 1e9))
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + next(jumps))
    ended = gatebot(*pull_request.gate(gatebot.results))
    assert ended.code in (0, 1), ended.err
    assert {trial.status for trial in gatebot.trials()} == {"completed"}
    assert len(gatebot.trials()) == 24


def test_nothing_is_left_in_the_temporary_directory(
    gatebot: CommandLine, pull_request: PullRequest, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = cache / "scratch"
    scratch.mkdir(mode=0o755)
    dead = scratch / "gatebot-session-dead"
    dead.mkdir()
    (dead / "lock").write_text("1\n", encoding="ascii")
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    assert gatebot(*pull_request.gate(gatebot.results)).code in (0, 1)
    assert list(scratch.iterdir()) == []
