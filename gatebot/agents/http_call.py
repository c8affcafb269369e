"""One POST to an agent's server: to an address that was looked at, under one deadline, bounded, never redirected.

The standard library's client, because a deadline over everything needs the socket: a server that sends a byte a second
keeps every timeout between two bytes.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import SplitResult, urlsplit

from gatebot.errors import ConfigError, GatebotError

_CHUNK: Final = 65536
_LEAST_S: Final = 0.001
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})
Fault = Literal["unreachable", "late", "too_large", "broken", "refused"]


class CallError(GatebotError):
    """No usable answer: `fault` says in which way, the message in words."""

    def __init__(self, fault: Fault, message: str) -> None:
        self.fault: Fault = fault
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A URL that was checked; `allow_private`: its host may lie in a private network."""

    parts: SplitResult
    allow_private: bool = False

    @classmethod
    def checked(cls, url: str, *, allow_private: bool = False) -> Endpoint:
        """The endpoint of a URL a person wrote. Raises ConfigError for what would send requests astray or in clear."""
        hint = "write https://host/path, or http://127.0.0.1:port/path"
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            message = f"agent.http: {url!a} is no URL: {error}"
            raise ConfigError(message, hint) from error
        if not host or port == 0 or any(ord(char) <= 32 for char in url):
            message = f"agent.http: {url!a} names no host and port"
            raise ConfigError(message, hint)
        if parts.username is not None or parts.password is not None:
            message = "agent.http: a URL in a file must not hold a password"
            raise ConfigError(message, "let the server take it from the environment")
        if parts.scheme == "http" and host not in _LOCAL and not allow_private:
            message = f"agent.http: {url!a} would send requests in clear text"
            raise ConfigError(message, "use https, or allow_private for a server in a private network")
        return cls(parts, allow_private)

    @property
    def host(self) -> str:
        """The host's name or address."""
        return self.parts.hostname or ""

    @property
    def port(self) -> int:
        """The port, the scheme's own where none is written."""
        return self.parts.port or (443 if self.parts.scheme == "https" else 80)

    def address(self) -> str:
        """The one address that is connected to; looked up and looked at in one step. Raises CallError."""
        try:
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise CallError("unreachable", f"the name {self.host!a} cannot be looked up: {error}") from error
        addresses = [str(entry[4][0]) for entry in found]
        for address in addresses:
            if not self._may_reach(address):
                raise CallError("refused", f"{self.host!a} leads to {address}, which is not public")
        return addresses[0]

    def _may_reach(self, address: str) -> bool:
        """Public ones, loopback where the URL says so, private ones where allowed; link-local (metadata) ones never."""
        ip = ipaddress.ip_address(address.partition("%")[0])
        if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None:
            ip = ip.ipv4_mapped
        if ip.is_loopback:
            return self.host in _LOCAL or self.allow_private
        if ip.is_link_local or ip.is_multicast or ip.is_unspecified:
            return False
        return ip.is_global or (self.allow_private and ip.is_private)


def post(endpoint: Endpoint, body: bytes, *, seconds: float, most_bytes: int) -> Answer:
    """POST one JSON request and read the whole answer, all of it within so many seconds. Raises CallError."""
    return _call(endpoint, "POST", body, seconds, most_bytes)


def get(endpoint: Endpoint, *, seconds: float) -> Answer:
    """GET, for health checks. Raises CallError."""
    return _call(endpoint, "GET", None, seconds, _CHUNK)


def _call(endpoint: Endpoint, method: str, body: bytes | None, seconds: float, most_bytes: int) -> Answer:
    deadline = time.monotonic() + seconds
    try:
        with _connected(endpoint, seconds) as connection:
            path = endpoint.parts.path or "/"
            target = f"{path}?{endpoint.parts.query}" if endpoint.parts.query else path
            headers = {
                "Content-Type": "application/json",
                "Accept": "application/json",
                "Connection": "close",
            }
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            received = bytearray()
            while chunk := response.read1(_CHUNK):
                received += chunk
                if len(received) > most_bytes:
                    raise CallError("too_large", f"answered with more than {most_bytes / 1e6:g} MB")
            if response.length:
                raise CallError("broken", "the answer was cut off")
    except (OSError, http.client.HTTPException, ValueError) as error:
        if time.monotonic() >= deadline:
            raise CallError("late", f"no answer within {seconds:g} s") from error
        if isinstance(error, ConnectionRefusedError | socket.gaierror):
            raise CallError("unreachable", f"cannot be reached: {error.strerror}") from error
        raise CallError("broken", f"the connection broke: {type(error).__name__}") from error
    if time.monotonic() >= deadline:  # what was cut off at the deadline may look complete
        raise CallError("late", f"no answer within {seconds:g} s")
    return Answer(response.status, bytes(received))


@contextmanager
def _connected(endpoint: Endpoint, seconds: float) -> Generator[http.client.HTTPConnection]:
    """A connection whose socket is shut when the time is over, whatever it waits for then."""
    left = max(seconds, _LEAST_S)
    raw = socket.create_connection((endpoint.address(), endpoint.port), timeout=left)
    guard = raw.dup()  # TLS takes the descriptor of `raw` away
    watchdog = threading.Timer(left, _shut, (guard,))
    watchdog.daemon = True
    watchdog.start()
    connection = http.client.HTTPConnection(endpoint.host, endpoint.port, timeout=left)
    try:
        if endpoint.parts.scheme == "https":
            context = ssl.create_default_context()
            connection.sock = context.wrap_socket(raw, server_hostname=endpoint.host)
        else:
            connection.sock = raw
        yield connection
    finally:
        watchdog.cancel()
        connection.close()
        raw.close()
        guard.close()


def _shut(guard: socket.socket) -> None:
    """Wake up whoever reads from or writes to the connection."""
    with suppress(OSError):
        guard.shutdown(socket.SHUT_RDWR)
