"""End to end, on a real engine: `make e2e` (tools/e2e.sh) prepares the machine and says where things are."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from tests.e2e.act import Machine
from tests.e2e.forge import Forge, forge
from tools.release_action import released

ROOT = Path(__file__).parents[2]
PREPARED = "GATEBOT_E2E" in os.environ


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """These tests take minutes: they are collected by `make e2e`, or when somebody names them."""
    named = any("e2e" in word for word in config.invocation_params.args)
    return None if PREPARED or named or not collection_path.name.startswith("test_") else True


Docker = Callable[..., subprocess.CompletedProcess[str]]


def engine(*words: str, timeout: float = 480, check: bool = True) -> subprocess.CompletedProcess[str]:
    """`docker` with these words; both streams as text."""
    return subprocess.run(
        ["docker", *words],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=check,
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture(scope="session")
def docker() -> Docker:
    """The engine's command line; skips, saying why, where no engine could be started."""
    if "GATEBOT_E2E_IMAGE" not in os.environ:
        pytest.skip(os.environ.get("GATEBOT_E2E_SKIP", "`make e2e` starts the engine this needs"))
    return engine


@pytest.fixture(scope="session")
def image(docker: Docker) -> str:
    """The image under test."""
    return os.environ["GATEBOT_E2E_IMAGE"]


@pytest.fixture(scope="session")
def logs() -> Path:
    """Where logs and comments are kept."""
    place = Path(os.environ["GATEBOT_E2E_LOGS"])
    place.mkdir(parents=True, exist_ok=True)
    return place


@pytest.fixture(scope="session")
def machine(image: str, logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    return Machine(
        act=Path(os.environ["GATEBOT_E2E_TOOLS"]) / "bin" / "act",
        docker_host=os.environ["DOCKER_HOST"],
        runner_image=os.environ["GATEBOT_E2E_BASE"],
        home=tmp_path_factory.mktemp("home"),
        logs=logs,
    )


@pytest.fixture(scope="session")
def action(image: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The action as a release has it: action.yml that names the image."""
    place = tmp_path_factory.mktemp("action")
    text = (ROOT / "action.yml").read_text("utf-8")
    (place / "action.yml").write_text(released(text, image), encoding="utf-8")
    return place


@pytest.fixture
def committed_action(image: str, tmp_path: Path) -> Path:
    """The action as it is committed: action.yml that names the Dockerfile, with what the image is built from."""
    del image  # it has left layers, so that building it again takes seconds
    place = tmp_path / "committed-action"
    let_in = [line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").split() if line[0] == "!"]
    for name in ("action.yml", "Dockerfile", ".dockerignore", *let_in):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, place / name)
    return place


@pytest.fixture
def forge_of(
    machine: Machine, action: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[[Mapping[str, str | None]], Forge]]:
    """Make a repository on the fake GitHub out of the files of its default branch."""
    name = request.node.name.removeprefix("test_").replace("/", "-")[:60]
    with ExitStack() as stack:

        def make(files: Mapping[str, str | None]) -> Forge:
            opened: AbstractContextManager[Forge] = forge(machine, action, tmp_path, name, files)
            return stack.enter_context(opened)

        yield make


Figures = Callable[[str], None]
_FIGURES = "figures.txt"


@pytest.fixture(scope="session")
def figures(logs: Path) -> Figures:
    """Keep a measured figure: shown at the end, and kept beside the logs."""

    def keep(line: str) -> None:
        with (logs / _FIGURES).open("a", encoding="utf-8") as stream:
            stream.write(f"{line}\n")

    return keep


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    kept = Path(os.environ.get("GATEBOT_E2E_LOGS", "")) / _FIGURES
    if PREPARED and kept.is_file():
        terminalreporter.section("figures")
        terminalreporter.write(kept.read_text("utf-8"))
