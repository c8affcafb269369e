"""gatebot's end of a launcher process: the process, its socket, and how to let go of it."""

from __future__ import annotations

import contextlib
import errno
import select
import socket
import subprocess
import time

from gatebot.process.channel import read_reports

READY_S = 30.0
"""How long a launcher may take to come up; a machine that needs longer cannot run trials."""


class Launcher:
    """One launcher process, connected."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket) -> None:
        self._process = process
        self.control = control

    @property
    def pid(self) -> int:
        """The launcher's process id."""
        return self._process.pid

    def wait_until_ready(self) -> None:
        """Return when the launcher says it is up. Raises OSError when it does not come up."""
        limit = time.monotonic() + READY_S
        said = bytearray()
        while (left := limit - time.monotonic()) > 0:
            readable = select.poll()
            readable.register(self.control, select.POLLIN)
            if not readable.poll(left * 1000):
                break
            chunk = self.control.recv(4096)
            if not chunk:
                raise OSError(errno.EPIPE, "the launcher ended while starting")
            said += chunk
            if read_reports(said):
                return
        raise OSError(errno.ETIMEDOUT, "the launcher did not come up")

    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def closed_if_over(self) -> bool:
        """Close the socket of a launcher that has ended; whether it has."""
        if self.alive():
            return False
        self.control.close()
        return True

    def stop(self) -> None:
        """Have the launcher end its run."""
        with contextlib.suppress(OSError):
            self.control.send(b"K", socket.MSG_DONTWAIT)

    def hang_up(self) -> None:
        """Say that nothing more will come: the launcher ends its run and then itself. Safe in a signal handler."""
        with contextlib.suppress(OSError):
            self.control.shutdown(socket.SHUT_WR)

    def close(self, patience_s: float) -> None:
        """Let the launcher end its run and itself, for so long; then kill it. Closes the socket."""
        self.hang_up()
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.control.close()
