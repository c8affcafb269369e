"""The base's results as a file: what is read back is what was written, and everything else is left out and told."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from gatebot.core.recordings import VALID_DAYS
from gatebot.model.trial import Trial
from gatebot.results.base_results import (
    RecordedOrigin,
    RecordedTrial,
    decode_base_results,
    encode_base_results,
    kept,
    valid,
)

TODAY = datetime.date(2026, 3, 20)


def recorded(
    case: str = "price", slot: int = 1, *, tree: str = "t1", age: int = 0, answer: str = "yes"
) -> RecordedTrial:
    trial = Trial(case=case, side="base", slot=slot, seed=7, status="completed", answer=answer)
    origin = RecordedOrigin(tree, f"digest of {case}", "agent", "environment", slot)
    return RecordedTrial(origin, TODAY - datetime.timedelta(days=age), "recording", trial)


SOME = tuple(recorded(case, slot) for case in ("price", "refund") for slot in (1, 2))


def test_what_was_written_is_read_back_in_one_order() -> None:
    data = encode_base_results(SOME)
    assert data == encode_base_results(reversed(SOME))
    read = decode_base_results(data)
    assert read.trials == SOME
    assert read.trouble == ""


def test_every_single_changed_byte_is_a_miss_and_never_another_result() -> None:
    """S110: flip each byte of an entry: a miss, no crash, no wrong result."""
    data = encode_base_results(SOME[:2])
    for place in range(len(data)):
        for bit in (1, 0x80):
            damaged = bytearray(data)
            damaged[place] ^= bit
            read = decode_base_results(bytes(damaged))
            assert set(read.trials) < set(SOME[:2]), place
            assert read.trouble, place


def test_every_cut_leaves_whole_entries() -> None:
    data = encode_base_results(SOME)
    for end in range(len(data)):
        read = decode_base_results(data[:end])
        assert set(read.trials) <= set(SOME)
        assert len(read.trials) < len(SOME) or end == len(data) - 1


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\n\n\n", "damaged"),
        (b"[]\n", "damaged"),
        (b'{"schema":"gatebot.base-results/2"}\n', "newer"),
        (b'{"schema":"gatebot.base-results/0"}\n', "older"),
        (b'{"schema":"something"}\n', "something"),
        (b'{"schema":' + b"[" * 100_000 + b"\n", "damaged"),
        (b"\xff" * 10_000, "damaged"),
    ],
    ids=["blank", "a list", "newer", "older", "another", "deep", "binary"],
)
def test_what_is_no_store_is_none_and_says_why(data: bytes, told: str) -> None:
    read = decode_base_results(data + encode_base_results(SOME))
    assert read.trials == ()
    assert told in read.trouble


def test_an_empty_file_is_no_store() -> None:
    assert decode_base_results(b"").trials == ()
    assert "damaged" in decode_base_results(b"").trouble


def test_an_entry_moved_under_another_origin_is_damaged() -> None:
    """The right line under another's name is no result of that name."""
    lines = encode_base_results(SOME[:2]).split(b"\n")
    swapped = b"\n".join([lines[0], lines[1], lines[4], lines[3], lines[2], b""])
    read = decode_base_results(swapped)
    assert read.trials == ()
    assert read.trouble.startswith("2 of the base's stored trials are damaged")


def test_a_trial_lost_to_infrastructure_is_no_result() -> None:
    lost = replace(SOME[0], trial=replace(SOME[0].trial, status="infra_error", reason="429"))
    assert decode_base_results(encode_base_results([lost])).trials == ()


@pytest.mark.parametrize(
    ("age", "holds"), [(-1, False), (0, True), (VALID_DAYS, True), (VALID_DAYS + 1, False)]
)
def test_a_recording_holds_for_a_week_and_not_from_the_future(age: int, holds: bool) -> None:
    one = recorded(age=age)
    assert valid(one, TODAY) is holds
    assert (kept([one], "t1", TODAY) == (one,)) is holds


def test_references_stay_while_their_agent_is_the_base() -> None:
    mine = replace(recorded(age=100), role="reference")
    other = replace(recorded(tree="t2", age=1), role="reference")
    assert kept([mine, other], "t1", TODAY) == (mine,)


def test_the_newest_recording_and_the_oldest_reference_of_a_slot_count() -> None:
    old, new = recorded(age=3, answer="old"), recorded(age=1, answer="new")
    first, later = (replace(one, role="reference") for one in (old, new))
    assert set(kept([new, old, later, first], "t1", TODAY)) == {new, first}
    assert kept([new, old], "t1", TODAY) == kept([old, new], "t1", TODAY)


def test_a_store_that_is_too_large_forgets_the_oldest_recordings_first() -> None:
    large = "x" * (9 * 1024 * 1024)
    trials = [recorded(slot=slot, age=slot % 7, answer=large) for slot in range(1, 11)]
    first = replace(recorded(slot=1, age=30, answer=large), role="reference")
    left = kept([*trials, first], "t1", TODAY)
    assert first in left
    assert len(left) == 7
    assert len(encode_base_results(left)) <= 64 * 1024 * 1024
    gone = set(trials) - set(left)
    assert min((TODAY - one.recorded).days for one in gone) >= max(
        (TODAY - one.recorded).days for one in left if one.role == "recording"
    )
