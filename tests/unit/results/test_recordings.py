"""The index of recordings: what it keeps, in which order it offers it, and that nothing in it can stop a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatebot.results.recordings import (
    Question,
    RecordedSlot,
    Recording,
    RecordingIndex,
    earlier_questions,
)


@pytest.fixture
def index(tmp_path: Path) -> RecordingIndex:
    return RecordingIndex(tmp_path, "k" * 8)


def test_the_newest_day_comes_first_and_one_evaluation_is_left_out(index: RecordingIndex) -> None:
    for name, day in (("a", "2026-05-01"), ("b", "2026-05-03"), ("c", "2026-05-03"), ("own", "2026-05-04")):
        index.keep(Recording(name, (2, 1), day))
    assert index.slots(without="own") == tuple(
        RecordedSlot(name, slot) for name in ("b", "c", "a") for slot in (1, 2)
    )


def test_a_later_word_of_an_evaluation_replaces_its_first(index: RecordingIndex) -> None:
    index.keep(Recording("a", (1,), "2026-05-01"))
    index.keep(Recording("a", (1, 2, 3), "2026-05-02"))
    assert [at.slot for at in index.slots(without="")] == [1, 2, 3]


def test_another_agent_has_other_recordings(index: RecordingIndex, tmp_path: Path) -> None:
    index.keep(Recording("a", (1,), "2026-05-01"))
    assert RecordingIndex(tmp_path, "other").slots(without="") == ()


def test_voided_recordings_are_gone_and_choices_stay(index: RecordingIndex) -> None:
    index.keep(Recording("a", (1,), "2026-05-01"))
    assert index.chosen("e") is None
    index.choose("e", [RecordedSlot("a", 1)])
    index.void()
    assert index.slots(without="") == ()
    assert index.chosen("e") == (RecordedSlot("a", 1),)
    index.choose("f", ())
    assert index.chosen("f") == ()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b'{"schema": "gatebot.recording/2", "evaluation": "a", "slots": [1], "recorded": "x"}',
        b'{"evaluation": "somebody else", "slots": [1], "recorded": "2026-05-01"}',
        b'{"evaluation": "a", "slots": "all"}',
        b"x" * (1024 * 1024 + 1),
    ],
)
def test_a_damaged_entry_is_no_recording(index: RecordingIndex, tmp_path: Path, data: bytes) -> None:
    index.keep(Recording("b", (1,), "2026-05-01"))
    (tmp_path / "recordings" / "kkkkkkkk" / "a.json").write_bytes(data)
    assert index.slots(without="") == (RecordedSlot("b", 1),)


def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "recordings").write_text("a file")
    index = RecordingIndex(tmp_path, "k")
    index.keep(Recording("a", (1,), "2026-05-01"))
    index.choose("a", ())
    index.void()
    assert (index.slots(without=""), index.chosen("a")) == ((), None)


def test_a_link_out_of_the_store_is_not_followed(index: RecordingIndex, tmp_path: Path) -> None:
    index.keep(Recording("b", (1,), "2026-05-01"))
    outside = tmp_path / "outside.json"
    outside.write_text('{"evaluation": "a", "slots": [1], "recorded": "2026-05-01"}')
    (tmp_path / "recordings" / "kkkkkkkk" / "a.json").symlink_to(outside)
    assert index.slots(without="") == (RecordedSlot("b", 1),)


def test_what_was_asked_before_stays_before_however_often_it_is_asked(tmp_path: Path) -> None:
    first, second = Question("p", "g", "r", "10 with looks"), Question("q", "g", "r", "10 with looks")
    for _ in range(2):
        assert earlier_questions(tmp_path, "e", first) == ()
    for _ in range(2):
        assert earlier_questions(tmp_path, "e", second) == (first,)
    assert earlier_questions(tmp_path, "e", first) == ()
    assert earlier_questions(tmp_path, "another", second) == ()
