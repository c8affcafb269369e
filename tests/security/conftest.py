"""A sandbox to attack: launchers as an evaluation makes them, and hostile Python run exactly as a trial is."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from gatebot.agents.program_agent import LIMITS
from gatebot.process import landlock
from gatebot.process.environment import SYSTEM_PATH, child_environment
from gatebot.process.isolation import Network
from gatebot.process.launch import Launchers
from gatebot.process.program import Ended, Limits, Program
from gatebot.process.run_directory import RunDirectory
from gatebot.process.walls import walls_around

SYSTEM_PYTHON = shutil.which("python3", path=":".join(map(str, SYSTEM_PATH))) or "python3"
ORDINARY_USER = 60999
"""A user below those that trials get: who gatebot is on a laptop."""
ROOT = os.geteuid() == 0
PACKAGE = Path(__file__).parents[2] / "gatebot"

NO_LANDLOCK = """
import ctypes
from gatebot.process import kernel, seccomp
rules = ((0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x50000 | 38), (0x06, 0, 0, 0x7FFF0000))
program = seccomp._Filter(4, (seccomp._Instruction * 4)(*(seccomp._Instruction(*rule) for rule in rules)))
kernel.set_process_option(38, 1)
kernel.set_process_option(22, 2, ctypes.addressof(program))
"""
"""A kernel without Landlock: its first call answers ENOSYS from here on, in every child too."""

NO_NAMESPACES = NO_LANDLOCK.replace("0, 1, 444", "0, 1, 272").replace("| 38", "| 1")
"""A default container on x86-64: `unshare` answers EPERM from here on."""

needs_root = [
    pytest.mark.root,
    pytest.mark.skipif(not ROOT, reason="only root can give a run another user"),
    pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock"),
]


@cache
def own_network_here() -> bool:
    """Whether a trial can have a network of its own on this machine."""
    with Launchers() as launchers:
        return launchers.isolation(network="loopback").loopback


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Runs hostile code as trials are run, in a checkout that is gatebot's."""

    launchers: Launchers
    place: Path

    @property
    def checkout(self) -> Path:
        """What every trial sees of its side."""
        return self.place / "checkout"

    def run(
        self,
        code: str,
        *,
        stdin: bytes = b"",
        deadline_s: float = 20.0,
        network: Network = "open",
        limits: Limits = LIMITS,
    ) -> Ended:
        """One trial of the Python code."""
        with self.launchers.run_directory() as directory:
            assert directory.user is not None
            return self.run_in(
                directory, code, stdin=stdin, deadline_s=deadline_s, network=network, limits=limits
            )

    def run_in(
        self,
        directory: RunDirectory,
        code: str,
        *,
        stdin: bytes = b"",
        deadline_s: float = 20.0,
        network: Network = "open",
        limits: Limits = LIMITS,
    ) -> Ended:
        """The same in a run directory that the caller looks at afterwards."""
        return self.launchers.launch(
            Program(
                (SYSTEM_PYTHON, "-I", "-S", "-c", textwrap.dedent(code)),
                self.checkout,
                child_environment(home=directory.home, scratch=directory.scratch),
                deadline_s,
                stdin=stdin,
                limits=replace(limits, processes=limits.processes or 512),
                user=directory.user,
                offline=network == "none",
                loopback=network == "loopback",
                walls=walls_around(directory, (self.checkout,)),
            )
        )


@pytest.fixture(scope="module")
def open_place() -> Iterator[Path]:
    """A directory that every user may enter, with an empty checkout in it; pytest's own belong to root alone."""
    place = Path(tempfile.mkdtemp(prefix="gatebot-security-"))
    for folder in (place, place / "checkout"):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
    yield place
    shutil.rmtree(place)


@pytest.fixture(scope="module")
def sandbox(open_place: Path) -> Iterator[Sandbox]:
    with Launchers(open_place) as launchers:
        yield Sandbox(launchers, open_place)


@dataclass(frozen=True, slots=True)
class Victim:
    """A whole gatebot of its own (its process package), which runs one hostile trial and prints what that printed."""

    place: Path

    def command(self, script: str, *argv: str) -> list[str]:
        """The command line of the script, which finds `launchers`, `hostile(code, …)` and `place` defined."""
        code = _PRELUDE + textwrap.dedent(script)
        return [SYSTEM_PYTHON, "-I", "-S", "-c", code, str(self.place), *argv]

    def run(self, script: str, *argv: str, user: int | None, env: Mapping[str, str]) -> str:
        """Standard output of the script, run to its end by that user (None = root)."""
        done = subprocess.run(
            self.command(script, *argv),
            user=user,
            group=user,
            extra_groups=None if user is None else [],
            env=dict(env),
            cwd="/",
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


_PRELUDE = """
import os, sys
from pathlib import Path
place = Path(sys.argv[1])
sys.path.append(str(place / "package"))
from gatebot.process.environment import child_environment
from gatebot.process.launch import Launchers
from gatebot.process.program import Program
from gatebot.process.walls import walls_around
launchers = Launchers()

def hostile(code, stdin=b"", network="open"):
    with launchers.run_directory() as directory:
        return launchers.launch(Program(
            ("python3", "-I", "-S", "-c", code), directory.home,
            child_environment(home=directory.home, scratch=directory.scratch), 60.0,
            stdin=stdin, user=directory.user, walls=walls_around(directory, ()),
            offline=network == "none", loopback=network == "loopback",
        ))
"""


@pytest.fixture(scope="module")
def victim() -> Iterator[Victim]:
    place = Path(tempfile.mkdtemp(prefix="gatebot-victim-"))
    place.chmod(0o755)
    shutil.copytree(PACKAGE, place / "package" / "gatebot", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (place / "package", *(place / "package").rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    yield Victim(place)
    shutil.rmtree(place)


@pytest.fixture
def as_user() -> Callable[[str], int | None]:
    """`root` or `rootless`, as a user number for `Victim.run`."""
    return {"root": None, "rootless": ORDINARY_USER}.__getitem__
