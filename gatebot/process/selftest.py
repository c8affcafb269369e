"""The sandbox tried from inside before any agent is: which attacks it holds off on this machine, and which it does not."""

from __future__ import annotations

import json
import os
import secrets
import socket
import tempfile
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from gatebot.process import attacker
from gatebot.process.environment import child_environment
from gatebot.process.program import Ended, Program
from gatebot.process.run_directory import RunDirectory
from gatebot.process.walls import walls_around

_NETWORKS: Final = {"use the network": "none", "leave its own loopback": "loopback"}
"""Attack on the network → the kind of network it is an attack on."""
_DEADLINE_S: Final = 20.0
_PLACES: Final = ("/tmp", "/var/tmp", "/")  # noqa: S108 - places an attacker would try


@dataclass(frozen=True, slots=True)
class SelfTest:
    """Names of the attacks that were held off and of those that were not; `trouble`: why none could be tried."""

    held: tuple[str, ...] = ()
    breaches: tuple[str, ...] = ()
    trouble: str = ""


def attack(
    launch: Callable[[Program], Ended],
    run_directory: Callable[[], AbstractContextManager[RunDirectory]],
    closed: Iterable[PurePath],
    network: str,
) -> SelfTest:
    """Run the attacks of `attacker` exactly as a trial runs. `closed`: directories that trials must not write to.

    The network (`none`, `loopback`, `open`) is attacked only where it is to be closed. Raises OSError when no place for the bait can be made.
    """
    names = [name for name in attacker.ATTACKS if _NETWORKS.get(name, network) == network]
    with ExitStack() as stack:
        run = stack.enter_context(run_directory())
        neighbour = stack.enter_context(run_directory())
        targets = stack.enter_context(_bait())
        targets["attacks"] = "\0".join(names)
        targets["neighbour"] = str(neighbour.home)
        targets["places"] = "\0".join((*_PLACES, str(run.path.parent), *map(str, closed)))
        ended = launch(
            Program(
                ("python3", "-I", "-S", "-c", Path(attacker.__file__).read_text("utf-8")),
                run.home,
                child_environment(home=run.home, scratch=run.scratch),
                _DEADLINE_S,
                stdin=json.dumps(targets).encode(),
                max_stdout_bytes=100_000,
                user=run.user,
                offline=network == "none",
                loopback=network == "loopback",
                walls=walls_around(run, ()),
            )
        )
    return result_of(ended, names)


def result_of(ended: Ended, names: Sequence[str]) -> SelfTest:
    """What the attacker's output says. An attack that it says nothing about was not held off."""
    if ended.how == "not_started" and ended.stage in ("program", "exec"):
        return SelfTest(trouble="no python3 that trials can start, so the sandbox was not tried")
    said = set(ended.stdout.decode("utf-8", "replace").splitlines())
    held = tuple(name for name in names if f"held {name}" in said and f"open {name}" not in said)
    if not said:
        return SelfTest(
            trouble=f"the attacker ended without a word ({ended.how}), so the sandbox was not tried"
        )
    return SelfTest(held, tuple(name for name in names if name not in held))


@contextmanager
def _bait() -> Generator[dict[str, str]]:
    """What the attacker goes after: gatebot itself, a private and a public file, sockets that listen."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gatebot-bait-")))
        folder.chmod(0o755)
        for name, mode in (("secret", 0o600), ("public", 0o644)):
            (folder / name).write_text(secrets.token_hex(8))
            (folder / name).chmod(mode)
        abstract = f"gatebot-{secrets.token_hex(8)}"
        unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        unix.bind("\0" + abstract)
        unix.listen()
        tcp = stack.enter_context(socket.socket())
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        yield {
            "gatebot": str(os.getpid()),
            "secret": str(folder / "secret"),
            "public": str(folder / "public"),
            "abstract": abstract,
            "port": str(tcp.getsockname()[1]),
        }
