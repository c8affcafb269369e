"""Setup commands with real processes: an environment of the side's own, no secrets, a log, a reason when it fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gatebot.errors import InfrastructureError
from gatebot.process.launch import Launchers
from gatebot.process.program import Ended, Program
from gatebot.workspace.setup import SetupDone, SideSetup, how_it_ended, plain_text, set_up


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


@pytest.fixture(scope="module")
def launchers() -> Iterator[Launchers]:
    with Launchers() as opened:
        yield opened


@pytest.fixture
def side(tmp_path: Path) -> SideSetup:
    checkout = tmp_path / "work" / "x" / "agent"
    checkout.mkdir(parents=True)
    return SideSetup("head", (), checkout, "d" * 64)


def run(launchers: Launchers | Counted, side: SideSetup, *commands: str) -> tuple[SetupDone, str]:
    """Set up below the directory above the checkout's; the outcome and the log."""
    work = side.directory.parents[1]
    log = work.parent / "setup-head.log"
    done = set_up(launchers, replace(side, commands=commands), work, log)
    return done, log.read_text(encoding="utf-8") if log.exists() else ""


def test_without_commands_nothing_is_made(launchers: Launchers, side: SideSetup) -> None:
    done, log = run(launchers, side)
    assert (done, log) == (SetupDone(), "")
    assert [path.name for path in side.directory.parents[1].iterdir()] == ["x"]


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
    assert "head" not in str(bin_dir).removeprefix(str(side.directory.parents[2]))
    assert "$ echo to the log; echo and this >&2\nto the log\nand this\n" in log
    assert "\ufffd[31mred\n" in log
    assert bin_dir.parents[1].stat().st_mode & 0o7777 == 0o755
    left = [path.name for path in side.directory.parents[1].iterdir()]
    assert sorted(left) == sorted(["x", bin_dir.parents[1].name])  # no HOME or TMPDIR stays behind

    again, _ = run(counted, side, *commands)
    assert (again, len(counted.programs)) == (done, 1 + len(commands))


def test_a_setup_is_done_once_and_again_if_it_was_cut_off(launchers: Launchers, side: SideSetup) -> None:
    counted = Counted(launchers, without_venv=True)
    run(counted, side, "echo x >> times")
    run(counted, side, "echo x >> times")
    assert len(counted.programs) == 2
    (stamp,) = side.directory.parents[1].glob("env-*/ready")
    stamp.unlink()  # as if killed before the end
    run(counted, side, "echo x >> times")
    assert (side.directory / "times").read_text(encoding="utf-8") == "x\nx\n"


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
    assert len(counted.programs) == 2 * ran  # a failure is not kept: the next run tries again


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

        work = side.directory.parents[1]
        with pytest.raises(InfrastructureError, match="ended from outside"):
            set_up(Stops(), replace(side, commands=("true",)), work, work / "log")


def test_a_log_that_cannot_be_written_is_a_clear_error(launchers: Launchers, side: SideSetup) -> None:
    work = side.directory.parents[1]
    with pytest.raises(InfrastructureError, match="cannot set up"):
        set_up(launchers, replace(side, commands=("true",)), work, work / "nowhere" / "log")


def test_both_sides_install_apart(launchers: Launchers, side: SideSetup) -> None:
    places = set[str]()
    counted = Counted(launchers, without_venv=True)
    for one in (side, replace(side, side="base"), replace(side, digest="e" * 64)):
        run(counted, one, "true")
        work = side.directory.parents[1]
        places |= {path.name for path in work.iterdir() if path.name.startswith("env-")}
    assert len(places) == 3


def test_what_a_program_prints_is_plain_in_the_log() -> None:
    assert (
        plain_text(b"a\r\nb\rc\x1b]0;title\x07\xff\xc2\x9b\ttab")
        == "a\nb\nc\ufffd]0;title\ufffd\ufffd\ufffd\ttab"
    )
    assert len(how_it_ended(Ended("exited", exit_code=1, stdout=b"x" * 5000), 1)) < 350
