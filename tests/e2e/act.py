"""The real nektos/act: runs a workflow of a repository for one event, in containers of a real engine.

act enforces neither `permissions:` nor `concurrency:` nor which activities start a workflow, and has no checks of its own:
the token's permissions are the fake GitHub's business, and what a hosted runner mounts is `hosted.py`'s.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from gatebot.model.json_value import JsonObject

LONGEST_S = 480


@dataclass(frozen=True, slots=True)
class Machine:
    """What act needs of this machine: its program, the engine's address, the image jobs run in, a home, a folder for logs."""

    act: Path
    docker_host: str
    runner_image: str
    home: Path
    logs: Path

    def environment(self) -> dict[str, str]:
        """The environment of act: nothing of ours but PATH."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "DOCKER_HOST": self.docker_host,
            "ACT_DISABLE_VERSION_CHECK": "1",
            "DO_NOT_TRACK": "1",
        }


@dataclass(frozen=True, slots=True)
class Order:
    """One run: workflow file and event, variables and secrets, actions replaced by local folders, and where uploads go.

    `more`: further arguments of act; they win over those it is given anyway.
    """

    repository: Path
    workflow: str
    event: str
    payload: JsonObject
    name: str
    variables: Mapping[str, str]
    secrets: Mapping[str, str]
    actions: Mapping[str, Path]
    uploads: Path
    actor: str = "author"
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ran:
    """How a run of act ended: `code` 0 when every job succeeded; what its steps handed on and said."""

    code: int
    seconds: float
    outputs: dict[str, str]
    summary: str
    text: str
    lines: list[JsonObject] = field(repr=False)


def command(machine: Machine, order: Order, payload: Path) -> list[str]:
    """The command line of act for an order."""
    settings = [f"--env={name}={value}" for name, value in order.variables.items()]
    settings += [f"--secret={name}={value}" for name, value in order.secrets.items()]
    settings += [f"--local-repository={name}={place}" for name, place in order.actions.items()]
    return [
        str(machine.act),
        order.event,
        f"--eventpath={payload}",
        f"--workflows={order.workflow}",
        f"--platform=ubuntu-24.04={machine.runner_image}",
        f"--actor={order.actor}",
        f"--container-options=--volume={order.uploads}:/uploads",
        "--json",
        "--rm",
        "--pull=false",
        "--network=host",
        "--action-offline-mode",
        "--container-daemon-socket=-",
        "--no-cache-server",
        "--artifact-server-addr=127.0.0.1",
        *settings,
        *order.more,
    ]


def start(machine: Machine, order: Order) -> tuple[subprocess.Popen[bytes], Path]:
    """Start act; the process, and the file its output goes to."""
    (machine.home / ".config" / "act").mkdir(parents=True, exist_ok=True)
    (machine.home / ".config" / "act" / "actrc").touch()  # without it, act asks a question
    machine.logs.mkdir(parents=True, exist_ok=True)
    order.uploads.mkdir(parents=True, exist_ok=True)
    payload = machine.logs / f"{order.name}.event.json"
    payload.write_text(json.dumps(order.payload, indent=1), encoding="utf-8")
    log = machine.logs / f"{order.name}.act.jsonl"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            command(machine, order, payload),
            cwd=order.repository,
            env=machine.environment(),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
    return process, log


def run(machine: Machine, order: Order, longest_s: float = LONGEST_S) -> Ran:
    """Run act to its end."""
    begun = time.monotonic()
    process, log = start(machine, order)
    try:
        code = process.wait(longest_s)
    finally:
        process.kill()
        process.wait()
    return read_log(log, code, time.monotonic() - begun)


def read_log(log: Path, code: int, seconds: float) -> Ran:
    """What the lines of `--json` say."""
    lines: list[JsonObject] = []
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            found: object = json.loads(line)
        except ValueError:
            found = {"msg": line}
        if isinstance(found, dict):
            lines.append(cast("JsonObject", found))
    outputs = {
        str(one.get("name")): str(one.get("arg")) for one in lines if one.get("command") == "set-output"
    }
    summary = "".join(str(one.get("content")) for one in lines if one.get("command") == "summary")
    text = "\n".join(str(one.get("msg", "")) for one in lines)
    return Ran(code, seconds, outputs, summary, text, lines)
