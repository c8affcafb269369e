"""A run directory is fresh, private, and gone afterwards, whatever was put into it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

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
