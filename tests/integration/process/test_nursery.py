"""Launchers come from one process: what happens when it, or one of them, is killed or does not end."""

from __future__ import annotations

import os
import signal
from pathlib import Path, PurePath

from gatebot.process.launch import Launchers
from gatebot.process.nursery import Nursery
from gatebot.process.program import Program

TRUE = Program(("true",), PurePath("/"), {"PATH": "/usr/bin:/bin"}, 20.0)


def children(pid: int) -> set[int]:
    return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def ended(pid: int) -> bool:
    """Whether a process has gone, or holds nothing any more: a zombie's files are closed, and not only its memory."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_launchers_are_forks_of_one_child_of_ours_and_all_end_with_it() -> None:
    before = children(os.getpid())
    nursery = Nursery()
    launchers = [nursery.launcher() for _ in range(3)]
    (child,) = children(os.getpid()) - before
    forked = children(child)
    assert len(forked) == 3
    assert all(launcher.close(10.0) for launcher in launchers)
    nursery.close(patient=True)
    assert children(os.getpid()) == before
    assert not any(Path(f"/proc/{pid}").exists() for pid in forked)


def test_a_launcher_that_does_not_end_is_killed() -> None:
    before = children(os.getpid())
    nursery = Nursery()
    launcher = nursery.launcher()
    (child,) = children(os.getpid()) - before
    (forked,) = children(child)
    os.kill(forked, signal.SIGSTOP)
    assert not launcher.close(0.05)
    nursery.close(patient=False)
    assert not Path(f"/proc/{forked}").exists()
    assert children(os.getpid()) == before


def test_a_killed_nursery_is_replaced_and_its_launchers_go_on() -> None:
    before = children(os.getpid())
    with Launchers() as launchers:
        assert launchers.launch(TRUE).ok
        (child,) = children(os.getpid()) - before
        (idle,) = children(child)
        os.kill(child, signal.SIGKILL)
        assert launchers.launch(TRUE).ok  # by the launcher that is left
        os.kill(idle, signal.SIGKILL)
        while not ended(idle):
            pass
        assert launchers.launch(TRUE).ok  # by one of the next nursery
        assert child not in children(os.getpid())
    assert children(os.getpid()) == before


def test_a_nursery_nobody_asked_closes() -> None:
    before = children(os.getpid())
    Nursery().close(patient=True)
    assert children(os.getpid()) == before
