"""The command line and a small pull request, for whatever goes wrong around them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from gatebot.process.run_directory import remove_tree
from tests.builders import Project, book, shop, wrong
from tests.integration.stories.command_line import CommandLine


@dataclass(frozen=True)
class PullRequest:
    """A base whose agent is right, and a head that is wrong about one case of four."""

    root: Path
    base: str
    head: str

    def gate(self, out: Path, *more: str) -> tuple[str, ...]:
        """The arguments that judge it."""
        return (
            "gate",
            "--repo",
            str(self.root),
            "--base",
            self.base,
            "--head",
            self.head,
            "--out",
            str(out),
            *more,
        )


@pytest.fixture
def gatebot(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> CommandLine:
    return CommandLine(capsys, tmp_path / "results")


@pytest.fixture
def pull_request(tmp_path: Path) -> PullRequest:
    project = Project(tmp_path / "shop", shop())
    base = str(project.repository.head.target)
    return PullRequest(project.root, base, project.commit({"book.json": book(wrong("hours"))}))


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The user's cache directory, which every user can enter; gatebot's own is `gatebot` below it."""
    place = Path(tempfile.mkdtemp(prefix="gatebot-test-cache-"))
    place.chmod(0o711)
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    yield place
    assert remove_tree(place)
