"""gatebot's end of a launcher process: its socket, and how to let go of it."""

from __future__ import annotations

import contextlib
import errno
import select
import socket
import time

from gatebot.process.channel import STOP, read_reports

READY_S = 30.0
"""How long a launcher may take to come up; a machine that needs longer cannot run trials."""


class Launcher:
    """One launcher process, connected. It has ended when nobody holds the other end of its socket."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self._ready = False

    def wait_until_ready(self) -> None:
        """Return when the launcher has said that it is up. Raises OSError when it does not come up."""
        if self._ready:
            return
        limit = time.monotonic() + READY_S
        said = bytearray()
        while (left := limit - time.monotonic()) > 0 and self._heard(left):
            chunk = self.control.recv(4096)
            if not chunk:
                raise OSError(errno.EPIPE, "the launcher ended while starting")
            said += chunk
            for report in read_reports(said):
                if report.kind == "ready":
                    self._ready = True
                    return
                raise OSError(report.errno, "no launcher could be forked")
        raise OSError(errno.ETIMEDOUT, "the launcher did not come up")

    def alive(self) -> bool:
        """Whether the process runs, or comes up. Asked between its runs, when it has nothing more to say."""
        try:
            self.wait_until_ready()
            return bool(self.control.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        except BlockingIOError:
            return True
        except OSError:
            return False

    def closed_if_over(self) -> bool:
        """Close the socket of a launcher that has ended; whether it has. What it still says is not listened to."""
        if not self._ended_within(0.0):
            return False
        self.control.close()
        return True

    def stop(self) -> None:
        """Have the launcher end its run."""
        with contextlib.suppress(OSError):
            self.control.send(STOP, socket.MSG_DONTWAIT)

    def hang_up(self) -> None:
        """Say that nothing more will come: the launcher ends its run and then itself. Safe in a signal handler."""
        with contextlib.suppress(OSError):
            self.control.shutdown(socket.SHUT_WR)

    def close(self, patience_s: float) -> bool:
        """Let the launcher end its run and itself, for so long. Closes the socket; whether it has ended."""
        self.hang_up()
        ended = self._ended_within(patience_s)
        self.control.close()
        return ended

    def _ended_within(self, seconds: float) -> bool:
        limit = time.monotonic() + seconds
        while self._heard(max(0.0, limit - time.monotonic())):
            try:
                if not self.control.recv(4096, socket.MSG_DONTWAIT):
                    return True
            except BlockingIOError:
                continue
            except OSError:
                return True
        return False

    def _heard(self, seconds: float) -> bool:
        """Whether there is something to read within that time, an end included."""
        readable = select.poll()
        readable.register(self.control, select.POLLIN)
        return bool(readable.poll(seconds * 1000))
