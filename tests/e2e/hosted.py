"""What act does not do: the image started with the mounts, owners, variables and signals of GitHub's hosted runner.

From actions/runner's ContainerActionHandler and ProcessInvoker: `docker run --rm` as root without an init, the engine's
socket mounted, a workspace of user 1001 under /github/workspace, file commands under /github/file_commands; a cancelled
job sends the docker client SIGINT, after 7.5 s SIGTERM, after 2.5 s more SIGKILL. And from actions/checkout: a
credential file of mode 0644 in the runner's temporary folder.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import yaml

from gatebot.model.json_value import JsonObject
from tests.e2e.forge import ROOT, TOKEN, Forge
from tests.fakes.github.state import Token

RUNNER = 1001
SECRETS = {
    "ACTIONS_RUNTIME_TOKEN": "SENTINEL-runtime-token",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "SENTINEL-id-token",
    "ANTHROPIC_API_KEY": "SENTINEL-model-key",
}
LEFT_BEHIND = "SENTINEL-left-by-checkout"


@dataclass
class Hosted:
    """One job on a hosted runner: its folders, and how it ended."""

    place: Path
    image: str
    variables: dict[str, str]
    extra: list[str] = field(default_factory=list[str])

    @property
    def workspace(self) -> Path:
        """The checkout, as the host sees it."""
        return self.place / "workspace"

    def file_command(self, name: str) -> str:
        """What was written to one of the runner's files: output, summary, env, path, state."""
        return (self.place / "file_commands" / name).read_text("utf-8")

    def command(self, *, name: str = "") -> list[str]:
        """The runner's `docker run`."""
        socket = os.environ["DOCKER_HOST"].removeprefix("unix://")
        mounts = {
            socket: "/var/run/docker.sock",
            str(self.place / "home"): "/github/home",
            str(self.place / "workflow"): "/github/workflow",
            str(self.place / "file_commands"): "/github/file_commands",
            str(self.place / "temp"): "/github/runner_temp",
            str(self.workspace): "/github/workspace",
        }
        return [
            *("docker", "run", "--rm", "--network=host", "--workdir=/github/workspace"),
            *([f"--name={name}"] if name else []),
            *(f"--env={key}={value}" for key, value in self.variables.items()),
            *(f"--volume={host}:{inside}" for host, inside in mounts.items()),
            *self.extra,
            self.image,
            *arguments(),
        ]

    def run(self, timeout: float = 480) -> subprocess.CompletedProcess[str]:
        """Run the job's step to its end."""
        return subprocess.run(
            self.command(),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            stdin=subprocess.DEVNULL,
        )


def arguments() -> list[str]:
    """The arguments action.yml gives the image, with the inputs' defaults in place."""
    action = cast("dict[str, dict[str, object]]", yaml.safe_load((ROOT / "action.yml").read_text("utf-8")))
    inputs = cast("dict[str, dict[str, str]]", action["inputs"])
    words = cast("list[str]", action["runs"]["args"])
    for name, told in inputs.items():
        words = [word.replace(f"${{{{ inputs.{name} }}}}", str(told.get("default", ""))) for word in words]
    return words


def hosted(
    forge: Forge, image: str, event: str, payload: JsonObject, more: Mapping[str, str] | None = None
) -> Hosted:
    """Prepare a job: a shallow checkout of the head by user 1001, whose token is left in files as checkouts do."""
    forge.runs += 1
    place = forge.place / f"hosted-{forge.runs}"
    for name in ("home", "workflow", "file_commands", "temp"):
        (place / name).mkdir(parents=True)
    for name in ("output", "summary", "env", "path", "state"):
        (place / "file_commands" / name).touch()
    (place / "workflow" / "event.json").write_text(json.dumps(payload), encoding="utf-8")
    head = forge.hub.head_of(forge.hub.pulls[1])
    forge.hub.tokens[TOKEN] = Token("github-actions[bot]", "github-actions")
    _checkout(forge, place, head)
    left = place / "temp" / "git-credentials-0b1c.config"
    left.write_text(f'[http "{forge.server}/"]\n\textraheader = AUTHORIZATION: basic {LEFT_BEHIND}\n')
    left.chmod(0o644)
    subprocess.run(["chown", "-R", f"{RUNNER}:{RUNNER}", str(place)], check=True)
    variables = {
        "HOME": "/github/home",
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": "/github/workflow/event.json",
        "GITHUB_WORKSPACE": "/github/workspace",
        "GITHUB_REPOSITORY": forge.hub.name,
        "GITHUB_API_URL": forge.api,
        "GITHUB_SERVER_URL": forge.server,
        "GITHUB_SHA": head,
        "GITHUB_REF": "refs/pull/1/merge",
        "GITHUB_RUN_ID": str(forge.runs),
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_OUTPUT": "/github/file_commands/output",
        "GITHUB_STEP_SUMMARY": "/github/file_commands/summary",
        "GITHUB_ENV": "/github/file_commands/env",
        "GITHUB_PATH": "/github/file_commands/path",
        "GITHUB_STATE": "/github/file_commands/state",
        "GITHUB_TOKEN": TOKEN,
        "INPUT_GITHUB-TOKEN": TOKEN,
        "RUNNER_OS": "Linux",
        "RUNNER_TEMP": "/github/runner_temp",
        **SECRETS,
        **(more or {}),
    }
    return Hosted(place, image, variables)


def _checkout(forge: Forge, place: Path, head: str) -> None:
    """One commit deep, as actions/checkout does by default; the rest must be fetched by who needs it."""
    workspace = place / "workspace"
    workspace.mkdir()
    address = f"{forge.server}/{forge.hub.name}"
    shown = address.replace("http://", f"http://x-access-token:{TOKEN}@")
    environment = {"PATH": os.environ["PATH"], "HOME": str(place), "GIT_CONFIG_NOSYSTEM": "1"}
    for words in (
        ("init", "-q", "."),
        ("fetch", "-q", "--depth=1", shown, head),
        ("checkout", "-q", head),
        ("remote", "add", "origin", address),
        ("config", f"http.{forge.server}/.extraheader", f"AUTHORIZATION: basic {LEFT_BEHIND}"),
    ):
        subprocess.run(["git", *words], cwd=workspace, env=environment, check=True, stdin=subprocess.DEVNULL)
