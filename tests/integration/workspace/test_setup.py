"""Setup commands with real processes: an environment of the side's own, no secrets, a log, a reason when it fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path, PurePath

import pytest

from gatebot.errors import InfrastructureError
from gatebot.process.launch import Launchers
from gatebot.process.program import Ended, Program
from gatebot.process.run_directory import RunDirectory
from gatebot.workspace.setup import SetupDone, SideSetup, found_setup, how_it_ended, plain_text, set_up
from gatebot.workspace.uv import uv_for


class Counted:
    """Launches for real, and counts; `without_venv` stands for a system whose Python cannot make environments."""

    def __init__(self, launchers: Launchers, *, without_venv: bool = False) -> None:
        self._launchers = launchers
        self._without_venv = without_venv
        self.programs: list[Program] = []

    def launch(self, program: Program) -> Ended:
        self.programs.append(program)
        if self._without_venv and "venv" in program.argv:
            program = replace(
                program, argv=("/bin/sh", "-c", "echo 'ensurepip is not available' >&2; exit 1")
            )
        return self._launchers.launch(program)

    def run_directory(self, needed: Iterable[PurePath] = ()) -> AbstractContextManager[RunDirectory]:
        return self._launchers.run_directory(needed)


@pytest.fixture(scope="module")
def launchers() -> Iterator[Launchers]:
    with Launchers() as opened:
        yield opened


@pytest.fixture
def side(tmp_path: Path) -> SideSetup:
    checkout = tmp_path / "work" / "x" / "agent"
    checkout.mkdir(parents=True)
    return SideSetup((), checkout)


def run(launchers: Launchers | Counted, side: SideSetup, *commands: str) -> tuple[SetupDone, str]:
    """Set up beside the checkout; the outcome and the log."""
    place = side.directory.parent
    log = place.parent / "setup-head.log"
    done = set_up(launchers, replace(side, commands=commands), place, log)
    return done, log.read_text(encoding="utf-8") if log.exists() else ""


def test_without_commands_nothing_is_made(launchers: Launchers, side: SideSetup) -> None:
    done, log = run(launchers, side)
    assert (done, log) == (SetupDone(), "")
    assert [path.name for path in side.directory.parent.iterdir()] == ["agent"]


def test_a_side_gets_an_environment_of_its_own(
    launchers: Launchers, side: SideSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "sentinel-secret")
    monkeypatch.setenv("API_KEY", "sentinel-secret")
    counted = Counted(launchers)
    commands = (
        "pwd > where; env > environment",
        "python -c 'import sys; print(sys.prefix)' > prefix && pip --version > pip",
        "echo to the log; echo and this >&2",
        "printf '\\033[31mred\\r\\n'",
        "cd / && x=1",
        'test -z "$x" && test "$(pwd)" = "$(cat where)"',
    )
    done, log = run(counted, replace(side, variables={"PIP_INDEX_URL": "sentinel-index"}), *commands)
    assert (done.ok, done.reason) == (True, "")
    environment = (side.directory / "environment").read_text(encoding="utf-8")
    (bin_dir,) = done.bin_dirs
    assert "sentinel-secret" not in environment
    assert "PIP_INDEX_URL=sentinel-index" in environment
    assert f"PATH={bin_dir}:" in environment
    assert f"VIRTUAL_ENV={bin_dir.parent}\n" in environment
    assert (side.directory / "where").read_text(encoding="utf-8").strip() == str(side.directory)
    assert (side.directory / "prefix").read_text(encoding="utf-8").strip() == str(bin_dir.parent)
    assert str(bin_dir.parent) in (side.directory / "pip").read_text(encoding="utf-8")
    assert "$ echo to the log; echo and this >&2\nto the log\nand this\n" in log
    assert "\ufffd[31mred\n" in log
    assert bin_dir.parents[1].stat().st_mode & 0o7777 == 0o755
    left = [path.name for path in side.directory.parent.iterdir()]
    assert sorted(left) == ["agent", "env"]  # no HOME or TMPDIR stays behind
    assert found_setup(side.directory.parent) == done


def test_python_is_compiled_once_for_all_trials(launchers: Launchers, side: SideSetup) -> None:
    (side.directory / "agent.py").write_text("x = 1\n", encoding="utf-8")
    (side.directory / "old.py").write_text(
        "print 'python 2'\n", encoding="utf-8"
    )  # fails, which is nobody's fault
    done, _ = run(launchers, side, "true")
    assert done.ok
    assert [path.name.split(".")[0] for path in side.directory.glob("__pycache__/*")] == ["agent"]


def test_uv_makes_the_environment_where_the_commands_ask_for_it(
    launchers: Launchers, side: SideSetup
) -> None:
    if uv_for(side.directory.parent) is None:
        pytest.skip("no uv on this machine")
    counted = Counted(launchers)
    done, log = run(counted, side, "uv pip list", "python -c 'import sys; print(sys.prefix)' > prefix")
    assert (done.ok, done.reason) == (True, ""), log
    assert counted.programs[0].argv[1] == "venv"
    assert (side.directory / "prefix").read_text(encoding="utf-8").strip() == str(done.bin_dirs[0].parent)
    run(counted, side, "uv --version && pip --version")
    assert "-m" in counted.programs[-4].argv  # uv's environments have no pip


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("echo no such package >&2; exit 3", "ended with exit code 3: no such package"),
        ("kill -9 $$", "was ended by signal 9"),
        ("no-such-program-anywhere", "ended with exit code 127"),
        ("printf 'half a line\\n\\n  \\n'; false", "ended with exit code 1: half a line"),
    ],
)
def test_a_command_that_fails_is_the_sides_fault(
    launchers: Launchers, side: SideSetup, command: str, reason: str
) -> None:
    counted = Counted(launchers, without_venv=True)
    done, log = run(counted, side, command, "touch after")
    assert not done.ok
    assert done.reason.startswith(f"`{command}` {reason}")
    assert not (side.directory / "after").exists()
    assert reason.split(":", maxsplit=1)[0] in log
    ran = len(counted.programs)
    run(counted, side, command, "touch after")
    assert len(counted.programs) == 2 * ran


def test_a_command_that_hangs_ends_at_its_deadline(launchers: Launchers, side: SideSetup) -> None:
    done, _ = run(Counted(launchers, without_venv=True), replace(side, timeout_s=0.3), "while :; do :; done")
    assert done.reason == "`while :; do :; done` did not end within 0.3 s"


def test_a_flood_ends_at_the_cap(
    launchers: Launchers, side: SideSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatebot.workspace.setup.MAX_LOG_BYTES", 10_000)
    done, log = run(Counted(launchers, without_venv=True), side, "yes")
    assert done.reason.startswith("`yes` printed more than")
    assert len(log) < 20_000


def test_commands_that_need_no_python_go_without_an_environment(
    launchers: Launchers, side: SideSetup
) -> None:
    done, _ = run(Counted(launchers, without_venv=True), side, "touch made")
    assert (done.ok, done.bin_dirs, done.variables) == (True, (), {})
    assert (side.directory / "made").exists()


def test_commands_that_need_python_say_what_is_missing(launchers: Launchers, side: SideSetup) -> None:
    with pytest.raises(InfrastructureError, match="ensurepip is not available") as caught:
        run(Counted(launchers, without_venv=True), side, "pip install -r requirements.txt")
    assert "python3-venv" in caught.value.hint


def test_being_told_to_stop_is_nobodys_failure(side: SideSetup) -> None:
    with Launchers() as stopping:

        class Stops:
            def launch(self, program: Program) -> Ended:
                if "venv" in program.argv:
                    return Ended("exited", exit_code=1)
                stopping.terminate_all()
                return Ended("terminated")

            run_directory = stopping.run_directory

        place = side.directory.parent
        with pytest.raises(InfrastructureError, match="ended from outside"):
            set_up(Stops(), replace(side, commands=("true",)), place, place / "log")


def test_a_log_that_cannot_be_written_is_a_clear_error(launchers: Launchers, side: SideSetup) -> None:
    place = side.directory.parent
    with pytest.raises(InfrastructureError, match="cannot set up"):
        set_up(launchers, replace(side, commands=("true",)), place, place / "nowhere" / "log")


def test_what_a_program_prints_is_plain_in_the_log() -> None:
    assert (
        plain_text(b"a\r\nb\rc\x1b]0;title\x07\xff\xc2\x9b\ttab")
        == "a\nb\nc\ufffd]0;title\ufffd\ufffd\ufffd\ttab"
    )
    assert len(how_it_ended(Ended("exited", exit_code=1, stdout=b"x" * 5000), 1)) < 350
