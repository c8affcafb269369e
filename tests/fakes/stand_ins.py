"""Stand-ins that others wrote, run as processes: installed on request into a directory that a person names."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

VARIABLE = "GATEBOT_STAND_INS"
INSTALL_SECONDS = 120
"""For one step of an installation."""
TEST_SECONDS = 900
"""For a test with the installation it may need, and the wait for one that another process has begun."""
_NPM_INSTALL = (
    "install",
    "--no-save",
    "--no-audit",
    "--no-fund",
    "--fetch-retries=0",
    "--fetch-timeout=30000",
)


def place(what: str) -> Path:
    """The directory of the stand-ins; skips the test where none is named. `what` would be installed there."""
    named = os.environ.get(VARIABLE)
    if not named:
        pytest.skip(f"set {VARIABLE} to a directory where {what} may be installed")
    return Path(named)


def npm_package(folder: Path, package: str) -> tuple[str, ...]:
    """The step that installs a package of npm's into a folder; skips the test where there is no npm."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"{package} needs npm")
    return (npm, *_NPM_INSTALL, "--prefix", str(folder), package)


def require(root: Path, program: Path, steps: tuple[tuple[str, ...], ...]) -> None:
    """Skip the test unless the file below `root` is there, or can be installed by the steps."""
    failed = _installed(root, program, steps)
    if failed:
        pytest.skip(failed)


@cache
def _installed(root: Path, program: Path, steps: tuple[tuple[str, ...], ...]) -> str:
    """Install what is missing, tried once in a process, one process at a time. Why it failed, or an empty string."""
    name = program.relative_to(root).parts[0]
    root.mkdir(parents=True, exist_ok=True)
    with (root / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if program.is_file():
            return ""
        try:
            for step in steps:
                subprocess.run(step, check=True, capture_output=True, timeout=INSTALL_SECONDS)
        except (OSError, subprocess.SubprocessError) as error:
            return f"{name} cannot be installed here: {type(error).__name__}"
    return "" if program.is_file() else f"{name} is not in what was installed"


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(command: Sequence[str], ready: str) -> Generator[None]:
    """Run a server until the block ends; it is ready when a line of its output says so."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
    )
    assert process.stdout is not None
    try:
        if not any(ready in line for line in process.stdout):
            pytest.fail(f"{Path(command[0]).name} ended before it was ready")
        yield
    finally:
        process.terminate()
        process.stdout.close()
        process.wait(30)
