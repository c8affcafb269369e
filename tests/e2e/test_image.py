"""The image itself: what is in it, what is not, how large it is and how soon it starts."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from tests.builders import CASES, CONFIG, Project, shop
from tests.e2e.conftest import Docker, Figures
from tests.e2e.test_hosted_runner import WAITING, closed
from tools.image_size import LIMIT_MB

PYTHON = "/opt/gatebot/bin/python"
EXAMINE = """
import json, os, stat, sys
found = {"modes": [], "capabilities": [], "writable": []}
for folder, below, files in os.walk("/"):
    if folder.startswith(("/proc", "/sys", "/dev")):
        below.clear()
        continue
    for name in files:
        path = os.path.join(folder, name)
        mode = os.lstat(path).st_mode
        if not stat.S_ISREG(mode):
            continue
        if mode & (stat.S_ISUID | stat.S_ISGID):
            found["modes"].append(path)
        if mode & stat.S_IWOTH:
            found["writable"].append(path)
        try:
            os.getxattr(path, "security.capability")
            found["capabilities"].append(path)
        except OSError:
            pass
found["programs"] = [
    name for name in ("git", "node", "npm", "uv", "gcc", "cc", "make", "curl", "git-lfs", "strip")
    if any(os.path.exists(os.path.join(place, name)) for place in os.environ["PATH"].split(":"))
]
found["configuration"] = [path for path in ("/etc/gitconfig", os.path.expanduser("~/.gitconfig")) if os.path.exists(path)]
print(json.dumps(found))
"""
ORPHANS = """\
import json, os, sys, time
request = json.load(sys.stdin)
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(0.01)
        os._exit(0)
print(f"the {request['case']} is known")
"""


def soonest(limit: float, tries: int, measure: Callable[[], float]) -> float:
    """The shortest of a few measurements, until one is within the limit: what else the machine does is not ours."""
    best = measure()
    for _ in range(tries - 1):
        if best < limit:
            break
        best = min(best, measure())
    return best


def test_s40_no_file_gives_rights_and_nothing_needless_is_there(docker: Docker, image: str) -> None:
    said = docker("run", "--rm", "--entrypoint", PYTHON, image, "-I", "-c", EXAMINE).stdout
    assert cast("dict[str, list[str]]", json.loads(said)) == {
        "modes": [],
        "capabilities": [],
        "writable": [],
        "programs": [],
        "configuration": [],
    }


def test_the_entry_and_the_labels(docker: Docker, image: str) -> None:
    (told,) = json.loads(docker("image", "inspect", image).stdout)
    config = told["Config"]
    assert config["Entrypoint"] == ["/usr/bin/tini", "--", PYTHON, "-I", "-m", "gatebot"]
    assert (config["User"], config["WorkingDir"]) == ("", "")
    labels = {
        name.removeprefix("org.opencontainers.image."): value for name, value in config["Labels"].items()
    }
    assert labels["title"] == "gatebot"
    assert labels["licenses"] == "Apache-2.0"
    assert {"description", "version", "revision"} <= set(labels)
    assert told["Size"] < LIMIT_MB * 1_000_000


def test_the_bill_of_materials_lists_what_is_there(docker: Docker, image: str) -> None:
    listing = """
import importlib.metadata, json
bill = json.load(open("/opt/gatebot/share/gatebot/sbom.cdx.json"))
named = {(one["name"].lower().replace("_", "-"), one["version"]) for one in bill["components"]}
there = {(one.metadata["Name"].lower().replace("_", "-"), one.version) for one in importlib.metadata.distributions()}
print(json.dumps([bill["bomFormat"], len(named), sorted(there ^ named)]))
"""
    said = docker("run", "--rm", "--entrypoint", PYTHON, image, "-I", "-c", listing).stdout
    kind, count, different = json.loads(said)
    assert (kind, different) == ("CycloneDX", [])
    assert count > 50


def test_the_sandbox_is_whole_in_a_default_container(docker: Docker, image: str, logs: Path) -> None:
    ended = docker("run", "--rm", image, "selftest", check=False)
    (logs / "selftest.txt").write_text(ended.stdout + ended.stderr, encoding="utf-8")
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_full_image_has_what_the_other_leaves_out(docker: Docker) -> None:
    image = os.environ.get("GATEBOT_E2E_FULL_IMAGE")
    if image is None:
        pytest.skip("GATEBOT_E2E_FULL=1 builds the full image")
    script = (
        "node --version && npm --version && uv --version && gcc --version && find / -xdev -perm /6000 -type f"
    )
    ended = docker("run", "--rm", "--entrypoint=sh", image, "-c", script, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.rstrip().endswith("PURPOSE.")  # gcc's last word: no file gives rights
    assert docker("run", "--rm", image, "--version").stdout.startswith("gatebot ")


def test_version_within_a_second(docker: Docker, image: str, figures: Figures) -> None:
    def once() -> float:
        begun = time.monotonic()
        assert docker("run", "--rm", image, "--version").stdout.startswith("gatebot ")
        return time.monotonic() - begun

    docker("run", "--rm", image, "--version")
    took = soonest(1.0, 20, once)
    figures(f"docker run … --version, warm: {took:.2f} s (limit 1 s)")
    assert took < 1.0


def test_the_first_trial_within_five_seconds(
    docker: Docker, image: str, tmp_path: Path, figures: Figures
) -> None:
    """From `docker run` to the first line of an agent: gate on a repository that is there."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        agent = WAITING.replace("PORT", str(server.getsockname()[1]))
        project = Project(tmp_path / "shop", {**shop(config=CONFIG.replace("20", "600")), "agent.py": agent})

        def once() -> float:
            name = "gatebot-e2e-first-trial"
            command = [
                "docker",
                "run",
                "--rm",
                "--network=host",
                f"--name={name}",
                f"--volume={project.root}:/repository",
            ]
            begun = time.monotonic()
            with subprocess.Popen(
                [*command, image, "run", "--repo=/repository", "--out=/tmp/out", "--seeds=1"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            ) as process:
                first = server.accept()[0]
                took = time.monotonic() - begun
                others = [server.accept()[0] for _ in CASES[1:]]
                docker("kill", name)
                process.wait(60)
            closed([first, *others])
            return took

        took = soonest(5.0, 6, once)
    figures(f"from container start to the first trial: {took:.2f} s (limit 5 s)")
    assert took < 5.0


def test_s44_five_hundred_trials_leave_no_zombies(docker: Docker, image: str, tmp_path: Path) -> None:
    """Orphans of trials come to tini and to the launchers, and both reap."""
    project = Project(tmp_path / "shop", {**shop(), "agent.py": ORPHANS})
    after = "cat /proc/[0-9]*/stat | grep -c ') Z ' || true; ls -d /proc/[0-9]* | wc -l"
    script = f"{PYTHON} -I -m gatebot run --repo=/repository --out=/tmp/out --seeds=125 >/dev/null; echo $?; {after}"
    command = ["run", "--rm", f"--volume={project.root}:/repository", "--entrypoint=/usr/bin/tini", image]
    said = docker(*command, "--", "sh", "-c", script, timeout=580).stdout.split()
    code, zombies, processes = map(int, said)
    assert (code, zombies) == (0, 0)
    assert processes <= 6  # tini, the shell, and what counts
