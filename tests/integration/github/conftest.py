"""A fake GitHub on loopback, and clients of it whose clock never waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gatebot.github_api.client import Access, Client
from gatebot.github_api.retry import Clock
from tests.builders import Project, shop
from tests.fakes.github.server import serving
from tests.fakes.github.state import GitHubState
from tests.integration.github.actions import Actions


@dataclass
class Watch:
    """A clock that moves when somebody sleeps."""

    time: float = 1_800_000_000.0
    slept: list[float] = field(default_factory=list[float])

    def sleep(self, seconds: float) -> None:
        """Pass the time."""
        self.slept.append(seconds)
        self.time += seconds

    @property
    def clock(self) -> Clock:
        """As the client takes it."""
        return Clock(lambda: self.time, self.sleep)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "repo", shop())


@pytest.fixture
def hub(project: Project) -> GitHubState:
    """A repository with one pull request of the branch `topic`."""
    state = GitHubState(project)
    project.branch("topic", str(project.repository.head.target))
    state.open_pull("topic")
    return state


@pytest.fixture
def api(hub: GitHubState) -> Iterator[str]:
    with serving(hub) as url:
        yield url


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def client_of(api: str, hub: GitHubState, watch: Watch) -> Callable[[str], Client]:
    return lambda token: Client(Access(api, hub.name, token, pace_s=0.0), watch.clock)


@pytest.fixture
def client(client_of: Callable[[str], Client]) -> Client:
    return client_of("ghs_bot")


@pytest.fixture
def actions(
    hub: GitHubState,
    api: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Actions:
    hub.roles |= {"alice": "maintain", "trixie": "triage"}
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Actions(hub, api, tmp_path / "runs", monkeypatch, capsys)
