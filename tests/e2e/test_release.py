"""release.yml under act: images built and pushed to a registry on loopback, the action that names them by digest, its tag.

Left out, and said so by stand-ins: attestations, which only GitHub signs, and `gh`. Minutes: GATEBOT_E2E_RELEASE=1.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tests.e2e import act
from tests.e2e.conftest import Docker
from tests.e2e.forge import ROOT

ACTIONS = Path(__file__).parent / "actions"
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
RUNNER = """\
FROM {base}
RUN apt-get update && apt-get install -y --no-install-recommends git make
"""
PINNED = re.compile(r"^  image: docker://(\S+@sha256:[0-9a-f]{64})$", re.MULTILINE)

pytestmark = pytest.mark.skipif(
    "GATEBOT_E2E_RELEASE" not in os.environ, reason="GATEBOT_E2E_RELEASE=1 makes a release on loopback"
)


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[str]:
    """The address of a registry of our own."""
    program = shutil.which("docker-registry")
    if program is None:
        pytest.skip("docker-registry is not installed (Debian: apt-get install docker-registry)")
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    settings = {
        "version": 0.1,
        "storage": {"filesystem": {"rootdirectory": str(tmp_path / "registry")}},
        "http": {"addr": address},
    }
    (tmp_path / "registry.yml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    with subprocess.Popen(
        [program, "serve", str(tmp_path / "registry.yml")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            answers(address)
            yield address
        finally:
            process.terminate()


def answers(address: str) -> None:
    """Wait until the registry answers."""
    limit = time.monotonic() + 20
    while True:
        try:
            with urllib.request.urlopen(f"http://{address}/v2/", timeout=5):
                return
        except OSError:
            assert time.monotonic() < limit
            time.sleep(0.05)


def git(place: Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(place), *words],
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    ).stdout


@pytest.mark.timeout(1500)
def test_a_release_is_built_pushed_and_committed_by_digest(
    machine: act.Machine, docker: Docker, registry: str, tmp_path: Path
) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("a release is made of a commit, and this is no clone")
    base = f"{registry}/{machine.runner_image}"
    docker("tag", machine.runner_image, base)
    docker("push", "--quiet", base)
    runner = tmp_path / "runner"
    runner.mkdir()
    (runner / "Dockerfile").write_text(RUNNER.format(base=machine.runner_image), encoding="utf-8")
    docker("build", "--tag", "gatebot:e2e-runner", str(runner))

    origin, clone = tmp_path / "origin.git", tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--bare", str(ROOT), str(origin))
    git(tmp_path, "clone", "--quiet", str(origin), str(clone))
    git(clone, "remote", "set-url", "origin", "file:///origin.git")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    image = f"{registry}/acme/gatebot"
    ran = act.run(
        replace(machine, runner_image="gatebot:e2e-runner"), order(clone, origin, version, base, image), 1400
    )
    assert ran.code == 0, ran.text[-6000:]
    assert f"SKIPPED: gh release create v{version}" in ran.text

    for action, tag in (("action.yml", version), ("full/action.yml", f"{version}-full")):
        (named,) = PINNED.findall(git(origin, "show", f"v{version}:{action}"))
        docker("image", "rm", f"{image}:{tag}")
        docker("pull", "--quiet", named)
        assert docker("run", "--rm", named, "--version").stdout == f"gatebot {version}\n"
        assert f"SKIPPED: only GitHub attests. To be attested: {named} \n" in ran.text
    slim = PINNED.findall(git(origin, "show", f"v{version}:action.yml"))[0]
    assert f"SKIPPED: only GitHub attests. To be attested: {slim} sbom.cdx.json\n" in ran.text
    changed = git(origin, "diff", "--name-only", f"v{version}~1", f"v{version}").split()
    assert changed == ["action.yml", "full/action.yml"]


def order(clone: Path, origin: Path, version: str, base: str, image: str) -> act.Order:
    """The workflow with a base that the registry has; everything else is as it is committed."""
    text = WORKFLOW.read_text("utf-8")
    named = "BASE: python:3.11-slim-bookworm\n"
    assert text.count(named) == 1
    workflow = clone.parent / "release.yml"
    workflow.write_text(text.replace(named, f"BASE: {base}\n"), encoding="utf-8")
    used = re.findall(r"uses: (actions/attest-[^\s]+)", text)
    program = shutil.which("docker")
    assert program is not None
    mounts = (
        f"{origin}:/origin.git",
        f"{ACTIONS / 'gh' / 'gh'}:/usr/local/bin/gh:ro",
        f"{program}:/usr/local/bin/docker:ro",
    )
    return act.Order(
        repository=clone,
        workflow=str(workflow),
        event="workflow_dispatch",
        payload={"inputs": {"version": version}},
        name="release",
        variables={"PYTEST_ARGS": "tests/unit/house/test_container.py"},
        secrets={"GITHUB_TOKEN": "ghs_release"},
        actions=dict.fromkeys(used, ACTIONS / "attest"),
        uploads=clone.parent / "uploads",
        more=(
            f"--var=GATEBOT_IMAGE={image}",
            f"--container-daemon-socket={os.environ['DOCKER_HOST']}",
            "--container-options=" + " ".join(f"--volume={one}" for one in mounts),
        ),
    )
