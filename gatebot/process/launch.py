"""Running programs: a pool of launcher processes, one program at a time in each, many at once from many threads."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import time
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path, PurePath
from types import TracebackType
from typing import Self

from gatebot.process.connection import Launcher
from gatebot.process.exchange import Exchange
from gatebot.process.isolation import (
    IsolationReport,
    Network,
    Obstacles,
    close_mounts,
    closed_to_others,
    describe,
    find_identities,
    shield,
    weakness,
)
from gatebot.process.nursery import Nursery
from gatebot.process.program import Ended, LaunchRefusedError, Program
from gatebot.process.run_directory import RunDirectory, run_directory
from gatebot.process.selftest import SelfTest, attack
from gatebot.process.walls import DEVICES, SYSTEM, Walls

_CLOSE_S = 5.0
_PROBE = {"PATH": "/usr/bin:/bin"}


class Launchers:
    """The one door to other programs. Threads may call `launch` at the same time; close it when done.

    Launchers are started when needed, kept for the next run, and die with gatebot, whatever kills it. `scratch` is
    where run directories are made (default: the system's temporary directory), `nursery` where launchers come from: it
    is closed with this.
    """

    def __init__(self, scratch: Path | None = None, nursery: Nursery | None = None) -> None:
        self._scratch = Path(tempfile.gettempdir()) if scratch is None else scratch
        self._identities, no_user = find_identities()
        self._obstacles = Obstacles(user=no_user)
        self._examined = False
        self._closed: dict[tuple[PurePath, ...], str] = {}
        self._examining = threading.RLock()
        self._examiner = ThreadPoolExecutor(1, "examination")
        self._begun: tuple[tuple[tuple[PurePath, ...], Network], Future[IsolationReport]] | None = None
        self._nursery = nursery or Nursery()
        self._lock = threading.Lock()
        self._returned = threading.Condition(self._lock)
        self._idle: list[Launcher] = []
        self._busy: set[Launcher] = set()
        self._retired: list[Launcher] = []
        self._refusing = False

    def launch(self, program: Program) -> Ended:
        """Run one program to its end, and end everything it started.

        Never raises on anything the program does, nor on a full process or descriptor table (`not_started`).
        Raises LaunchRefusedError after `terminate_all`.
        """
        try:
            launcher = self._take()
        except OSError as error:
            return Ended("not_started", stage="fork", errno=error.errno)
        exchange = Exchange(launcher, self._within_reach(program))
        try:
            ended = exchange.run()
        finally:
            self._give_back(launcher, reusable=exchange.reusable)
        if self._refusing and ended.how in ("lost", "signaled"):
            return Ended("terminated", stderr=ended.stderr, wall_s=ended.wall_s)
        return ended

    def isolation(self, needed: Iterable[PurePath] = (), network: Network = "open") -> IsolationReport:
        """What stands between agents and gatebot, when trials need these directories (checkouts, `bin_dirs`).

        Found by trying, first each wall, then attacks from behind them all. A wall that cannot be built is left out
        from now on for every run of this pool, so that both sides run alike; `network` is only described here,
        `Program.offline` and `Program.loopback` close it.
        """
        if self._begun is not None and self._begun[0] == (tuple(needed), network):
            report = self._begun[1].result()
            self._begun = None  # the next who asks wants to know how it is then
            return report
        return self._found(tuple(needed), network)

    def begin_examination(self, network: Network = "open") -> None:
        """Find `isolation(network=…)` out in a thread, for whoever asks later: it is waiting for others mostly."""
        self._begun = (((), network), self._examiner.submit(self._found, (), network))

    def _found(self, needed: tuple[PurePath, ...], network: Network) -> IsolationReport:
        with self._examining:
            self._examine(needed)
            try:
                closed = "open" if network == "loopback" and self._obstacles.loopback else network
                test = attack(self.launch, self.run_directory, needed, closed)
            except OSError as error:
                test = SelfTest(trouble=f"the sandbox was not tried: {error.strerror}")
            return describe(self._obstacles, network, test)

    def _examine(self, needed: Iterable[PurePath]) -> None:
        """Try each wall by itself, and leave out those that cannot be built."""
        self._examined = True
        shield()
        no_files = self._trouble_with(walls=Walls(SYSTEM, DEVICES))
        if no_files:
            close_mounts()
        no_user = self._obstacles.user
        if self._identities is not None:
            no_user = closed_to_others((self._scratch, *needed)) or self._trouble_with(user=True)
            if no_user:
                self._identities = None
        self._obstacles = Obstacles(
            user=no_user,
            offline=self._trouble_with(offline=True),
            loopback=self._trouble_with(user=True, loopback=True),
            files=no_files,
            old=weakness(),
        )

    def _within_reach(self, program: Program) -> Program:
        """The program without the walls that cannot be built here."""
        if program.offline and self._obstacles.offline:
            program = replace(program, offline=False)
        if program.loopback and self._obstacles.loopback:
            program = replace(program, loopback=False)
        if program.walls is not None and self._obstacles.files:
            program = replace(program, walls=replace(program.walls, readable=()))
        return program

    @contextmanager
    def run_directory(self, needed: Iterable[PurePath] = ()) -> Generator[RunDirectory]:
        """A fresh run directory, with a user of its own where that user can reach what is `needed`. Raises OSError."""
        with self._examining:
            if not self._examined:
                self._examine(needed)
        with ExitStack() as stack:
            user = None
            if self._identities is not None and not self._closed_to_users((self._scratch, *needed)):
                user = stack.enter_context(self._identities.lease())
            walled = not self._obstacles.files
            yield stack.enter_context(run_directory(self._scratch, user, walled=walled))

    def _closed_to_users(self, needed: tuple[PurePath, ...]) -> str:
        """`closed_to_others`, looked at once: both sides' trials shall run alike, however many there are."""
        found = self._closed.get(needed)
        if found is None:
            found = self._closed[needed] = closed_to_others(needed)
        return found

    def make_ready(self, count: int) -> None:
        """Have so many launchers at hand or coming up. What cannot be started now is tried again when it is needed."""
        with contextlib.suppress(OSError), self._lock:
            while len(self._idle) < count and not self._refusing:
                self._idle.append(self._nursery.begun())

    def _trouble_with(
        self,
        *,
        user: bool = False,
        offline: bool = False,
        loopback: bool = False,
        walls: Walls | None = None,
    ) -> str:
        """Why a program cannot be started behind that wall, found by doing it; empty when it can."""
        try:
            with self._identities.lease() if user and self._identities else nullcontext() as identity:
                probe = Program(("true",), PurePath("/"), _PROBE, 10.0, user=identity, walls=walls)
                ended = self.launch(replace(probe, offline=offline, loopback=loopback))
        except OSError as error:
            return error.strerror or str(error)
        if ended.ok:
            return ""
        return f"{ended.stage or ended.how}: {os.strerror(ended.errno)}" if ended.errno else ended.how

    def terminate_all(self) -> None:
        """End every running program and refuse further ones. Safe in a signal handler; returns at once."""
        self._refusing = True
        for launcher in (*self._busy.copy(), *self._idle):
            launcher.hang_up()

    def close(self) -> None:
        """End every running program and every launcher, and wait until they have gone."""
        self.terminate_all()
        limit = time.monotonic() + _CLOSE_S
        if self._begun is not None:  # nobody has asked for it
            wait([self._begun[1]], _CLOSE_S)
        # Whoever waits for a run holds its launcher's socket, and gives it back when that ends.
        with self._returned:
            all_back = self._returned.wait_for(lambda: not self._busy, _CLOSE_S)
            launchers = [*self._idle, *self._retired]
            self._idle.clear()
            self._retired.clear()
        ended = [launcher.close(max(0.0, limit - time.monotonic())) for launcher in launchers]
        self._nursery.close(patient=all_back and all(ended))
        self._examiner.shutdown()  # whoever it waited for has ended by now

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take(self) -> Launcher:
        """An idle launcher or a new one. Raises OSError and LaunchRefusedError."""
        if self._refusing:
            raise LaunchRefusedError
        with self._lock:
            while self._idle:
                launcher = self._idle.pop()
                if launcher.alive():
                    self._busy.add(launcher)
                    return launcher
                launcher.close(0)
        launcher = self._nursery.launcher()
        with self._lock:
            self._busy.add(launcher)
        if self._refusing:  # told to end while this one was starting
            launcher.hang_up()
        return launcher

    def _give_back(self, launcher: Launcher, *, reusable: bool) -> None:
        with self._lock:
            self._busy.discard(launcher)
            self._returned.notify_all()
            if reusable and not self._refusing:
                self._idle.append(launcher)
                return
            launcher.hang_up()
            self._retired = [*(other for other in self._retired if not other.closed_if_over()), launcher]
