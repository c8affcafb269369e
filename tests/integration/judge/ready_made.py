"""Stand-ins that others wrote, run as processes: installed on request into a directory that a person names."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

VARIABLE = "GATEBOT_STAND_INS"
AIMOCK, LLMOCK = "@copilotkit/aimock@1.43.0", "llmock==0.2.2"
_INSTALL_SECONDS = 120
"""For one step of an installation."""
TEST_SECONDS = 900
"""For a test with the installation it may need, and the wait for one that another process has begun."""


def place() -> Path:
    """The directory of the stand-ins; skips the test where none is named."""
    named = os.environ.get(VARIABLE)
    if not named:
        pytest.skip(f"set {VARIABLE} to a directory where {AIMOCK} and {LLMOCK} may be installed")
    return Path(named)


def aimock_command() -> list[str]:
    """How aimock is started; installed first where it is missing."""
    folder = place() / "aimock"
    script = folder / "node_modules/@copilotkit/aimock/dist/cli.js"
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("aimock needs node and npm")
    install = (
        npm,
        "install",
        "--no-save",
        "--no-audit",
        "--no-fund",
        "--fetch-retries=0",
        "--fetch-timeout=30000",
    )
    _require(script, ((*install, "--prefix", str(folder), AIMOCK),))
    return [node, str(script)]


def llmock_command() -> list[str]:
    """How llmock is started; installed first where it is missing."""
    folder = place() / "llmock"
    program = folder / "bin/llmock"
    pip = (str(folder / "bin/pip"), "install", "--quiet", "--retries=0", LLMOCK)
    _require(program, ((sys.executable, "-m", "venv", str(folder)), pip))
    return [str(program), "serve"]


def _require(program: Path, steps: tuple[tuple[str, ...], ...]) -> None:
    """Skip the test unless the program is there, or can be installed."""
    failed = _installed(place(), program, steps)
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
                subprocess.run(step, check=True, capture_output=True, timeout=_INSTALL_SECONDS)
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
