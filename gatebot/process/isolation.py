"""Which walls stand between an agent and gatebot on this machine, and in words which do not."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final, Literal

from gatebot.process import kernel, landlock
from gatebot.process.identity import Identities, NoIdentityError, lock_directory, users_in_use
from gatebot.process.selftest import SelfTest

Network = Literal["none", "loopback", "open"]
_LOCKS: Final = (Path("/run/gatebot-users"), Path("/var/tmp/gatebot-users"))  # noqa: S108 - checked to be root's alone
_MOUNTS: Final = Path("/github")
_MOUNTED: Final = ("file_commands", "runner_temp", "workflow", "workspace")
_OTHERS: Final = 0o007
_ENTER: Final = 0o001
_READ_AND_ENTER: Final = 0o005
_INTERPRETERS: Final = ("python3", "python")


@dataclass(frozen=True, slots=True)
class IsolationReport:
    """What stands between agents and gatebot.

    `own_user`: each trial runs under an unprivileged user of its own. `walled`: it reaches only files it needs, and no
    process but its own. `offline`: it has no network; `loopback`: none but a loopback of its own. `missing` says per wall that was asked for and is not there why,
    in words; `remarks` what is open because nobody asked for a wall. `held`: attacks tried from inside and held off;
    `breaches`: those that were not.
    """

    own_user: bool
    offline: bool
    walled: bool
    loopback: bool = False
    missing: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    breaches: tuple[str, ...] = ()

    @property
    def tested(self) -> int:
        """How many attacks were tried."""
        return len(self.held) + len(self.breaches)

    @property
    def degraded(self) -> bool:
        """Whether an agent that wants to could reach what gatebot holds (a token, say)."""
        return not (self.own_user and self.walled and self.tested) or bool(self.breaches)

    @property
    def complete(self) -> bool:
        """Whether everything that was asked for is there and has been tried."""
        return not self.degraded and not self.missing

    def __str__(self) -> str:
        users = (
            "each trial under an unprivileged user of its own"
            if self.own_user
            else "degraded: agents ran as gatebot's own user"
        )
        walls = [users, *(["its files behind Landlock"] if self.walled else []), "with a clean environment"]
        walls += ["without network"] if self.offline else []
        walls += ["with no network but a loopback of its own"] if self.loopback else []
        return "; ".join((", ".join(walls), *self.missing, *self.remarks, *self._tried()))

    def _tried(self) -> tuple[str, ...]:
        if not self.tested:
            return ()
        if not self.breaches:
            return (f"self-test: {self.tested} attacks held off",)
        return (f"self-test: of {self.tested} attacks not held off: {', '.join(self.breaches)}",)


@dataclass(frozen=True, slots=True)
class Obstacles:
    """Why walls are not there, in words; "" for a wall that is: a user, the filter, a loopback of its own, Landlock.

    `old`: what a Landlock that is there cannot do; it matters where trials have no user of their own.
    """

    user: str = ""
    offline: str = ""
    loopback: str = ""
    files: str = ""
    old: str = ""


def describe(obstacles: Obstacles, network: Network, test: SelfTest | None = None) -> IsolationReport:
    """The report, from what stands in the way, the network that was asked for, and the self-test if there was one."""
    test = SelfTest() if test is None else test
    missing = [
        obstacles.user,
        obstacles.files and f"files and processes are open to agents: {obstacles.files}",
    ]
    if obstacles.user and not obstacles.files:
        missing.append(obstacles.old)
    remarks: list[str] = []
    if network == "none" and obstacles.offline:
        missing.append(f"the network could not be closed: {obstacles.offline}")
    elif network == "loopback" and obstacles.loopback:
        missing.append(f"the network is open: no loopback of its own can be had here: {obstacles.loopback}")
    elif network == "open":
        remarks.append("the network is open")
    missing.append(test.trouble)
    return IsolationReport(
        own_user=not obstacles.user,
        offline=network == "none" and not obstacles.offline,
        walled=not obstacles.files,
        loopback=network == "loopback" and not obstacles.loopback,
        missing=tuple(reason for reason in missing if reason),
        remarks=tuple(remarks),
        held=test.held,
        breaches=test.breaches,
    )


def find_identities() -> tuple[Identities | None, str]:
    """Users for trials, or None and why there are none."""
    if os.geteuid() != 0:
        return None, "gatebot is not root, so it cannot give trials a user of their own"
    try:
        return Identities(lock_directory(_LOCKS), users_in_use()), ""
    except NoIdentityError as error:
        return None, str(error)


def shield() -> None:
    """Close our memory and environment to other processes of our user, and our arguments to everybody.

    What a process was started with stays readable for every user (/proc/…/cmdline) wherever it is not overwritten;
    the program's name is kept. Raises OSError.
    """
    kernel.overwrite_arguments()
    kernel.set_process_option(kernel.PR_SET_DUMPABLE, 0)


def close_mounts(mounts: Path = _MOUNTS) -> None:
    """Close what the runner mounts into its containers to other users; what owns it keeps every right.

    There lie the files by which steps talk to each other, and credentials a checkout left. For where no Landlock
    closes them; HOME stays open, the cache may lie in it. Does nothing without root or mounts. Raises OSError.
    """
    if os.geteuid() != 0:
        return
    for place in (mounts / name for name in _MOUNTED):
        if place.is_dir() and not place.is_symlink():
            place.chmod(stat.S_IMODE(place.stat().st_mode) & ~_OTHERS)


def weakness() -> str:
    """What this kernel's Landlock cannot do that a newer one can, in words; empty when it can do all."""
    found = landlock.version()
    if not landlock.truncates(found):
        return f"Landlock of version {found} lets agents empty files outside"
    return "" if landlock.scopes(found) else f"Landlock of version {found} lets agents send signals outside"


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
    # `resolve` raises over a ring of links, which a setup can leave behind.
    lies = [Path(os.path.realpath(link)).parent for link in interpreters]
    return [path.absolute(), Path(os.path.realpath(path)), *lies]
