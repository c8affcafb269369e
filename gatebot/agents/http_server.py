"""The server of an `http` agent: started once per side, on a port of its own, ended with everything else."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Final

from gatebot.agents.ending import failure_of
from gatebot.agents.http_call import CallError, Endpoint, get
from gatebot.agents.program_agent import limits_of, walls_of
from gatebot.model.agent import HttpAgent as HttpConfig
from gatebot.ports import SideEnvironment
from gatebot.process.environment import child_environment
from gatebot.process.launch import Launchers
from gatebot.process.program import LaunchRefusedError, Program, shell_argv

PORT: Final = "PORT"
_POLL_S: Final = 0.05
_HEALTH_S: Final = 5.0
_END_S: Final = 5.0
_BREAK_S: Final = 1.0
_FOREVER_S: Final = 7 * 86400.0
_OK: Final = 200
# What a server logs on standard output is nobody's answer: it is let go, so that it neither fills up nor ends it.
_QUIETLY: Final = 'exec "$@" >/dev/null'


@dataclass(slots=True)
class _Running:
    port: int
    thread: threading.Thread | None = None
    over: str = ""
    finished: threading.Event = field(default_factory=threading.Event)


class Server:
    """Starts the command when first asked for, and again after it has died having been ready before."""

    def __init__(self, config: HttpConfig, launchers: Launchers) -> None:
        self._config = config
        self._launchers = launchers
        self._lock = threading.Lock()
        self._running: _Running | None = None
        self._failed = ""

    def ready(self, environment: SideEnvironment) -> tuple[int, str]:
        """(port, "") when the server answers; (0, why not) when it did not come up, and is not tried again.

        One trial starts it, the others wait. Launchers end it when they are closed.
        """
        with self._lock:
            if self._failed:
                return 0, self._failed
            if self._running is None or self._is_over(self._running):
                running = self._start(environment)
                self._failed = self._wait(running)
                if self._failed:
                    return 0, self._failed
                self._running = running
            return self._running.port, ""

    def broke_off(self) -> None:
        """A connection broke: a server that is ending has a moment to be seen to have ended, so that none asks it again."""
        running = self._running
        if running is not None:
            running.finished.wait(_BREAK_S)

    def _is_over(self, running: _Running) -> bool:
        """Whether the server has ended; one that no longer listens is about to."""
        if not running.finished.is_set() and not _listens(self._place(running)):
            running.finished.wait(_END_S)
        return running.finished.is_set()

    def _place(self, running: _Running) -> Endpoint:
        return Endpoint.checked(self._config.url.replace("{port}", str(running.port)))

    def _start(self, environment: SideEnvironment) -> _Running:
        running = _Running(_free_port())
        thread = threading.Thread(target=self._serve, args=(running, environment), daemon=True)
        running.thread = thread
        thread.start()
        return running

    def _serve(self, running: _Running, environment: SideEnvironment) -> None:
        """Run the server to its end; what that was is left in `running`."""
        argv = self._config.start or ()
        try:
            with self._launchers.run_directory((environment.checkout, *environment.bin_dirs)) as directory:
                variables = {**environment.variables, PORT: str(running.port)}
                ended = self._launchers.launch(
                    Program(
                        (*shell_argv(_QUIETLY), "sh", *argv),
                        environment.checkout,
                        child_environment(
                            home=directory.home,
                            scratch=directory.scratch,
                            bin_dirs=environment.bin_dirs,
                            variables=variables,
                        ),
                        deadline_s=_FOREVER_S,
                        limits=limits_of(directory),
                        user=directory.user,
                        walls=walls_of(directory, environment),
                    )
                )
            ending = failure_of(ended, " ".join(argv[:1]), _FOREVER_S, 1)
            running.over = ending.reason if ending is not None else "exited with code 0"
        except LaunchRefusedError as error:
            running.over = error.message
        except OSError as error:
            running.over = f"no run directory: {error.strerror}"
        finally:
            running.finished.set()

    def _wait(self, running: _Running) -> str:
        """Wait until the server is ready; why it did not get so, or nothing."""
        limit = time.monotonic() + self._config.start_timeout
        health = self._config.health
        endpoint = self._place(running)
        if health is not None:
            endpoint = Endpoint.checked(health.replace("{port}", str(running.port)))
        while time.monotonic() < limit:
            if running.finished.wait(_POLL_S):
                return f"its server ended while starting: {running.over}"
            if _answers(endpoint) if health is not None else _listens(endpoint):
                return ""
        return f"its server was not ready within {self._config.start_timeout:g} s"


def _answers(endpoint: Endpoint) -> bool:
    try:
        return get(endpoint, seconds=_HEALTH_S).status == _OK
    except CallError:
        return False


def _listens(endpoint: Endpoint) -> bool:
    try:
        with socket.create_connection((endpoint.host, endpoint.port), timeout=_HEALTH_S):
            return True
    except OSError:
        return False


def _free_port() -> int:
    """A port nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
