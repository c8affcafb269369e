"""What gatebot and one of its launcher processes say to each other over a socket. Standard library only."""

from __future__ import annotations

import json
import os
import socket
import struct
from typing import Literal, TypedDict, cast

ORDER = b"R"
STOP = b"K"
_LENGTH = struct.Struct(">I")
_CHUNK = 65536
_MOST_FILES = 4


class Order(TypedDict):
    """One program to run. `limits`: resource name (`RLIMIT_…`) → value. `uid` None = keep the launcher's user."""

    argv: list[str]
    cwd: str
    env: dict[str, str]
    limits: dict[str, int]
    uid: int | None


class _ReportKind(TypedDict):
    kind: Literal["ready", "failed", "ended", "gone"]


class Report(_ReportKind, total=False):
    """One line from the launcher.

    `ready`: it is up. `failed`: the program never started: stage and errno. `ended`: the main process is over:
    exit code (negative = signal) and wall seconds. `gone`: nothing is left of the tree; CPU seconds of everything
    reaped, and how many processes had to be ended after the main one.
    """

    stage: str
    errno: int
    code: int
    wall_s: float
    cpu_s: float
    strays: int


def send_order(control: socket.socket, order: Order, files: tuple[int, ...]) -> None:
    """Hand over an order with the descriptors of its standard input, output and error. Raises OSError.

    A fourth descriptor is held by the launcher until the run is over, and reaches no program.
    """
    payload = json.dumps(order).encode("ascii")
    socket.send_fds(control, [ORDER], list(files))
    control.sendall(_LENGTH.pack(len(payload)) + payload)


def receive_order(control: socket.socket) -> tuple[Order, list[int]] | None:
    """The next order and its descriptors; None when gatebot has gone. A late stop is passed over."""
    while True:
        tag, files, _flags, _address = socket.recv_fds(control, 1, _MOST_FILES)
        if not tag:
            return None
        if tag == ORDER:
            break
    for descriptor in files:
        os.set_inheritable(descriptor, False)  # recv_fds has no way to ask for that (its flags go nowhere)
    header = _receive_exactly(control, _LENGTH.size)
    payload = _receive_exactly(control, _LENGTH.unpack(header)[0]) if header else b""
    if not payload:
        return None
    return cast("Order", json.loads(payload)), files


def send_report(control: socket.socket, report: Report) -> None:
    """Send one report as a line of JSON. Raises OSError when gatebot has gone."""
    control.sendall(json.dumps(report).encode("ascii") + b"\n")


def read_reports(buffer: bytearray) -> list[Report]:
    """Take the complete reports off the front of what was received so far."""
    *lines, rest = bytes(buffer).split(b"\n")
    buffer[:] = rest
    return [cast("Report", json.loads(line)) for line in lines]


def _receive_exactly(control: socket.socket, size: int) -> bytes:
    """`size` bytes, or none at all when the other end closes before."""
    received = bytearray()
    while len(received) < size:
        chunk = control.recv(min(_CHUNK, size - len(received)))
        if not chunk:
            return b""
        received += chunk
    return bytes(received)
