"""Scratch space goes with its process, and what a killed one left goes with the next."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from gatebot.errors import InfrastructureError
from gatebot.workspace.kept_place import forget_oldest, kept_place
from gatebot.workspace.session import remove_leftovers, session_directory


def test_a_session_ends_with_the_block(tmp_path: Path) -> None:
    with session_directory(tmp_path) as place:
        (place / "run").mkdir()
        assert place.stat().st_mode & 0o7777 == 0o755
        assert remove_leftovers(tmp_path) == 0  # it is alive
        assert (place / "run").exists()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    dead = tmp_path / "gatebot-session-dead"
    (dead / "gatebot-run" / "home").mkdir(parents=True)
    (dead / "lock").write_text("1\n", encoding="ascii")
    foreign = tmp_path / "gatebot-session-unknown"  # no lock: not known to be ours, or just being made
    foreign.mkdir()
    link = tmp_path / "gatebot-session-link"
    link.symlink_to(foreign)
    alive = tmp_path / "gatebot-session-alive"
    alive.mkdir()
    with (alive / "lock").open("w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with session_directory(tmp_path):
            assert sorted(
                path.name[16:]
                for path in tmp_path.glob("gatebot-session-*")
                if path.name[16:] in {"dead", "unknown", "link", "alive"}
            ) == ["alive", "link", "unknown"]


def test_no_scratch_space_is_a_clear_error(tmp_path: Path) -> None:
    with (
        pytest.raises(InfrastructureError, match="cannot make a directory"),
        session_directory(tmp_path / "gone"),
    ):
        pass


def test_the_places_used_longest_ago_are_forgotten_and_those_in_use_are_not(tmp_path: Path) -> None:
    with kept_place(tmp_path, ("held",)) as held:
        for number in range(5):
            with kept_place(tmp_path, (str(number),)) as place:
                place.seal("")
        forget_oldest(tmp_path, keep=2)
        assert held.path.exists()
    with kept_place(tmp_path, ("4",)) as last, kept_place(tmp_path, ("0",)) as first:
        assert (last.sealed(), first.sealed()) == ("", None)


def test_a_note_comes_back_with_the_seal(tmp_path: Path) -> None:
    with kept_place(tmp_path, ("a", "b")) as place:
        (place.path / "made").mkdir()
        place.seal("several\nlines")
        assert place.sealed() == "several\nlines"
    with kept_place(tmp_path, ("a", "b")) as same, kept_place(tmp_path, ("ab",)) as other:
        assert same.path == place.path != other.path
        (same.path / "made" / "more").write_text("", encoding="ascii")
        assert same.sealed() is None
        same.clear()
        assert sorted(path.name for path in same.path.iterdir()) == ["lock"]


def test_names_cannot_be_computed_from_what_an_agent_sees(tmp_path: Path) -> None:
    names: set[str] = set()
    for parent in (tmp_path / "one", tmp_path / "two"):
        parent.mkdir()
        with kept_place(parent, ("head", "digest")) as place:
            names.add(place.path.name)
        assert (parent / "salt").stat().st_mode & 0o7777 == 0o600
    assert len(names) == 2
