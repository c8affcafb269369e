"""Which walls stand between an agent and gatebot on this machine, and in words which do not."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final, Literal

from gatebot.process import kernel
from gatebot.process.identity import Identities, NoIdentityError, lock_directory, users_in_use

Network = Literal["none", "loopback", "open"]
_LOCKS: Final = (Path("/run/gatebot-users"), Path("/var/tmp/gatebot-users"))  # noqa: S108 - checked to be root's alone
_ENTER: Final = 0o001
_READ_AND_ENTER: Final = 0o005
_INTERPRETERS: Final = ("python3", "python")


@dataclass(frozen=True, slots=True)
class IsolationReport:
    """`own_user`: each trial runs under an unprivileged user of its own. `offline`: it has no network.

    `missing` says per wall that is not there why, in words.
    """

    own_user: bool
    offline: bool
    missing: tuple[str, ...] = ()

    def __str__(self) -> str:
        held = (
            "each trial under an unprivileged user of its own, with a clean environment"
            if self.own_user
            else "degraded: agents ran as gatebot's own user, with a clean environment"
        )
        return "; ".join((f"{held} and no network" if self.offline else held, *self.missing))


def describe(no_user: str, no_filter: str, network: Network) -> IsolationReport:
    """The report, from why a trial has no user of its own (empty when it has) and why its network stays open."""
    offline = network == "none" and not no_filter
    missing = [no_user, "files that everybody may read are open to agents"]
    if network == "none" and no_filter:
        missing.append(f"the network could not be closed: {no_filter}")
    elif network == "loopback":
        missing.append("the network is open: loopback alone cannot be enforced yet")
    elif network == "open":
        missing.append("the network is open")
    return IsolationReport(not no_user, offline, tuple(reason for reason in missing if reason))


def find_identities() -> tuple[Identities | None, str]:
    """Users for trials, or None and why there are none."""
    if os.geteuid() != 0:
        return None, "gatebot is not root, so it cannot give trials a user of their own"
    try:
        return Identities(lock_directory(_LOCKS), users_in_use()), ""
    except NoIdentityError as error:
        return None, str(error)


def shield_memory() -> None:
    """Keep other processes of our user from reading our memory and environment.

    Needed where agents run as gatebot's own user; under a user of their own they cannot anyway. Raises OSError.
    """
    kernel.set_process_option(kernel.PR_SET_DUMPABLE, 0)


def closed_to_others(paths: Iterable[PurePath]) -> str:
    """Why an unprivileged user cannot read one of the paths, in words; empty when it can read all of them.

    A directory needs its read and search bits for everybody, every directory above it the search bit. Of a `bin`
    directory the place its Python really lies is looked at too: an environment made from an interpreter below a
    home of mode 0700 cannot be entered.
    """
    for path in paths:
        for place in _places(Path(path)):
            for folder in (place, *place.parents):
                wanted = _READ_AND_ENTER if folder == place else _ENTER
                try:
                    mode = folder.stat().st_mode
                except OSError:
                    continue  # starting the program will say what is wrong with it
                if mode & wanted != wanted:
                    return f"{folder} (mode {mode & 0o7777:04o}) cannot be entered by another user"
    return ""


def _places(path: Path) -> list[Path]:
    """The directory as named and as it really is, and where the interpreter in it really lies."""
    interpreters = [path / name for name in _INTERPRETERS if (path / name).is_symlink()]
    return [path.absolute(), path.resolve(), *(link.resolve().parent for link in interpreters)]
