"""Stand-ins for the judge's API that others wrote: how they are installed and started."""

from __future__ import annotations

import shutil
import sys

import pytest

from tests.fakes.stand_ins import TEST_SECONDS, free_port, npm_package, place, require, running

__all__ = ["TEST_SECONDS", "aimock_command", "free_port", "llmock_command", "running"]

AIMOCK, LLMOCK = "@copilotkit/aimock@1.43.0", "llmock==0.2.2"


def aimock_command() -> list[str]:
    """How aimock is started; installed first where it is missing."""
    root = place(f"{AIMOCK} and {LLMOCK}")
    script = root / "aimock/node_modules/@copilotkit/aimock/dist/cli.js"
    node = shutil.which("node")
    if node is None:
        pytest.skip("aimock needs node")
    require(root, script, (npm_package(root / "aimock", AIMOCK),))
    return [node, str(script)]


def llmock_command() -> list[str]:
    """How llmock is started; installed first where it is missing."""
    root = place(f"{AIMOCK} and {LLMOCK}")
    folder = root / "llmock"
    program = folder / "bin/llmock"
    pip = (str(folder / "bin/pip"), "install", "--quiet", "--retries=0", LLMOCK)
    require(root, program, ((sys.executable, "-m", "venv", str(folder)), pip))
    return [str(program), "serve"]
