"""The HTTP client under the SDK: one origin, no redirects, nothing from the environment, every body under a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import httpx2

from gatebot.judge.fault import CallFailed

MAX_BODY_BYTES = 64 * 1024 * 1024
_HEADERS = frozenset(
    {"accept", "accept-encoding", "connection", "content-length", "content-type", "host", "transfer-encoding"}
)
_PREFIXES = ("anthropic-", "x-stainless-", "user-agent")


class OneOrigin(httpx2.BaseTransport):
    """Sends to the configured origin alone, with the configured key alone, and reads no longer than the deadline.

    A read timeout bounds the time between two bytes; a server that sends one byte a second is bounded by `deadline`,
    which is looked at before every read.
    """

    def __init__(self, base_url: str, key: str, now: Callable[[], float] = time.monotonic) -> None:
        self._origin = _origin(httpx2.URL(base_url))
        self._key = key
        self._now = now
        self._inner = httpx2.HTTPTransport(trust_env=False, retries=0)
        self._deadlines: dict[str, float] = {}

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request. Raises CallFailed for another origin, and beyond the deadline of its `x-gatebot-deadline`."""
        if _origin(request.url) != self._origin:
            message = "the API pointed to another address, where the key must not go"
            raise CallFailed(message, ends_session=True)
        deadline = float(request.headers.get("x-gatebot-deadline", "inf"))
        kept = [
            (name, value)
            for name, value in request.headers.multi_items()
            if name.lower() in _HEADERS or name.lower().startswith(_PREFIXES)
        ]
        request.headers = httpx2.Headers([*kept, ("authorization", f"Bearer {self._key}")])
        response = self._inner.handle_request(request)
        body = response.stream
        if not isinstance(body, httpx2.SyncByteStream):
            message = "a body that cannot be read"
            raise TypeError(message)
        response.stream = _Bounded(body, deadline, self._now)
        return response

    def close(self) -> None:
        """Close all connections."""
        self._inner.close()


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, deadline: float, now: Callable[[], float]) -> None:
        self._inner = inner
        self._deadline = deadline
        self._now = now

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._inner:
            size += len(chunk)
            if self._now() > self._deadline:
                raise CallFailed("the answer did not arrive in time", may_be_billed=True)
            if size > MAX_BODY_BYTES:
                raise CallFailed("the answer is too large", may_be_billed=True)
            yield chunk

    def close(self) -> None:
        self._inner.close()


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    port = url.port or {"http": 80, "https": 443}.get(url.scheme)
    return url.scheme, url.host, port
