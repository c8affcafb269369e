"""The store hands back what was kept, and takes anything else for a trial that must be run."""

from __future__ import annotations

import datetime
import os
import threading
from dataclasses import fields, replace
from pathlib import Path

import orjson
import pytest

from gatebot.model.trajectory import Message, ToolCall, Trajectory
from gatebot.model.trial import Trial
from gatebot.results.trial_store import KEPT_DAYS, TrialOrigin, TrialStore

ORIGIN = TrialOrigin("evaluation", "tree", "case", "agent", "environment", 1)
CALL = ToolCall("1", "search", {"q": "é\u2028"}, result="ok")
TRIAL = Trial(
    "a",
    "head",
    1,
    7,
    "completed",
    answer="yes",
    trajectory=Trajectory((Message("assistant", "", (CALL,)),), "x"),
)
TODAY = datetime.datetime.now(datetime.UTC).date()


class Shelf:
    """A store, and what it said."""

    def __init__(self, path: Path, today: datetime.date = TODAY) -> None:
        self.said: list[str] = []
        self.store = TrialStore(path, today, self.said.append)


def entry(path: Path) -> Path:
    (found,) = path.glob("??/*")
    return found


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    Shelf(tmp_path / "deep").store.keep(ORIGIN, TRIAL)
    shelf = Shelf(tmp_path / "deep")
    assert shelf.store.find(ORIGIN) == TRIAL
    assert shelf.said == []
    assert entry(tmp_path / "deep").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", [field.name for field in fields(TrialOrigin)])
def test_every_part_of_the_origin_matters(tmp_path: Path, name: str) -> None:
    shelf = Shelf(tmp_path)
    shelf.store.keep(ORIGIN, TRIAL)
    other = replace(ORIGIN, **{name: 2 if name == "slot" else "other"})
    assert shelf.store.find(other) is None
    assert shelf.said == []


def test_the_first_sample_stays(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.store.keep(ORIGIN, TRIAL)
    shelf.store.keep(ORIGIN, replace(TRIAL, answer="another"))
    assert shelf.store.find(ORIGIN) == TRIAL


def test_any_byte_changed_or_missing_is_a_miss_with_a_notice(tmp_path: Path) -> None:
    Shelf(tmp_path).store.keep(ORIGIN, TRIAL)
    place = entry(tmp_path)
    data = place.read_bytes()
    harmless = data.index(b'"recorded"'), data.index(b'"sha256"')  # a date nobody decides by
    for position in range(len(data)):
        if harmless[0] <= position < harmless[1]:
            continue
        for damaged in (
            data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :],
            data[:position],
        ):
            place.write_bytes(damaged)
            shelf = Shelf(tmp_path)
            assert shelf.store.find(ORIGIN) is None, position
            assert len(shelf.said) == 1
    place.write_bytes(data + b"\n")
    assert Shelf(tmp_path).store.find(ORIGIN) is None


@pytest.mark.parametrize(("version", "word"), [("0", "older"), ("2", "newer")])
def test_another_version_is_a_miss_that_says_so(tmp_path: Path, version: str, word: str) -> None:
    Shelf(tmp_path).store.keep(ORIGIN, TRIAL)
    place = entry(tmp_path)
    place.write_bytes(
        place.read_bytes().replace(b"gatebot.stored-trial/1", b"gatebot.stored-trial/" + version.encode())
    )
    shelf = Shelf(tmp_path)
    assert shelf.store.find(ORIGIN) is None
    assert word in shelf.said[0]


def test_an_entry_under_another_name_is_not_taken(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.store.keep(ORIGIN, TRIAL)
    other = replace(ORIGIN, slot=2)
    place = tmp_path / other.digest()[:2] / f"{other.digest()}.jsonl"
    place.parent.mkdir(exist_ok=True)
    place.write_bytes((tmp_path / ORIGIN.digest()[:2] / f"{ORIGIN.digest()}.jsonl").read_bytes())
    assert shelf.store.find(other) is None
    assert "digest is wrong" in shelf.said[0]


@pytest.mark.parametrize("kind", ["link", "pipe", "directory"])
def test_what_is_no_file_is_a_miss(tmp_path: Path, kind: str) -> None:
    place = tmp_path / ORIGIN.digest()[:2] / f"{ORIGIN.digest()}.jsonl"
    place.parent.mkdir()
    if kind == "link":
        place.symlink_to("/etc/passwd")
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.mkdir()
    shelf = Shelf(tmp_path)
    assert shelf.store.find(ORIGIN) is None
    assert len(shelf.said) == 1


def test_a_damaged_entry_is_replaced_by_the_next_sample(tmp_path: Path) -> None:
    Shelf(tmp_path).store.keep(ORIGIN, TRIAL)
    entry(tmp_path).write_bytes(b"garbage")
    shelf = Shelf(tmp_path)
    shelf.store.keep(ORIGIN, TRIAL)
    assert Shelf(tmp_path).store.find(ORIGIN) == TRIAL


@pytest.mark.parametrize("beside", ["", "ab", "recordings", "agent.py"])
def test_git_ignores_a_store_and_nothing_that_lies_beside_one(tmp_path: Path, beside: str) -> None:
    place = tmp_path / "store"
    (place / beside).mkdir(parents=True)
    Shelf(place).store.keep(ORIGIN, TRIAL)
    mark = place / ".gitignore"
    assert (mark.read_bytes() == b"*\n") if beside != "agent.py" else not mark.exists()


def test_a_disk_that_refuses_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="ascii")
    shelf = Shelf(tmp_path / "file")
    for slot in range(3):
        shelf.store.keep(replace(ORIGIN, slot=slot), TRIAL)
        assert shelf.store.find(replace(ORIGIN, slot=slot)) is None
    assert len([text for text in shelf.said if "cannot be kept" in text]) == 1


def test_old_entries_are_forgotten(tmp_path: Path) -> None:
    Shelf(tmp_path).store.keep(ORIGIN, TRIAL)
    later = TODAY + datetime.timedelta(days=KEPT_DAYS)
    assert Shelf(tmp_path, later).store.find(ORIGIN) == TRIAL
    assert Shelf(tmp_path, later + datetime.timedelta(days=2)).store.find(ORIGIN) is None


def test_writers_at_the_same_time_leave_one_whole_entry(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    writers = [threading.Thread(target=shelf.store.keep, args=(ORIGIN, TRIAL)) for _ in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert shelf.store.find(ORIGIN) == TRIAL
    assert orjson.loads(entry(tmp_path).read_bytes().split(b"\n")[0])["origin"] == ORIGIN.digest()
