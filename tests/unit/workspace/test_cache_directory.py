"""Where the cache goes: as asked, unless trials could not use it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatebot.errors import InfrastructureError
from gatebot.workspace import cache_directory as module
from gatebot.workspace.cache_directory import cache_directory
from gatebot.workspace.installer_variables import installer_variables


@pytest.fixture
def root_place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory that every user can enter, and the only fall-back."""
    with tempfile.TemporaryDirectory(prefix="gatebot-test-") as name:
        place = Path(name)
        place.chmod(0o711)
        monkeypatch.setattr(module, "_FALLBACKS", (place,))
        yield place


def test_the_cache_is_where_it_was_asked_for(root_place: Path) -> None:
    found = cache_directory(root_place / "deep" / "cache")
    assert found.sides == root_place / "deep" / "cache" / "sides"
    assert found.store == root_place / "deep" / "cache" / "trials"
    assert found.note == ""
    assert found.sides.stat().st_mode & 0o7777 == 0o711  # trials pass through, and cannot list it
    assert found.store.stat().st_mode & 0o7777 == 0o700


def test_a_closed_home_keeps_the_store_and_not_the_sides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    monkeypatch.setattr(module, "_FALLBACKS", (tmp_path / "other",))
    (tmp_path / "other").mkdir()

    def closed(path: Path) -> str:
        return "closed" if path.is_relative_to(home) else ""

    monkeypatch.setattr(module, "_unfit", closed)
    found = cache_directory(home / ".cache" / "gatebot")
    assert found.sides == tmp_path / "other" / f"gatebot-cache-{os.geteuid()}" / "sides"
    assert found.store == home / ".cache" / "gatebot" / "trials"
    assert "closed" in found.note


def test_root_sees_that_a_home_is_closed(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    tmp_path.chmod(0o700)
    found = cache_directory(tmp_path / "cache")
    assert not found.sides.is_relative_to(tmp_path)
    assert "cannot be entered" in found.note


def test_a_cache_in_a_repository_is_not_for_checkouts(root_place: Path) -> None:
    (root_place / "repository" / ".git").mkdir(parents=True)
    found = cache_directory(root_place / "repository" / "cache")
    assert not found.sides.is_relative_to(root_place / "repository")
    assert "lies in a repository" in found.note


@pytest.mark.parametrize("name", [None, "file"])
def test_without_a_usable_place_it_goes_to_one_of_our_own(root_place: Path, name: str | None) -> None:
    (root_place / "file").write_text("", encoding="utf-8")
    found = cache_directory(None if name is None else root_place / name)
    ours = root_place / f"gatebot-cache-{os.geteuid()}"
    assert (found.sides, found.store) == (ours / "sides", ours / "trials")
    assert found.note


def test_somebody_elses_directory_of_our_name_is_not_used(
    root_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = root_place / f"gatebot-cache-{os.geteuid()}"
    trap.symlink_to(root_place / "elsewhere")
    (root_place / "elsewhere").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(root_place))
    with pytest.raises(InfrastructureError, match="no place for checkouts"):
        cache_directory(None)
    trap.unlink()
    trap.mkdir(mode=0o777)
    trap.chmod(0o777)
    with pytest.raises(InfrastructureError, match="is not ours"):
        cache_directory(None)


def test_setup_sees_where_packages_come_from_and_no_credential() -> None:
    environment = {
        "PIP_INDEX_URL": "https://mirror.example/simple",
        "UV_INDEX_URL": "https://me:sesame@mirror.example/simple",
        "https_proxy": "http://proxy.example:3128",
        "API_KEY": "sentinel",
        "GITHUB_TOKEN": "sentinel",
    }
    assert installer_variables(environment) == {
        "PIP_INDEX_URL": "https://mirror.example/simple",
        "https_proxy": "http://proxy.example:3128",
    }
