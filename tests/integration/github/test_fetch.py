"""A checkout of depth 1: what is missing is fetched by id over real git HTTP, and the token is left nowhere."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pygit2
import pytest

from gatebot.errors import RepositoryError
from gatebot.workspace.fetch import make_available
from gatebot.workspace.repository import open_repository
from tests.builders import Project, shop, wrong
from tests.fakes.github.git_http import serving_git

TOKEN = "SENTINEL-f3tch"


@pytest.fixture
def history(tmp_path: Path) -> tuple[Project, str, str]:
    """A repository as GitHub holds it: (project, base, head)."""
    project = Project(tmp_path / "served" / "shop", shop())
    base = str(project.repository.head.target)
    project.commit({"notes.md": "between"})
    return project, base, project.commit(shop(wrong("refund")))


def shallow(project: Project, place: Path) -> None:
    """As actions/checkout leaves it with its defaults: one commit, no credentials."""
    subprocess.run(
        ["git", "clone", "-q", "--depth=1", f"file://{project.root}", str(place)], check=True, timeout=60
    )


def test_missing_commits_are_fetched_by_id(tmp_path: Path, history: tuple[Project, str, str]) -> None:
    project, base, head = history
    place = tmp_path / "clone"
    shallow(project, place)
    assert base not in pygit2.Repository(str(place))
    with serving_git(tmp_path / "served", TOKEN) as url:
        make_available(place, (base, head), {"url": f"{url}/shop", "token": TOKEN})
    found = pygit2.Repository(str(place))
    assert found[pygit2.Oid(hex=base)].peel(pygit2.Tree)["golden"]
    held = [
        path for path in (place / ".git").rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()
    ]
    assert held == []


def test_a_wrong_token_is_an_error_with_a_way_out(tmp_path: Path, history: tuple[Project, str, str]) -> None:
    project, base, _ = history
    place = tmp_path / "clone"
    shallow(project, place)
    with (
        serving_git(tmp_path / "served", TOKEN) as url,
        pytest.raises(RepositoryError, match="cannot be fetched") as caught,
    ):
        make_available(place, (base,), {"url": f"{url}/shop", "token": "SENTINEL-wrong"})
    assert "fetch-depth: 0" in caught.value.hint
    assert "SENTINEL" not in str(caught.value)


def test_commits_that_are_there_are_not_asked_for(history: tuple[Project, str, str]) -> None:
    project, base, head = history
    make_available(project.root, (base, head), {"url": "http://127.0.0.1:9/none", "token": ""})


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a checkout to another user")
def test_s53_a_shallow_checkout_of_another_user_is_fetched_into(
    tmp_path: Path, history: tuple[Project, str, str]
) -> None:
    """As on a hosted runner: the checkout is user 1001's, gatebot is root, and the base is not there yet."""
    project, base, head = history
    place = tmp_path / "clone"
    shallow(project, place)
    for path in (place, *place.rglob("*")):
        os.chown(path, 1001, 1001, follow_symlinks=False)
    with serving_git(tmp_path / "served", TOKEN) as url:
        make_available(place, (base, head), {"url": f"{url}/shop", "token": TOKEN})
    assert open_repository(place).resolve(base).sha == base
