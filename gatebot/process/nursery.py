"""Where launchers come from: one small process that forks them, started with the first and ended with the last."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
from pathlib import Path

import gatebot
from gatebot.process.channel import STOP
from gatebot.process.connection import Launcher

_BOOT = "import sys; sys.path.append(sys.argv[1]); from gatebot.process.launcher import main; main()"
_FORK = b"F"
_END_S = 2.0


class Nursery:
    """Forks launchers. Threads may ask for one at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._asked: socket.socket | None = None

    def start(self) -> None:
        """Start it now, for whoever will ask later; what cannot be started now is tried again when it is needed."""
        with contextlib.suppress(OSError):
            self._running()

    def launcher(self) -> Launcher:
        """A new launcher, in a session of its own. Raises OSError.

        A nursery that has gone (killed, by a run that has our user) is replaced.
        """
        asked = self._running()
        try:
            return _up(_forked(asked))
        except (BrokenPipeError, ConnectionResetError):
            self._forget(asked)
            return _up(_forked(self._running()))

    def begun(self) -> Launcher:
        """A new launcher that may still be coming up. Raises OSError."""
        return _forked(self._running())

    def _running(self) -> socket.socket:
        """What the nursery listens to; it is started when there is none. Raises OSError."""
        with self._lock:
            if self._asked is None:
                self._process, self._asked = _start()
            return self._asked

    def _forget(self, asked: socket.socket) -> None:
        """Forget a nursery that does not answer, unless another thread has; the launchers it has forked go on."""
        with self._lock:
            process = self._process
            if self._asked is not asked or process is None:
                return
            self._process = self._asked = None
        process.kill()
        process.wait()
        asked.close()

    def close(self, *, patient: bool) -> None:
        """Have the nursery wait for its launchers, which end by themselves once they are hung up on, and end.

        Not `patient`: kill those that have not ended.
        """
        with self._lock:
            process, asked = self._process, self._asked
            self._process = self._asked = None
        if process is None or asked is None:
            return
        with asked, contextlib.suppress(OSError):
            if not patient:
                asked.sendall(STOP)
            asked.shutdown(socket.SHUT_WR)
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _up(launcher: Launcher) -> Launcher:
    """The launcher when it is up. Raises OSError when it does not come up."""
    try:
        launcher.wait_until_ready()
    except OSError:
        launcher.control.close()
        raise
    return launcher


def _forked(asked: socket.socket) -> Launcher:
    """A launcher that the nursery there forks. Raises OSError."""
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            socket.send_fds(asked, [_FORK], [theirs.fileno()])
    except OSError:
        ours.close()
        raise
    return Launcher(ours)


def _start() -> tuple[subprocess.Popen[bytes], socket.socket]:
    """A nursery with an empty environment, in a session of its own. Raises OSError."""
    root = str(Path(gatebot.__file__).parents[1])
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _BOOT, root],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={},
                cwd="/",
                start_new_session=True,
            )
    except OSError:
        ours.close()
        raise
    return process, ours
