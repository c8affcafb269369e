"""Ending a process tree, from inside the launcher that adopts its orphans. Standard library only."""

from __future__ import annotations

import errno
import os
import signal
import time

from gatebot.process.kernel import read_small

_FIRST_PAUSE_S = 0.0005
_LONGEST_PAUSE_S = 0.02
_KILLER_ATTEMPTS = 5


class Tally:
    """What was reaped of one run. `status` is the main process's wait status, None while it runs."""

    __slots__ = ("cpu_s", "main", "status", "strays")

    def __init__(self, main: int) -> None:
        self.main = main
        self.status: int | None = None
        self.cpu_s = 0.0
        self.strays = 0


def collect(tally: Tally) -> bool:
    """Reap whatever has ended, without waiting. False when no child is left at all."""
    while True:
        try:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True
        tally.cpu_s += usage.ru_utime + usage.ru_stime
        if pid == tally.main:
            tally.status = status
        else:
            tally.strays += 1


def end_tree(tally: Tally, uid: int | None) -> None:
    """Kill everything of the run and reap it, until nothing is left.

    The launcher is the subreaper of the run, so everything the run started is its descendant for good, setsid or
    not. Under a user of its own one `kill(-1)` reaches all at once, a fork bomb included; without one, the
    descendants are killed as they are found.
    """
    pause = _FIRST_PAUSE_S
    while collect(tally):
        if uid is None or not _kill_user(uid):
            _kill_descendants()
        if not collect(tally):
            return
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_S)


def _kill_user(uid: int) -> bool:
    """SIGKILL everything of `uid`, by a child that takes that user on; False when no such child could do it."""
    for _ in range(_KILLER_ATTEMPTS):
        try:
            killer = os.fork()
        except OSError:
            return False
        if killer == 0:
            _become_killer(uid)
        try:
            _pid, status = os.waitpid(killer, 0)
        except ChildProcessError:
            return False
        if status == 0:
            return True  # anything else: a process of the run killed the killer first, so try again
    return False


def _become_killer(uid: int) -> None:
    """In the forked child: take the user on, kill all it owns, leave. Never returns."""
    code = 1
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        os.kill(-1, signal.SIGKILL)
        code = 0
    except ProcessLookupError:
        code = 0  # nobody left to kill
    finally:
        os._exit(code)


def _kill_descendants() -> None:
    """SIGKILL every descendant there is right now."""
    for pid in _descendants(os.getpid()):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError as error:
            if error.errno not in (errno.ESRCH, errno.EPERM):
                raise


def _descendants(root: int) -> list[int]:
    """Process ids below `root`, parents before children, by one pass over /proc."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - one system call per process matters while a bomb forks
        if entry.isdigit():
            parent = _parent_of(entry)
            if parent is not None:
                children.setdefault(parent, []).append(int(entry))
    found: list[int] = []
    frontier = [root]
    while frontier:
        below = children.get(frontier.pop(), [])
        found.extend(below)
        frontier.extend(below)
    return found


def _parent_of(entry: str) -> int | None:
    """The parent of a process, from its stat line, whose second field is a name that may hold anything."""
    try:
        line = read_small(f"/proc/{entry}/stat")
    except OSError:
        return None
    fields = line.rpartition(b")")[2].split()
    return int(fields[1]) if len(fields) > 1 else None
