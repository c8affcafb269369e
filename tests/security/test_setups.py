"""Attacks by setup commands (sections D and E of docs/security.md): on the machine, the trials, and the other side."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path, PurePath

import pytest

from gatebot.process.launch import Launchers
from gatebot.process.program import Ended, Limits, Program
from gatebot.process.run_directory import RunDirectory
from gatebot.workspace import setup as side_setup
from gatebot.workspace.kept_place import kept_place
from gatebot.workspace.setup import SetupDone, SideSetup, set_up
from tests.security.conftest import ORDINARY_USER, Victim, needs_root

pytestmark = needs_root
SECRET = "CANARY that everybody may read"


@dataclass(frozen=True)
class Bench:
    """Sets up one side with hostile commands; `without_python` makes that quick."""

    launchers: Launchers
    root: Path

    @property
    def place(self) -> Path:
        return self.root / "head"

    @property
    def checkout(self) -> Path:
        return self.place / "agent"

    @property
    def public(self) -> Path:
        """A directory that is none of the setup's business, though every user may read it."""
        return self.root / "public"

    def run_directory(self, needed: Iterable[PurePath] = ()) -> AbstractContextManager[RunDirectory]:
        return self.launchers.run_directory(needed)

    def launch(self, program: Program) -> Ended:
        if program.argv[1:3] == ("-m", "venv"):
            venv = Path(program.argv[3]) / "bin"
            (venv).mkdir(parents=True)
            (venv / "python").symlink_to("/usr/bin/python3")
            for path in (venv, venv.parent):
                os.chown(path, program.user.uid if program.user else 0, -1)
            return Ended("exited", exit_code=0)
        return self.launchers.launch(program)

    def set_up(self, *commands: str, folder: str = "") -> SetupDone:
        return set_up(self, SideSetup(commands, self.checkout, folder), self.place, self.root / "log")


@pytest.fixture
def bench() -> Iterator[Bench]:
    root = Path(tempfile.mkdtemp(prefix="gatebot-setups-"))
    for folder in ("", "head", "head/agent", "head/agent/sub", "public", "base", "base/agent"):
        (root / folder).mkdir(exist_ok=True)
        (root / folder).chmod(0o755)
    (root / "public" / "bin").mkdir()
    (root / "public" / "secret").write_text(SECRET)
    with Launchers(root) as launchers:
        yield Bench(launchers, root)
    shutil.rmtree(root)


def test_s27_an_environment_that_becomes_a_link_opens_nothing(bench: Bench) -> None:
    """Later commands and trials may read the environment: it must not become somebody's home."""
    venv = bench.place / "env" / "venv"
    done = bench.set_up(
        f"rm -r {venv}; ln -s {bench.public} {venv}", f"cp {venv}/secret stolen; cat {venv}/secret"
    )
    assert (done.ok, done.bin_dirs) == (False, ())
    assert "in the place of the Python environment" in done.reason
    assert SECRET not in (bench.root / "log").read_text()
    assert not (bench.checkout / "stolen").exists()
    assert side_setup.found_setup(bench.place) == SetupDone()


def test_s27_a_directory_that_becomes_a_link_opens_nothing(bench: Bench) -> None:
    """Trials may read it, and copies of it are made as root."""
    top = bench.checkout
    done = bench.set_up(
        f"cd {top}; mv sub old; ln -s {bench.public} sub", f"cat {top}/sub/secret", folder="sub"
    )
    assert not done.ok
    assert "in the place of the directory it ran in" in done.reason
    assert SECRET not in (bench.root / "log").read_text()


def test_s27_a_directory_that_is_a_link_from_the_start_opens_nothing(bench: Bench) -> None:
    (bench.checkout / "link").symlink_to(bench.public)
    for commands in ((), ("true",)):
        done = bench.set_up(*commands, folder="link")
        assert not done.ok
        assert "is a link" in done.reason


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (
            "python3 -c \"import os\nfor _ in range(30): os.mkdir('d' * 200); os.chdir('d' * 200)\"",
            "cannot be read",
        ),
        ("mkdir closed; touch closed/file; chmod 0 closed/file closed", ""),
        ("python3 -c \"open(b'\\xff\\n', 'w'); open('-rf', 'w')\"", ""),
        ("chmod 0 .", ""),
    ],
    ids=["deep", "closed", "names", "closes itself"],
)
def test_s35_what_a_setup_leaves_is_read_back_or_is_its_own_failure(
    bench: Bench, command: str, reason: str
) -> None:
    """Never the machine's: a head must not turn its own into a fault of infrastructure."""
    done = bench.set_up(command)
    assert done.ok is not bool(reason), done.reason
    assert reason in done.reason
    assert os.access(bench.checkout, os.R_OK)
    with kept_place(bench.root, ("a",)) as place:
        (place.path / "x").mkdir()
        shutil.move(bench.checkout, place.path / "x")
        place.clear()
        assert [entry.name for entry in place.path.iterdir()] == ["lock"]


@pytest.mark.parametrize(
    "command",
    [
        "mkfifo pipe.py",
        "python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('pipe.py')\"",
        "mkdir -p deep/er && mkfifo deep/er/pipe.py",
    ],
)
def test_s46_what_is_no_file_is_refused_by_name(bench: Bench, command: str) -> None:
    """Who opens one waits forever: compiling, copying, hashing."""
    done = bench.set_up(command)
    assert not done.ok
    assert done.reason == "the setup left something that is no file: pipe.py"


