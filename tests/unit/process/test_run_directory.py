"""A run directory is fresh, private, and gone afterwards, whatever was put into it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from gatebot.process import run_directory as removal
from gatebot.process.run_directory import remove_tree, run_directory


def test_it_is_fresh_private_and_gone_afterwards(tmp_path: Path) -> None:
    with run_directory(tmp_path) as one, run_directory(tmp_path) as other:
        assert one.path != other.path
        assert one.path.parent == tmp_path
        for folder in (one.path, one.home, one.scratch):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            assert folder.stat().st_uid == os.geteuid()
        (one.home / "left").write_text("behind")
    assert list(tmp_path.iterdir()) == []


def test_it_is_gone_after_an_exception_too(tmp_path: Path) -> None:
    def fail() -> None:
        with run_directory(tmp_path) as run:
            (run.scratch / "left").mkdir()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_one_that_deleted_itself_is_no_error(tmp_path: Path) -> None:
    with run_directory(tmp_path) as run:
        assert remove_tree(run.path)
    assert list(tmp_path.iterdir()) == []


def test_modes_links_and_names_stop_nothing_and_lead_nowhere(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "canary").write_text("alive")
    tree = tmp_path / "tree"
    (tree / "a" / "b").mkdir(parents=True)
    for name in ("\n", "-rf", "a\x1b[2J", "…", "x" * 255, "\udcff"):
        (tree / "a" / name).write_text("")
    (tree / "link").symlink_to(outside)
    (tree / "a" / "b" / "file link").symlink_to(outside / "canary")
    (tree / "loop").symlink_to(tree)
    os.mkfifo(tree / "fifo")
    for folder in (tree / "a" / "b", tree / "a", tree):
        folder.chmod(0)
    assert remove_tree(tree)
    assert [entry.name for entry in tmp_path.iterdir()] == ["outside"]
    assert (outside / "canary").read_text() == "alive"


def test_depth_beyond_any_recursion_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    monkeypatch.chdir(tree)
    for level in range(1100):
        Path("d").mkdir()
        if level % 100 == 0:
            Path("file").write_text("x")
            Path("side").mkdir(mode=0)
        os.chdir("d")
    monkeypatch.chdir(tmp_path)
    assert remove_tree(tree)
    assert not tree.exists()


def test_nothing_to_remove_is_fine(tmp_path: Path) -> None:
    assert remove_tree(tmp_path / "never made")


def test_a_directory_that_is_moved_meanwhile_leads_to_nothing_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever still runs in a tree moves the directory we are in: up from there lies what is not ours to remove."""
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "canary").write_text("alive")
    tree = tmp_path / "session" / "tree"
    (tree / "first" / "second" / "third").mkdir(parents=True)
    (tree / "others").mkdir()
    (tree / "first" / "others").mkdir()
    emptied = removal._empty_of_files  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    here = removal._identity  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    third = (tree / "first" / "second" / "third").stat()

    def moving(folder: int) -> list[str]:
        if here(folder) == (third.st_dev, third.st_ino):
            (tree / "first" / "second" / "third").rename(tmp_path / "third")
        return emptied(folder)

    monkeypatch.setattr(removal, "_empty_of_files", moving)
    with pytest.raises(OSError, match="moved"):
        removal._remove_deep(tree)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    assert (tmp_path / "others" / "canary").read_text() == "alive"


def test_a_link_in_the_place_of_a_tree_is_removed_itself(tmp_path: Path) -> None:
    (tmp_path / "others").mkdir(mode=0o755)
    (tmp_path / "tree").symlink_to(tmp_path / "others")
    assert remove_tree(tmp_path / "tree")
    assert (tmp_path / "others").stat().st_mode & 0o777 == 0o755
    assert [entry.name for entry in tmp_path.iterdir()] == ["others"]
