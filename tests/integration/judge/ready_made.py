"""Stand-ins that others wrote, run as processes: installed on request into a directory that a person names."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

VARIABLE = "GATEBOT_STAND_INS"
AIMOCK, LLMOCK = "@copilotkit/aimock@1.43.0", "llmock==0.2.2"
_INSTALL_SECONDS = 180


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
    if not script.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        _install([npm, "install", "--no-save", "--no-audit", "--no-fund", "--prefix", str(folder), AIMOCK])
    return [node, str(script)]


def llmock_command() -> list[str]:
    """How llmock is started; installed first where it is missing."""
    folder = place() / "llmock"
    program = folder / "bin/llmock"
    if not program.is_file():
        _install([sys.executable, "-m", "venv", str(folder)])
        _install([str(folder / "bin/pip"), "install", "--quiet", LLMOCK])
    return [str(program), "serve"]


def _install(command: Sequence[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_INSTALL_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"cannot be installed here: {type(error).__name__}")


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
