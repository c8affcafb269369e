"""Lines that programs under test hold to us for as long as they live: whether one has ended shows without looking at it."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass, field


@dataclass
class Lines:
    """Connections that agents, their daemons and setups hold for as long as they live, and what came over them."""

    server: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    held: list[socket.socket] = field(default_factory=list[socket.socket])
    said: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        """Where to call on loopback."""
        return int(self.server.getsockname()[1])

    def _accept(self) -> None:
        while True:
            try:
                self.held.append(self.server.accept()[0])
            except OSError:
                return

    def all_end_within(self, seconds: float) -> bool:
        """Whether whoever held a line is gone within that time; what they said is then in `said`."""
        limit = time.monotonic() + seconds
        for line in self.held:
            heard = b""
            with line:
                line.settimeout(max(0.01, limit - time.monotonic()))
                try:
                    while read := line.recv(256):
                        heard += read
                except ConnectionError:
                    pass  # killed, which is an end too
                except TimeoutError:
                    return False
            self.said.append(heard.decode())
        self.held.clear()
        return True
