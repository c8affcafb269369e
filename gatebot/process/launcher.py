"""Launcher processes: small, single-threaded, adopt and end all that their runs start. Standard library only.

One launcher serves one run at a time. It forks (which is safe only without threads), and as the subreaper of what it
forked it stays the ancestor of every process of the run, however often that forks or starts a new session. When
gatebot dies, its end of the socket closes and the launcher ends the run. Launchers are forks of a process that does
nothing else, the nursery: an interpreter is started once, not once per launcher.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import time

from gatebot.process import kernel
from gatebot.process.channel import STOP, Order, Report, receive_order
from gatebot.process.child import become
from gatebot.process.reap import Tally, collect, end_tree
from gatebot.process.watch import Watch, own_places

_IGNORED_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)


def main() -> None:
    """The nursery: fork a launcher for every socket handed over on standard input, until gatebot closes that.

    Then wait until all of them have gone. Never returns.
    """
    asked = _take_standard_input()
    for number in _IGNORED_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    _close_memory()
    children: list[int] = []
    while True:
        tag, files, _flags, _address = socket.recv_fds(asked, 1, 1)
        children = [pid for pid in children if os.waitpid(pid, os.WNOHANG) == (0, 0)]
        if not tag:
            break
        if tag == STOP:
            for pid in children:
                os.kill(pid, signal.SIGKILL)  # not reaped yet, so that the number is still its own
            continue
        with socket.socket(fileno=files[0]) as control:
            control.set_inheritable(False)
            try:
                pid = os.fork()
            except OSError as error:
                control.sendall(Report("failed", "fork", errno=error.errno or 0).encode())
                continue
            if pid == 0:
                asked.close()
                _launcher(control)
            children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)
    os._exit(0)


def _launcher(control: socket.socket) -> None:
    """Serve orders from gatebot until it closes the socket. Never returns."""
    try:
        os.setsid()
        kernel.set_process_option(kernel.PR_SET_CHILD_SUBREAPER, 1)
        _close_memory()
        wake, woken = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(woken, False)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        control.sendall(Report("ready").encode())
        while (received := receive_order(control)) is not None:
            Run(control, wake).serve(*received)
    except OSError:
        pass  # gatebot is gone; every run has been ended by then
    finally:
        os._exit(0)


def _take_standard_input() -> socket.socket:
    """The socket that is standard input, which nothing is read from any more."""
    asked = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return asked


def _close_memory() -> None:
    """Where a run has our user, it must not get our sockets."""
    kernel.set_process_option(kernel.PR_SET_DUMPABLE, 0)


class Run:
    """One order from fork to the end of the last process it left."""

    def __init__(self, control: socket.socket, wake: int) -> None:
        self._control = control
        self._wake = wake

    def serve(self, order: Order, files: list[int]) -> None:
        """Carry out an order and report on it. Raises OSError when gatebot has gone (the run is ended first)."""
        errors, told = os.pipe()
        launcher = os.getpid()
        try:
            began = time.monotonic()
            main = os.fork()
        except OSError as error:
            self._close(errors, told, *files)
            self._send(Report("failed", "fork", errno=error.errno or 0))
            self._send(Report("gone"))
            return
        if main == 0:
            become(order, files[:3], told, launcher)
        self._close(told, *files[:3])
        tally = Tally(main)
        places = (*own_places(order.writable, order.env.get("HOME", "")), *order.watched)
        watch = Watch(order.limits, places, order.uid)
        too_much = False
        try:
            too_much = self._wait(tally, watch)
        finally:
            if tally.status is None:
                end_tree(tally, order.uid)
            wall_s = time.monotonic() - began
            failure = self._failure(errors)
            try:
                self._tell_end(tally, failure, wall_s, too_much=too_much)
            finally:
                tally.strays = 0  # what ended by itself during the run was no stray
                end_tree(tally, order.uid)
                self._close(*files[3:])
        self._send(Report("gone", seconds=tally.cpu_s, strays=tally.strays))

    def _wait(self, tally: Tally, watch: Watch) -> bool:
        """Return when the main process has ended, or is to be ended: gatebot wants it or has gone, or it wrote too much.

        True in the last case.
        """
        events = select.poll()
        events.register(self._control, select.POLLIN)
        events.register(self._wake, select.POLLIN)
        while tally.status is None:
            if watch.due_ms() == 0 and watch.too_much():
                return True
            for descriptor, _ in events.poll(watch.due_ms()):
                if descriptor == self._control.fileno():
                    self._control.recv(1)
                    return False
                self._drain_wake()
            collect(tally)
        return False

    def _drain_wake(self) -> None:
        try:
            while os.read(self._wake, 512):
                pass
        except BlockingIOError:
            return

    def _failure(self, errors: int) -> tuple[str, int] | None:
        """What kept the program from starting, if anything did."""
        os.set_blocking(errors, False)
        try:
            said = os.read(errors, 200).decode("ascii", "replace").split()
        except BlockingIOError:
            said = []
        os.close(errors)
        return (said[0], int(said[1])) if len(said) == 2 else None

    def _tell_end(
        self, tally: Tally, failure: tuple[str, int] | None, wall_s: float, *, too_much: bool
    ) -> None:
        if failure is not None:
            self._send(Report("failed", failure[0], errno=failure[1]))
        else:
            code = (
                os.waitstatus_to_exitcode(tally.status) if tally.status is not None else -int(signal.SIGKILL)
            )
            self._send(Report("ended", "tree_cap" if too_much else "", code=code, seconds=wall_s))

    def _send(self, report: Report) -> None:
        self._control.sendall(report.encode())

    def _close(self, *descriptors: int) -> None:
        for descriptor in descriptors:
            os.close(descriptor)
