"""How much lies in a run's directories, whatever lies there; what cannot be looked at counts as too much."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gatebot.process.watch import Watch


def watch(place: Path, **limits: int) -> Watch:
    return Watch(limits, (str(place), "/dev/null", "/dev/shm", str(place / "gone")), None)


def test_bytes_are_counted_as_they_lie_on_disk(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "big").write_bytes(b"x" * 200_000)
    assert watch(tmp_path, TREE_BYTES=100_000).too_much()
    assert not watch(tmp_path, TREE_BYTES=400_000).too_much()


def test_a_sparse_file_takes_no_room(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(10**9)
    assert not watch(tmp_path, TREE_BYTES=100_000).too_much()


@pytest.mark.parametrize(("entries", "too_much"), [(9, True), (10, False)])
def test_every_entry_counts_but_no_link_is_followed(tmp_path: Path, entries: int, too_much: bool) -> None:
    for number in range(8):
        (tmp_path / str(number)).mkdir()
    (tmp_path / "0" / "link").symlink_to("/usr")
    (tmp_path / "0" / "fifo").touch()
    assert watch(tmp_path, TREE_ENTRIES=entries).too_much() is too_much


def test_a_tree_deeper_than_a_path_can_be_long_is_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(30):
        os.mkdir("d" * 200)  # noqa: PTH102 - relative, so that no path is too long for making it
        os.chdir("d" * 200)
    assert watch(tmp_path, TREE_ENTRIES=1000).too_much()


def test_only_what_belongs_to_the_run_s_user_counts(tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / str(number)).touch()
    other = Watch({"TREE_ENTRIES": 1}, (str(tmp_path),), os.geteuid() + 1)
    assert not other.too_much()


def test_without_bounds_or_places_there_is_nothing_to_watch(tmp_path: Path) -> None:
    assert not watch(tmp_path).active
    assert not Watch({"TREE_BYTES": 1}, (), None).active
    assert watch(tmp_path, TREE_BYTES=1).active
