"""The image as GitHub's hosted runner starts it: foreign owners, left credentials, file commands, cancellation."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping

import pytest

from tests.builders import CONFIG, shop, wrong
from tests.e2e.conftest import Docker, Figures
from tests.e2e.forge import TOKEN, Forge
from tests.e2e.hosted import LEFT_BEHIND, RUNNER, SECRETS, hosted
from tests.e2e.test_stories import only_check, push

Make = Callable[[Mapping[str, str | None]], Forge]

WAITING = """\
import os, socket, sys, time
sys.stdin.read()
connection = socket.create_connection(("127.0.0.1", PORT))
connection.sendall(b"x")
time.sleep(600)
"""
"""An agent that says it is there and then takes ten minutes."""


def waiting(server: socket.socket) -> dict[str, str | None]:
    """The shop with agents that tell this server of their start."""
    agent = WAITING.replace("PORT", str(server.getsockname()[1]))
    return {**shop(config=CONFIG.replace("timeout: 20", "timeout: 600")), "agent.py": agent}


def test_a_workspace_of_another_user_shallow_with_credentials_left_in_it(forge_of: Make, image: str) -> None:
    forge = forge_of(shop())
    red = push(forge, shop(wrong("refund")))
    job = hosted(forge, image, "pull_request", forge.payload("opened", 1, "author"))
    config = (job.workspace / ".git" / "config").read_text("utf-8")
    ended = job.run()
    said = ended.stdout + ended.stderr
    assert ended.returncode == 1, said
    assert only_check(forge, red).conclusion == "failure"
    assert "`refund`" in forge.keep_comment("hosted")
    assert "conclusion<<" in job.file_command("output")
    assert "refund" in job.file_command("summary")
    assert (job.file_command("env"), job.file_command("path"), job.file_command("state")) == ("", "", "")

    assert "persist-credentials: false" in said
    secret = [TOKEN, LEFT_BEHIND, *SECRETS.values()]
    shown = said.replace(f"::add-mask::{TOKEN}", "")
    assert [one for one in secret if one in shown] == []
    results = [path for path in sorted((job.workspace / "gatebot-results").rglob("*")) if path.is_file()]
    assert results
    assert [path for path in results if any(one.encode() in path.read_bytes() for one in secret)] == []

    assert (job.workspace / ".git" / "config").read_text("utf-8") == config
    assert not (job.place / "home" / ".gitconfig").exists()
    assert {path.lstat().st_uid for path in job.workspace.rglob("*")} == {RUNNER}, (
        "later steps cannot clean up"
    )
    left = job.place / "temp" / "git-credentials-0b1c.config"
    assert (left.stat().st_uid, left.stat().st_mode & 0o777) == (RUNNER, 0o644)


def test_cancelled_in_the_middle(forge_of: Make, image: str, docker: Docker, figures: Figures) -> None:
    """SIGINT to the docker client, as the runner sends it: agents end, the check is completed, in less than 7.5 s."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        forge = forge_of(waiting(server))
        head = push(forge, {"notes.md": "a change"})
        job = hosted(forge, image, "pull_request", forge.payload("opened", 1, "author"))
        with subprocess.Popen(
            job.command(name="gatebot-e2e-cancelled"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            agents = accepted(server, process, 4)
            assert only_check(forge, head).status == "in_progress"
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=60)
            took = time.monotonic() - began
        closed(agents)
    check = only_check(forge, head)
    assert (check.status, check.conclusion) == ("completed", "failure"), said
    assert "cancelled" in check.title
    assert took < 7.5, said
    assert docker("ps", "--quiet", "--filter=name=gatebot-e2e-cancelled").stdout == ""
    figures(f"cancelled: check completed and container gone after {took:.1f} s")


@pytest.mark.parametrize("victim", ["container", "process"])
def test_s43_killed_with_nine(forge_of: Make, image: str, docker: Docker, victim: str) -> None:
    """Nothing can be told any more; but no agent runs on and spends."""
    name = f"gatebot-e2e-killed-{victim}"
    with socket.create_server(("127.0.0.1", 0)) as server:
        forge = forge_of(waiting(server))
        push(forge, {"notes.md": "a change"})
        job = hosted(forge, image, "pull_request", forge.payload("opened", 1, "author"))
        with subprocess.Popen(
            job.command(name=name), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            agents = accepted(server, process, 4)
            if victim == "container":
                docker("kill", "--signal=KILL", name)
            else:  # tini's child, from inside: the container has no `ps`
                docker("exec", name, "sh", "-c", "kill -9 $(cut -d' ' -f1 /proc/1/task/1/children)")
            process.communicate(timeout=60)
        closed(agents)
        assert process.returncode == 137
        server.settimeout(2)
        with pytest.raises(TimeoutError):
            server.accept()


def accepted(server: socket.socket, process: subprocess.Popen[str], count: int) -> list[socket.socket]:
    """This many agents have said that they are there. Fails at once when the job ends before."""
    found: list[socket.socket] = []
    server.settimeout(0.5)
    while len(found) < count:
        try:
            found.append(server.accept()[0])
        except TimeoutError:
            assert process.poll() is None, process.communicate()[0]
    return found


def closed(agents: list[socket.socket]) -> None:
    """Each agent's connection ends, which is its death."""
    for connection in agents:
        with connection:
            connection.settimeout(15)
            while connection.recv(16):
                pass