def test_s27_nothing_but_its_own_is_writable_and_nothing_of_the_other_side_readable(bench: Bench) -> None:
    (bench.root / "base" / "agent" / "agent.py").write_text(SECRET)
    places = ["/tmp", "/var/tmp", "/", "/run", bench.root, bench.place, bench.public, bench.root / "base"]
    commands = [f"! touch {place}/gatebot-was-here" for place in places]
    commands += [
        f"! cat {bench.root}/base/agent/agent.py",
        "touch here $HOME/there $TMPDIR/there",
        "test $TMPDIR != /tmp",
    ]
    done = bench.set_up(*commands)
    assert (done.ok, done.reason) == (True, "")
    assert SECRET not in (bench.root / "log").read_text()
    assert not any(Path(place, "gatebot-was-here").exists() for place in places)


def test_s27_what_it_leaves_can_be_written_by_nobody(bench: Bench) -> None:
    """Modes, access lists and set-uid bits that a later trial's user could use."""
    access = bytes.fromhex(
        "0200000001000700ffffffff02000700c8f0000004000700ffffffff10000700ffffffff20000700ffffffff"
    )  # version 2; owner, user 61640, group, mask, others: all of them rwx
    done = bench.set_up(
        "mkdir open; touch open/file; chmod 777 open; chmod 6777 open/file",
        f"""python3 -c "import os
for path in ('open', 'open/file'):
    try: os.setxattr(path, 'system.posix_acl_access', {access!r})
    except OSError: pass
" """,
    )
    assert (done.ok, done.reason) == (True, "")
    uid = 0xF0C8
    for path in (bench.checkout / "open", bench.checkout / "open" / "file"):
        found = path.stat()
        assert (found.st_uid, found.st_mode & 0o7022) == (0, 0), oct(found.st_mode)
    appended = subprocess.run(
        ["/bin/sh", "-c", 'echo x >> "$1"', "sh", str(bench.checkout / "open" / "file")],
        user=uid,
        group=uid,
        extra_groups=[],
        check=False,
        capture_output=True,
    )
    assert b"Permission denied" in appended.stderr


FILL = "python3 -c \"import time\nfor n in range(40): open(str(n), 'wb').write(b'x' * 1_000_000)\ntime.sleep(30)\""


@pytest.mark.parametrize(
    "command",
    [
        FILL,
        f"cd $VIRTUAL_ENV; {FILL}",
        "python3 -c \"import os, time\nfor n in range(5000): os.mkdir(f'd{n}')\ntime.sleep(30)\"",
        f"(while :; do (sh -c : &) ; done) & {FILL}",
    ],
    ids=["checkout", "environment", "inodes", "among many orphans"],
)
def test_s34_a_setup_that_fills_the_disk_is_ended(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    small = Limits(tree_bytes=10_000_000, tree_entries=1000)
    monkeypatch.setattr(side_setup, "LIMITS", small)
    done = bench.set_up(command)
    assert not done.ok
    assert "wrote more than it may" in done.reason


def test_s29_nothing_of_a_setup_lives_on(bench: Bench) -> None:
    marker = bench.checkout / "pid"
    done = bench.set_up(
        'python3 -c "import os, time\nif os.fork() == 0:\n os.setsid()\n'
        " open('pid', 'w').write(str(os.getpid()))\n time.sleep(600)\nwhile not os.path.exists('pid'): pass\"; "
        "echo x > /dev/shm/gatebot-setup-left"
    )
    assert (done.ok, done.reason) == (True, "")
    assert not Path("/proc", marker.read_text()).exists()
    assert not Path("/dev/shm/gatebot-setup-left").exists()


WITHOUT_ROOT = """
from gatebot.workspace.setup import SideSetup, set_up
home = place / "somebody"
side = place / "side"
for folder in (home / "bin", side / "agent" / "sub"):
    folder.mkdir(parents=True)
(home / "secret").write_text("CANARY of a setup")
(home / "secret").chmod(0o600)
print(launchers.isolation())
venv = side / "env" / "venv"
for commands in (
    (f"rm -r {venv}; ln -s {home} {venv}", f"cat {venv}/secret"),
    (f"cd {side}/agent; rmdir sub; ln -s {home} sub", f"cat {side}/agent/sub/secret"),
    (f"! cat {home}/secret", f"! touch {home}/new {side}/new /tmp/gatebot-was-here /dev/shm/../gatebot-was-here"),
    ("mkdir closed; touch closed/file; chmod 0 closed",),
):
    done = set_up(launchers, SideSetup(commands, side / "agent", "sub"), side, place / "log")
    print(done.ok, done.reason.rpartition("` ")[2], "CANARY" in (place / "log").read_text())
    if (side / "agent" / "sub").is_symlink():
        (side / "agent" / "sub").unlink()
    (side / "agent" / "sub").mkdir(exist_ok=True)
"""


def test_s27_without_root_a_setup_reaches_nothing_of_its_users_either(victim: Victim) -> None:
    """There the files it could be let into by a link are private ones: gatebot's user is its own."""
    os.chown(victim.place, ORDINARY_USER, ORDINARY_USER)
    said = victim.run(WITHOUT_ROOT, user=ORDINARY_USER, env={})
    report, *outcomes = said.splitlines()
    assert report.startswith("degraded: agents ran as gatebot's own user, its files behind Landlock")
    assert outcomes == [
        "False put something else in the place of the Python environment it ran in False",
        "False put something else in the place of the directory it ran in False",
        "True  False",
        "False the setup left what cannot be read: Permission denied False",
    ]
