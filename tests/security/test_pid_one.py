"""gatebot as process 1 of a container: SIGINT and SIGTERM end everything within five seconds, and nothing is lost."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatebot.process.run_directory import remove_tree
from tests.builders import CONFIG, Project, shop
from tests.integration.stories.command_line import subprocess_argv
from tests.security.conftest import needs_root

PROCESS_1 = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")


def _can_be_process_1() -> bool:
    """Whether a process 1 can be made here: there is `unshare`, and the kernel lets it (a container's does not)."""
    if shutil.which(PROCESS_1[0]) is None:
        return False
    return subprocess.run([*PROCESS_1, "true"], check=False, capture_output=True).returncode == 0


pytestmark = [
    *needs_root,
    pytest.mark.skipif(not _can_be_process_1(), reason="no process 1 can be made here"),
]
AGENT = """\
import os, socket, sys, time
sys.stdin.read()
os.fork() or os.setsid()
connection = socket.create_connection(("127.0.0.1", PORT))
connection.sendall(b"x")
time.sleep(600)
"""


@pytest.fixture
def cache() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="gatebot-security-cache-"))
    place.chmod(0o711)
    yield place
    assert remove_tree(place)


def child_of(pid: int) -> int:
    """The one child of a process, in our own numbers."""
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_f29_told_to_stop_as_process_1(tmp_path: Path, cache: Path, number: signal.Signals) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        agent = AGENT.replace("PORT", str(server.getsockname()[1]))
        config = CONFIG.replace("timeout: 20", "timeout: 100")
        project = Project(tmp_path / "shop", {**shop(config=config), "agent.py": agent})
        argv = subprocess_argv("run", "--repo", project.root, "--out", tmp_path / "out", "--seeds", "1")
        argv[1:1] = ["-P"]  # as the image's entry point does: nothing is imported from where it is started
        with subprocess.Popen(
            [*PROCESS_1, *argv],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": os.pathsep.join(sys.path)},
        ) as process:
            agents = [server.accept()[0] for _ in range(4)]
            began = time.monotonic()
            os.kill(child_of(process.pid), number)
            _, told = process.communicate(timeout=30)
            took = time.monotonic() - began
        for connection in agents:
            with connection:
                connection.settimeout(5)
                while connection.recv(16):
                    pass  # what the agent had sent; then its end, which is its death
    assert b"cancelled, 0 of 4 done" in told, told
    assert took < 5
    assert process.returncode == 130
