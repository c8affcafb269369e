"""As root, each run has an unprivileged user of its own, can touch nothing else, and is ended as a whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatebot.process.identity import FIRST_UID, LAST_UID
from gatebot.process.launch import Launchers
from gatebot.process.program import Ended, Limits, Program, shell_argv

pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a run another user"),
]
PATH = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
SYSTEM_PYTHON = shutil.which("python3", path=PATH["PATH"]) or "python3"
FORK_BOMB = """
import os
while True:
    try:
        child = os.fork()
    except OSError:
        continue
    if child == 0:
        os.setsid()
"""


@pytest.fixture(scope="module")
def open_place() -> Iterator[Path]:
    """A directory that every user can enter; pytest's own belong to root alone."""
    place = Path(tempfile.mkdtemp(prefix="gatebot-test-"))
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)


@pytest.fixture(scope="module")
def launchers() -> Iterator[Launchers]:
    with Launchers() as pool:
        yield pool


def run_under_own_user(launchers: Launchers, *argv: str, deadline_s: float = 10.0) -> Ended:
    with launchers.run_directory() as directory:
        assert directory.user is not None
        return launchers.launch(
            Program(argv, directory.home, PATH, deadline_s, limits=Limits(processes=200), user=directory.user)
        )


def test_the_report_says_so(launchers: Launchers, open_place: Path) -> None:
    report = launchers.isolation([open_place])
    assert report.own_user
    assert "unprivileged user of its own" in str(report)


def test_a_run_has_no_privilege_left(launchers: Launchers) -> None:
    ended = run_under_own_user(launchers, *shell_argv("id -u; id -g; id -G; cat /proc/self/status"))
    uid, gid, groups, *status = ended.stdout.decode().splitlines()
    assert uid == gid == groups
    assert FIRST_UID <= int(uid) <= LAST_UID
    fields = dict(line.split(":\t", 1) for line in status if ":\t" in line)
    assert fields["Groups"].strip() == ""
    assert fields["NoNewPrivs"] == "1"
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(fields[name], 16) == 0, name


def test_a_setuid_program_gains_nothing(launchers: Launchers, open_place: Path) -> None:
    reader = open_place / "cat"
    shutil.copy("/bin/cat", reader)
    reader.chmod(0o4755)
    ended = run_under_own_user(launchers, str(reader), "/etc/shadow")
    assert ended.exit_code == 1
    assert ended.stdout == b""


def test_a_run_reads_nothing_of_gatebot(launchers: Launchers) -> None:
    me = os.getpid()
    for name in ("environ", "mem", "maps", "fd/0"):
        ended = run_under_own_user(launchers, "cat", f"/proc/{me}/{name}")
        assert ended.exit_code == 1, name
        assert ended.stdout == b""
    assert run_under_own_user(launchers, *shell_argv("cat /proc/$PPID/environ")).exit_code == 1


def test_a_run_can_signal_neither_gatebot_nor_its_launcher(launchers: Launchers) -> None:
    ended = run_under_own_user(
        launchers, *shell_argv(f"kill -9 $PPID || kill -9 {os.getpid()} || echo alive")
    )
    assert ended.ok
    assert ended.stdout == b"alive\n"


def test_two_runs_at_once_have_different_users_and_no_sight_of_each_other(launchers: Launchers) -> None:
    with launchers.run_directory() as one, launchers.run_directory() as other:
        assert one.user is not None
        assert other.user is not None
        assert one.user.uid != other.user.uid
        (one.home / "secret").write_text("s")
        look = Program(("cat", str(one.home / "secret")), other.home, PATH, 10.0, user=other.user)
        assert launchers.launch(look).exit_code == 1


def test_a_run_writes_its_own_directories_and_they_go_away(launchers: Launchers) -> None:
    with launchers.run_directory() as directory:
        write = f"echo a > {directory.home}/f; echo b > {directory.scratch}/g; chmod 0 {directory.home}"
        assert launchers.launch(
            Program(shell_argv(write), directory.scratch, PATH, 10.0, user=directory.user)
        ).ok
        assert (directory.scratch / "g").read_text() == "b\n"
        outside = Program(
            ("touch", str(directory.path / "x")), directory.scratch, PATH, 10.0, user=directory.user
        )
        assert launchers.launch(outside).exit_code == 1
    assert not directory.path.exists()


def test_a_fork_bomb_ends_in_time(launchers: Launchers) -> None:
    ended = run_under_own_user(launchers, SYSTEM_PYTHON, "-S", "-c", FORK_BOMB, deadline_s=0.3)
    assert ended.how == "timeout"
    assert not ended.leftover
    assert ended.wall_s < 0.3 + 2.0


def test_killing_everything_in_reach_harms_nobody_else(launchers: Launchers) -> None:
    ended = run_under_own_user(launchers, SYSTEM_PYTHON, "-S", "-c", "import os; os.kill(-1, 9)")
    assert ended.ok
    assert run_under_own_user(launchers, "true").ok


def test_a_place_that_others_cannot_enter_is_named_and_runs_degraded(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with Launchers() as pool:
        report = pool.isolation([closed])
        assert not report.own_user
        assert "(mode 0700) cannot be entered by another user" in str(report)
        with pool.run_directory() as directory:
            assert directory.user is None


def test_without_root_a_run_still_ends_as_a_whole(open_place: Path) -> None:
    """The degraded mode, tried by a whole gatebot under an unprivileged user: even a fork bomb is ended."""
    script = (
        "import sys; sys.path.append(sys.argv[1])\n"
        "from pathlib import Path\n"
        "from gatebot.process.launch import Launchers\n"
        "from gatebot.process.program import Limits\n"
        "from gatebot.process.program import Program\n"
        "with Launchers() as launchers:\n"
        "    print(launchers.isolation())\n"
        "    def run(*argv):\n"
        "        with launchers.run_directory() as place:\n"
        f"            return launchers.launch(Program(argv, place.home, {PATH!r}, 0.3, limits=Limits(processes=60)))\n"
        f"    bomb = run({SYSTEM_PYTHON!r}, '-S', '-c', {FORK_BOMB!r})\n"
        "    print(bomb.how, bomb.leftover)\n"
        "    mine = '/proc/%d/environ' % __import__('os').getpid()\n"
        "    print(run('cat', mine).exit_code, run('true').how)\n"
    )
    root = Path(__file__).parents[3]
    package = open_place / "gatebot"
    shutil.copytree(root / "gatebot", package, ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run(
        [SYSTEM_PYTHON, "-I", "-c", script, str(open_place)],
        user=LAST_UID + 1,
        group=LAST_UID + 1,
        extra_groups=[],
        env={"SECRET": "SENTINEL"},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    report, bomb, rest = done.stdout.splitlines()
    assert report.startswith("degraded: agents ran as gatebot's own user"), done.stderr
    assert "gatebot is not root" in report
    assert bomb == "timeout False"
    assert rest == "1 exited"
