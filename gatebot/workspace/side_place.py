"""A side ready to run: its checkout and its environment, made once and found again by the runs that follow."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from gatebot.errors import RepositoryError
from gatebot.model.trial import Side
from gatebot.process.environment import SYSTEM_PATH
from gatebot.render.numbers import count
from gatebot.workspace.checkout import write_checkout
from gatebot.workspace.kept_place import KeptPlace, kept_place
from gatebot.workspace.setup import Launcher, SetupDone, SideSetup, found_setup, set_up
from gatebot.workspace.tree import Exclude, FileTree

CHECKOUT = "agent"
_OS_RELEASE = Path("/etc/os-release")


@dataclass(frozen=True, slots=True)
class SideFiles:
    """What a side is made from: its tree less what `exclude` names, whose digest is `digest`, and its setup commands.

    `folder` is where gatebot.yaml lies in the tree ("" = its top); the commands run there and see `variables`.
    """

    side: Side
    tree: FileTree
    exclude: Exclude
    digest: str
    folder: str = ""
    commands: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class SidePlace:
    """Where a side's trials run: a `directory` of its `checkout`.

    `kept`: found as an earlier run had left it, nothing was written or set up.
    """

    checkout: Path
    directory: Path
    setup: SetupDone
    kept: bool = False


def _unheard(_text: str) -> None:
    """For whom nobody listens."""


@contextmanager
def side_place(
    parent: Path, launchers: Launcher, files: SideFiles, log: Path, tell: Callable[[str], None] = _unheard
) -> Generator[SidePlace]:
    """Hold a side's checkout and environment below `parent` until the end of the block.

    They belong to one side and are never the other's, even when both are equal; their names tell neither. Whatever
    the setup was made from is part of which place it is; a setup that failed is tried again by the next run. Raises
    `tell` hears when commands are about to be run, and how long they took. Raises
    GatebotError as `write_checkout` and `set_up` do, and RepositoryError when the tree changes meanwhile.
    """
    variables = [f"{name}={value}" for name, value in sorted(files.variables.items())]
    words = (files.side, files.digest, files.folder, *files.commands, "", *variables, machine_digest())
    with kept_place(parent, words) as place:
        checkout = place.path / CHECKOUT
        if place.sealed() is not None:
            yield SidePlace(checkout, checkout / files.folder, found_setup(place.path), kept=True)
            return
        started = time.monotonic()
        if files.commands:
            tell(
                f"{files.side}: installing ({count(len(files.commands), 'command')} of agent.setup); log: {log.name}"
            )
        done = _make(place, checkout, launchers, files, log)
        if files.commands:
            how = "installed" if done.ok else "not installed"
            tell(f"{files.side}: {how} after {time.monotonic() - started:.0f} s")
        if done.ok:
            place.seal("")
        yield SidePlace(checkout, checkout / files.folder, done)


def _make(place: KeptPlace, checkout: Path, launchers: Launcher, files: SideFiles, log: Path) -> SetupDone:
    place.clear()
    written = write_checkout(files.tree, checkout, files.exclude)
    if written.digest != files.digest:
        message = "the working tree changed while it was read"
        raise RepositoryError(
            message,
            "leave the files alone while gatebot starts, or name a commit; "
            "--cache and --store are best outside the repository",
        )
    setup = SideSetup(files.commands, checkout, files.folder, files.variables)
    return set_up(launchers, setup, place.path, log)


@cache
def machine_digest() -> str:
    """What the machine lends to every program, as sha256 (hex): processor, system, and the Python that agents get."""
    digest = hashlib.sha256(f"{platform.system()} {platform.machine()}".encode())
    if _OS_RELEASE.is_file():
        digest.update(_OS_RELEASE.read_bytes())
    python = shutil.which("python3", path=":".join(map(str, SYSTEM_PATH)))
    if python is not None:
        digest.update(os.fsencode(Path(python).resolve()))
        with Path(python).open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
