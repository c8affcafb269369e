"""What gatebot and one of its launcher processes say to each other over a socket.

Standard library only, and little of it: a launcher imports this before its first run, so no json, typing or pathlib.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Mapping, Sequence

ORDER = b"R"
STOP = b"K"
_LENGTH = struct.Struct(">I")
_CHUNK = 65536
_MOST_FILES = 4
_SEPARATOR = b"\0"


class Reach:
    """What a program may reach. `offline`: it can make no socket but unix ones; `loopback`: it has a loopback of its own
    and no other network. Paths: the only ones it may reach.

    Nothing `readable` = no such wall, and what is `writable` is only watched; `watched` is watched beside the run's own.
    """

    __slots__ = ("loopback", "offline", "readable", "watched", "writable")

    def __init__(
        self,
        readable: Sequence[str] = (),
        writable: Sequence[str] = (),
        watched: Sequence[str] = (),
        *,
        offline: bool = False,
        loopback: bool = False,
    ) -> None:
        self.readable = tuple(readable)
        self.writable = tuple(writable)
        self.watched = tuple(watched)
        self.offline = offline
        self.loopback = loopback


class Order:
    """One program to run. `limits`: resource name (`RLIMIT_…`, `TREE_…`) → value. `uid` None = keep the launcher's user.

    What it may reach (`Reach`) lies beside.
    """

    __slots__ = (
        "argv",
        "cwd",
        "env",
        "limits",
        "loopback",
        "offline",
        "readable",
        "uid",
        "watched",
        "writable",
    )

    def __init__(
        self,
        argv: Sequence[str],
        cwd: str,
        env: Mapping[str, str],
        limits: Mapping[str, int],
        uid: int | None = None,
        reach: Reach | None = None,
    ) -> None:
        reach = Reach() if reach is None else reach
        self.argv = tuple(argv)
        self.cwd = cwd
        self.env = dict(env)
        self.limits = dict(limits)
        self.uid = uid
        self.offline = reach.offline
        self.loopback = reach.loopback
        self.readable = reach.readable
        self.writable = reach.writable
        self.watched = reach.watched

    def encode(self) -> bytes:
        """The order as bytes: its texts one after the other, after how many there are of each kind.

        Raises ValueError when a text holds a NUL, which no program can be given, or cannot be written in UTF-8.
        """
        texts = [
            str(len(self.argv)),
            str(len(self.env)),
            str(len(self.readable)),
            str(len(self.writable)),
            str(len(self.watched)),
            "" if self.uid is None else str(self.uid),
            "offline" if self.offline else "loopback" if self.loopback else "",
            self.cwd,
            *self.argv,
            *self.readable,
            *self.writable,
            *self.watched,
            *(text for pair in self.env.items() for text in pair),
            *(text for name, value in self.limits.items() for text in (name, str(value))),
        ]
        if any("\0" in text for text in texts):
            message = "a NUL in what a program is given"
            raise ValueError(message)
        return _SEPARATOR.join(os.fsencode(text) for text in texts)

    @classmethod
    def decode(cls, payload: bytes) -> Order:
        """The order in what `encode` made."""
        texts = [os.fsdecode(text) for text in payload.split(_SEPARATOR)]
        arguments, variables, readable, writable, watched = map(int, texts[:5])
        uid, network, cwd, *rest = texts[5:]
        argv, rest = rest[:arguments], rest[arguments:]
        reads, rest = rest[:readable], rest[readable:]
        writes, rest = rest[:writable], rest[writable:]
        counts, rest = rest[:watched], rest[watched:]
        pairs = list(zip(rest[::2], rest[1::2], strict=True))
        env, limits = pairs[:variables], pairs[variables:]
        return cls(
            argv,
            cwd,
            dict(env),
            {name: int(value) for name, value in limits},
            int(uid) if uid else None,
            Reach(reads, writes, counts, offline=network == "offline", loopback=network == "loopback"),
        )


class Report:
    """One line from the launcher.

    kind: `ready`: it is up. `failed`: the program never started: `stage` and `errno`. `ended`: the main process is
    over: exit `code` (negative = signal) after `wall_s`; `stage` is `tree_cap` when it had to be ended because of what
    it wrote. `gone`: nothing is left of the tree: CPU seconds of
    everything reaped, and how many processes had to be ended after the main one.
    """

    __slots__ = ("code", "cpu_s", "errno", "kind", "stage", "strays", "wall_s")

    def __init__(
        self,
        kind: str,
        stage: str = "",
        *,
        errno: int = 0,
        code: int = 0,
        seconds: float = 0.0,
        strays: int = 0,
    ) -> None:
        self.kind = kind
        self.stage = stage
        self.errno = errno
        self.code = code
        self.wall_s = self.cpu_s = seconds
        self.strays = strays

    def encode(self) -> bytes:
        """The report as a line."""
        words = (self.kind, self.stage or "-", self.errno, self.code, self.wall_s, self.strays)
        return " ".join(map(str, words)).encode("ascii") + b"\n"

    @classmethod
    def decode(cls, line: bytes) -> Report:
        """The report in what `encode` made."""
        kind, stage, errno, code, seconds, strays = line.decode("ascii").split()
        return cls(
            kind,
            "" if stage == "-" else stage,
            errno=int(errno),
            code=int(code),
            seconds=float(seconds),
            strays=int(strays),
        )


def send_order(control: socket.socket, order: bytes, files: Sequence[int]) -> None:
    """Hand over an encoded order with the descriptors of its standard input, output and error. Raises OSError.

    A fourth descriptor is held by the launcher until the run is over, and reaches no program.
    """
    socket.send_fds(control, [ORDER], list(files))
    control.sendall(_LENGTH.pack(len(order)) + order)


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
    return (Order.decode(payload), files) if payload else None


def read_reports(buffer: bytearray) -> list[Report]:
    """Take the complete reports off the front of what was received so far."""
    *lines, rest = bytes(buffer).split(b"\n")
    buffer[:] = rest
    return [Report.decode(line) for line in lines]


def _receive_exactly(control: socket.socket, size: int) -> bytes:
    """`size` bytes, or none at all when the other end closes before."""
    received = bytearray()
    while len(received) < size:
        chunk = control.recv(min(_CHUNK, size - len(received)))
        if not chunk:
            return b""
        received += chunk
    return bytes(received)
