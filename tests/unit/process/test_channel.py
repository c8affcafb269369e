"""Orders and reports cross the socket whole, with their descriptors, in spite of late stops and torn reads."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.process.channel import Order, Reach, Report, read_reports, receive_order, send_order

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def order(*argv: str) -> Order:
    return Order(argv, "/", {"A": "ü", "B": "\udcff", "C": ""}, {"RLIMIT_CORE": 0})


def fields(made: object) -> dict[str, object]:
    return {name: getattr(made, name) for name in type(made).__slots__}  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]


def test_an_order_arrives_with_its_descriptors_none_of_them_inheritable(pair: Pair) -> None:
    ours, theirs = pair
    read, write = os.pipe()
    null = os.open(os.devnull, os.O_WRONLY)
    send_order(ours, order("cat", "", " \n").encode(), (read, write, null))
    received = receive_order(theirs)
    assert received is not None
    assert fields(received[0]) == fields(order("cat", "", " \n"))
    assert [os.get_inheritable(descriptor) for descriptor in received[1]] == [False] * 3
    os.write(received[1][1], b"through")
    assert os.read(read, 99) == b"through"
    for descriptor in (read, write, null, *received[1]):
        os.close(descriptor)


def test_an_order_of_megabytes_arrives(pair: Pair) -> None:
    ours, theirs = pair
    large = order("x" * 3_000_000)
    sender = threading.Thread(target=send_order, args=(ours, large.encode(), ()))
    sender.start()
    received = receive_order(theirs)
    sender.join()
    assert received is not None
    assert fields(received[0]) == fields(large)


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)


@given(
    st.lists(TEXTS, min_size=1, max_size=4),
    TEXTS,
    st.dictionaries(TEXTS, TEXTS, max_size=4),
    st.dictionaries(st.sampled_from(["RLIMIT_CORE", "RLIMIT_NPROC"]), st.integers(0, 2**63)),
    st.none() | st.integers(1, 2**32 - 2),
    st.tuples(st.booleans(), st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=3)),
)
def test_any_order_survives_the_way(
    argv: list[str],
    cwd: str,
    env: dict[str, str],
    limits: dict[str, int],
    uid: int | None,
    walls: tuple[bool, list[str], list[str]],
) -> None:
    offline, readable, writable = walls
    given_order = Order(argv, cwd, env, limits, uid, Reach(readable, writable, offline=offline))
    assert fields(Order.decode(given_order.encode())) == fields(given_order)


@pytest.mark.parametrize(
    "broken",
    [
        Order(("a\0b",), "/", {}, {}),
        Order(("a",), "/\0", {}, {}),
        Order(("a",), "/", {"A\0": ""}, {}),
        Order(("\ud800",), "/", {}, {}),
        Order(("a",), "/", {}, {}, None, Reach(["/\0"])),
    ],
)
def test_what_no_program_can_be_given_is_refused(broken: Order) -> None:
    with pytest.raises(ValueError, match=r"NUL|surrogates"):
        broken.encode()


def test_a_stop_that_comes_after_the_run_is_passed_over(pair: Pair) -> None:
    ours, theirs = pair
    ours.send(b"KK")
    send_order(ours, order("next").encode(), ())
    received = receive_order(theirs)
    assert received is not None
    assert received[0].argv == ("next",)


@pytest.mark.parametrize("sent", [b"", b"R", b"R\x00\x00", b"R\x00\x00\x00\x09{}"])
def test_gatebot_going_away_at_any_point_is_an_end(pair: Pair, sent: bytes) -> None:
    ours, theirs = pair
    ours.sendall(sent)
    ours.close()
    assert receive_order(theirs) is None


def test_reports_arrive_whole_though_read_in_pieces() -> None:
    sent_reports = [
        Report("ready"),
        Report("failed", "exec", errno=2),
        Report("ended", code=-9, seconds=0.125),
        Report("gone", seconds=1e-7, strays=2),
    ]
    sent = b"".join(report.encode() for report in sent_reports)
    for cut in range(len(sent) + 1):
        buffer = bytearray(sent[:cut])
        reports = read_reports(buffer)
        buffer += sent[cut:]
        reports += read_reports(buffer)
        assert list(map(fields, reports)) == list(map(fields, sent_reports))
        assert not buffer
