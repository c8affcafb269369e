"""One run seen from gatebot: feed standard input, keep bounded output, hold the deadline, wait until all is gone."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import time
from collections.abc import Callable
from typing import Final, cast

from gatebot.process.channel import Order, Reach, Report, read_reports, send_order
from gatebot.process.connection import Launcher
from gatebot.process.program import Ended, How, Program, Stage

GRACE_S: Final = 2.0
"""How long the end of a tree may take before gatebot goes on without it."""
_CHUNK: Final = 65536
_WAKE_S: Final = 1.0
"""A signal that comes just before `poll` begins does not interrupt it: its handler runs so much later at most."""


class Exchange:
    """Runs one program in one launcher. `reusable` says afterwards whether the launcher may serve again."""

    def __init__(self, launcher: Launcher, program: Program) -> None:
        self._launcher = launcher
        self._program = program
        self.reusable = False
        self._stdin = memoryview(program.stdin)
        self._stdout = bytearray()
        self._stderr = bytearray()
        self._stderr_cut = False
        self._reports = bytearray()
        self._how: How | None = None
        self._ended: Report | None = None
        self._gone: Report | None = None
        self._lost = False
        self._limit = 0.0
        self._poll = select.poll()
        self._on: dict[int, Callable[[int], None]] = {}

    def run(self) -> Ended:
        """Run the program to its end. Raises nothing but what a signal handler raises."""
        try:
            order = self._order().encode()
        except ValueError:  # a NUL: no program can be given one
            self.reusable = True
            return Ended("not_started", stage="exec", errno=errno.EINVAL)
        began = time.monotonic()
        self._limit = began + self._program.deadline_s
        try:
            theirs = self._open_pipes()
        except OSError as error:
            self._close_pipes()
            self.reusable = True
            return Ended("not_started", stage="fork", errno=error.errno)
        try:
            self._watch(self._launcher.control.fileno(), select.POLLIN, self._read_reports)
            try:
                user = self._program.user
                send_order(self._launcher.control, order, (*theirs, *((user.lock,) if user else ())))
            except OSError:
                self._lost = True
            finally:
                for descriptor in theirs:
                    os.close(descriptor)
            self._attend()
            self._drain()
        finally:
            self._forget(self._launcher.control.fileno())
            self._close_pipes()
        self.reusable = self._gone is not None
        return self._verdict(time.monotonic() - began)

    def _order(self) -> Order:
        program = self._program
        walls = program.walls
        lists = (walls.readable, walls.writable, walls.watched) if walls else ((), (), ())
        readable, writable, watched = (tuple(map(str, paths)) for paths in lists)
        return Order(
            argv=program.argv,
            cwd=str(program.cwd),
            env=program.env,
            limits=program.limits.as_order(),
            uid=program.user.uid if program.user else None,
            reach=Reach(readable, writable, watched, offline=program.offline, loopback=program.loopback),
        )

    def _open_pipes(self) -> tuple[int, int, int]:
        """Make the three pipes, watch our ends, and hand out the program's ends. Raises OSError."""
        theirs: list[int] = []
        try:
            stdin, feed = os.pipe()
            theirs.append(stdin)
            self._watch(feed, select.POLLOUT, self._feed)
            for keep in (self._keep_stdout, self._keep_stderr):
                ours, end = os.pipe()
                theirs.append(end)
                self._watch(ours, select.POLLIN, keep)
        except OSError:
            for descriptor in theirs:
                os.close(descriptor)
            raise
        return theirs[0], theirs[1], theirs[2]

    def _attend(self) -> None:
        """Serve the pipes and the launcher until everything is gone or there is no point in waiting longer."""
        while self._gone is None and not self._lost:
            left = self._limit - time.monotonic()
            if left <= 0:
                if self._how is not None or self._ended is not None:
                    return  # the grace is over too
                self._stop("timeout")
                continue
            for descriptor, _event in self._poll.poll(min(left, _WAKE_S) * 1000 + 1):
                self._on.get(descriptor, self._forget)(descriptor)

    def _stop(self, how: How) -> None:
        """Have the launcher end the tree, for this reason; the grace begins."""
        if self._how is None and self._ended is None:
            self._how = how
            self._limit = time.monotonic() + GRACE_S
            self._launcher.stop()

    def _read_reports(self, control: int) -> None:
        try:
            chunk = os.read(control, _CHUNK)
        except ConnectionError:
            chunk = b""
        if not chunk:  # the launcher was killed: by the run, which may do so where both have the same user
            self._lost = True
            return
        self._reports += chunk
        for report in read_reports(self._reports):
            if report.kind == "gone":
                self._gone = report
            elif report.kind in ("ended", "failed"):
                self._ended = report
                if self._how is None:
                    self._how = "tree_cap" if report.kind == "ended" and report.stage else None
                    self._limit = time.monotonic() + GRACE_S

    def _feed(self, descriptor: int) -> None:
        """Write what the pipe takes; the input ends when all is written or nobody reads it any more."""
        try:
            self._stdin = (
                self._stdin[os.write(descriptor, self._stdin[:_CHUNK]) :] if self._stdin else self._stdin
            )
        except BlockingIOError:
            return
        except OSError:
            self._stdin = self._stdin[:0]
        if not self._stdin:
            self._end_pipe(descriptor)

    def _keep_stdout(self, descriptor: int) -> None:
        chunk = self._read(descriptor)
        room = self._program.max_stdout_bytes - len(self._stdout)
        self._stdout += chunk[: max(room, 0)]
        if len(chunk) > room:
            self._stop("output_cap")
            self._how = "output_cap" if self._how is None else self._how
            self._end_pipe(descriptor)

    def _keep_stderr(self, descriptor: int) -> None:
        self._stderr += self._read(descriptor)
        tail = self._program.stderr_tail_bytes
        if len(self._stderr) > tail:
            self._stderr_cut = True
            del self._stderr[: len(self._stderr) - tail]

    def _read(self, descriptor: int) -> bytes:
        """What is there; the pipe is closed when it has ended."""
        try:
            chunk = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return b""
        if not chunk:
            self._end_pipe(descriptor)
        return chunk

    def _drain(self) -> None:
        """Take what is still in the pipes, without waiting: their writers are dead, or given up on."""
        while pipes := [fd for fd in self._on if fd != self._launcher.control.fileno()]:
            ready = [(fd, event) for fd, event in self._poll.poll(0) if fd in pipes]
            if not ready:
                return
            for descriptor, _event in ready:
                self._on.get(descriptor, self._forget)(descriptor)

    def _watch(self, descriptor: int, events: int, handler: Callable[[int], None]) -> None:
        self._on[descriptor] = handler
        self._poll.register(descriptor, events)
        if descriptor != self._launcher.control.fileno():
            os.set_blocking(descriptor, False)

    def _forget(self, descriptor: int) -> None:
        self._on.pop(descriptor, None)
        with contextlib.suppress(KeyError):
            self._poll.unregister(descriptor)

    def _end_pipe(self, descriptor: int) -> None:
        if descriptor in self._on:
            self._forget(descriptor)
            os.close(descriptor)

    def _close_pipes(self) -> None:
        for descriptor in list(self._on):
            if descriptor != self._launcher.control.fileno():
                self._end_pipe(descriptor)

    def _verdict(self, waited_s: float) -> Ended:
        """What all this amounts to."""
        ended, how = self._ended, self._how or ("lost" if self._lost else None)
        if ended is None:
            how = how or "lost"
        elif how is None:
            how = "not_started" if ended.kind == "failed" else "exited" if ended.code >= 0 else "signaled"
        return Ended(
            how,
            exit_code=ended.code if ended and how == "exited" else None,
            signal=-ended.code if ended and how == "signaled" else None,
            stage=cast("Stage", ended.stage) if ended and how == "not_started" else None,
            errno=ended.errno if ended and how == "not_started" else None,
            stdout=bytes(self._stdout),
            stderr=bytes(self._stderr),
            stderr_cut=self._stderr_cut,
            wall_s=ended.wall_s if ended and ended.kind == "ended" else waited_s,
            cpu_s=self._gone.cpu_s if self._gone else None,
            strays=self._gone.strays if self._gone else 0,
            leftover=self._gone is None,
        )
