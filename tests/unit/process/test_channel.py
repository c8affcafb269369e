"""Orders and reports cross the socket whole, with their descriptors, in spite of late stops and torn reads."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator

import pytest

from gatebot.process.channel import (
    Order,
    Report,
    read_reports,
    receive_order,
    send_order,
    send_report,
)

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def order(*argv: str) -> Order:
    return Order(argv=list(argv), cwd="/", env={"A": "ü", "B": "\udcff"}, limits={"RLIMIT_CORE": 0}, uid=None)


def test_an_order_arrives_with_its_descriptors_none_of_them_inheritable(pair: Pair) -> None:
    ours, theirs = pair
    read, write = os.pipe()
    null = os.open(os.devnull, os.O_WRONLY)
    send_order(ours, order("cat", "\0 \n"), (read, write, null))
    received = receive_order(theirs)
    assert received is not None
    assert received[0] == order("cat", "\0 \n")
    assert [os.get_inheritable(descriptor) for descriptor in received[1]] == [False] * 3
    os.write(received[1][1], b"through")
    assert os.read(read, 99) == b"through"
    for descriptor in (read, write, null, *received[1]):
        os.close(descriptor)


def test_an_order_of_megabytes_arrives(pair: Pair) -> None:
    ours, theirs = pair
    large = order("x" * 3_000_000)
    sender = threading.Thread(target=send_order, args=(ours, large, ()))
    sender.start()
    received = receive_order(theirs)
    sender.join()
    assert received == (large, [])


def test_a_stop_that_comes_after_the_run_is_passed_over(pair: Pair) -> None:
    ours, theirs = pair
    ours.send(b"KK")
    send_order(ours, order("next"), ())
    assert receive_order(theirs) == (order("next"), [])


@pytest.mark.parametrize("sent", [b"", b"R", b"R\x00\x00", b"R\x00\x00\x00\x09{}"])
def test_gatebot_going_away_at_any_point_is_an_end(pair: Pair, sent: bytes) -> None:
    ours, theirs = pair
    ours.sendall(sent)
    ours.close()
    assert receive_order(theirs) is None


def test_reports_arrive_whole_though_read_in_pieces(pair: Pair) -> None:
    ours, theirs = pair
    first, second = Report(kind="ended", code=-9, wall_s=0.5), Report(kind="gone", cpu_s=0.1, strays=2)
    send_report(theirs, first)
    send_report(theirs, second)
    sent = ours.recv(9999)
    for cut in range(len(sent) + 1):
        buffer = bytearray(sent[:cut])
        reports = read_reports(buffer)
        buffer += sent[cut:]
        assert [*reports, *read_reports(buffer)] == [first, second]
        assert not buffer
