"""Which files a program may reach behind the wall that Landlock builds: an allow-list, the same on both sides."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from gatebot.process.run_directory import RunDirectory

SYSTEM: Final = tuple(
    PurePath(path)
    for path in (
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/usr",
        "/etc",
        "/opt",
        "/nix/store",
        "/proc",
        "/sys",
        "/run/systemd/resolve",  # where /etc/resolv.conf leads
        "/run/resolvconf",
        "/run/NetworkManager/resolv.conf",
        "/var/lib/ca-certificates",
    )
)
"""What programs need of a system. Who may read what in it is the file modes' business, as before."""
DEVICES: Final = tuple(
    PurePath("/dev", name) for name in ("null", "zero", "full", "random", "urandom", "shm")
)
"""Devices a program may use. Shared memory is what semaphores and pools of processes are made from."""
_INTERPRETERS: Final = ("python3", "python")


@dataclass(frozen=True, slots=True)
class Walls:
    """What a program may read (and run), and what it may write; nothing else. Files or directories.

    `watched`: what beside the run's own directories counts as written by the run.
    """

    readable: tuple[PurePath, ...]
    writable: tuple[PurePath, ...]
    watched: tuple[PurePath, ...] = ()


def walls_around(
    run: RunDirectory,
    readable: Iterable[PurePath],
    bin_dirs: Iterable[PurePath] = (),
    writable: Iterable[PurePath] = (),
) -> Walls:
    """The system, `readable`, the environments of `bin_dirs`; the run's own directories and `writable` to write to."""
    reads = [*SYSTEM, run.path, *readable]
    for folder in bin_dirs:
        reads += environment_of(Path(folder))
    return Walls(tuple(dict.fromkeys(reads)), (run.home, run.scratch, *writable, *DEVICES))


def environment_of(bin_dir: Path) -> list[PurePath]:
    """The directory that `bin_dir` is the `bin` of, and the installation its Python really lies in.

    Only what holds a standard library is taken for an installation: setup commands choose where that link leads, and
    must not be able to open somebody's home by it.
    """
    found: list[PurePath] = [bin_dir.parent if bin_dir.name == "bin" else bin_dir]
    for name in _INTERPRETERS:
        link = bin_dir / name
        if not link.is_symlink():
            continue
        home = Path(os.path.realpath(link)).parent.parent  # of a ring of links: itself
        if any(home.glob("lib/python3*/os.py")):
            found.append(home)
    return found
