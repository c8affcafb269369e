"""A loopback of a run's own: its processes meet on it, and nothing else is in reach; for root and for ordinary users."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatebot.process import own_network
from gatebot.process.launch import Launchers
from gatebot.process.program import Program

PATH = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
SYSTEM_PYTHON = shutil.which("python3", path=PATH["PATH"]) or "python3"
MEET = """
import os, socket
for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    with socket.create_server((address, 0), family=family) as server:
        if os.fork() == 0:
            with socket.create_connection(server.getsockname()[:2]) as client: client.sendall(b"met")
            os._exit(0)
        print(server.accept()[0].recv(9))
one, other = socket.socketpair(); one.send(b"x"); print(other.recv(1))
print([name for _, name in socket.if_nameindex()])
"""
LEAVE = """
import socket, sys
for family, kind, address in (
    (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", int(sys.stdin.read()))),
    (socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.1", 53)),
    (socket.AF_INET6, socket.SOCK_DGRAM, ("2001:db8::1", 53)),
    (40, socket.SOCK_STREAM, (2, 53)),
    (socket.AF_PACKET, socket.SOCK_RAW, ("lo", 0)),
):
    try:
        with socket.socket(family, kind) as client:
            client.connect(address) if kind != socket.SOCK_RAW else client.bind(address)
        print("out", family)
    except OSError as error: print(type(error).__name__)
"""


@pytest.fixture(scope="module")
def launchers() -> Iterator[Launchers]:
    with Launchers() as pool:
        if not pool.isolation(network="loopback").loopback:
            pytest.skip("no network namespace can be had here")
        yield pool


def run(launchers: Launchers, code: str, stdin: bytes = b"") -> list[str]:
    with launchers.run_directory() as directory:
        ended = launchers.launch(
            Program(
                (SYSTEM_PYTHON, "-I", "-S", "-c", code),
                directory.home,
                PATH,
                20.0,
                stdin=stdin,
                user=directory.user,
                loopback=True,
            )
        )
    assert ended.ok, ended.stderr
    return ended.stdout.decode().splitlines()


def test_its_processes_meet_on_it(launchers: Launchers) -> None:
    assert run(launchers, MEET) == ["b'met'", "b'met'", "b'x'", "['lo']"]


def test_nothing_else_is_in_reach(launchers: Launchers) -> None:
    with socket.create_server(("127.0.0.1", 0)) as ours:
        said = run(launchers, LEAVE, str(ours.getsockname()[1]).encode())
    assert said == ["ConnectionRefusedError", "OSError", "OSError", "PermissionError", "PermissionError"]


def test_it_has_no_right_on_it(launchers: Launchers) -> None:
    code = "print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('Cap')))"
    assert {int(word, 16) for word in run(launchers, code)[0].split()} == {0}


def test_it_is_not_ours(launchers: Launchers) -> None:
    (name,) = run(launchers, "import os; print(os.readlink('/proc/self/ns/net'))")
    assert name != str(Path("/proc/self/ns/net").readlink())


@pytest.mark.root
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become an ordinary user")
def test_an_ordinary_user_has_one_by_a_user_namespace(launchers: Launchers) -> None:
    del launchers  # skips where there are none
    place = Path(tempfile.mkdtemp(prefix="gatebot-network-"))
    shutil.copytree(
        Path(own_network.__file__).parents[1], place / "gatebot", ignore=shutil.ignore_patterns("__pycache__")
    )
    for path in (place, *place.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    script = (
        "import os, sys; sys.path.append(sys.argv[1])\n"
        "from gatebot.process import kernel, own_network\n"
        "assert not own_network.take_as_administrator()\n"
        "try: own_network.take_as_user()\n"
        "except OSError as error: print('forbidden', error.errno); raise SystemExit\n"
        "print(os.getuid())\n"
    )
    done = subprocess.run(
        [SYSTEM_PYTHON, "-I", "-S", "-c", script + MEET, str(place)],
        user=60999,
        group=60999,
        extra_groups=[],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    shutil.rmtree(place)
    if done.stdout.startswith("forbidden"):
        pytest.skip("user namespaces are forbidden here")
    assert done.stdout.splitlines() == ["60999", "b'met'", "b'met'", "b'x'", "['lo']"], done.stderr
