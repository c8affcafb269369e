"""The fake GitHub on loopback: real HTTP, one lock, paging, permissions, faults, and a log of all requests."""

from __future__ import annotations

import hashlib
import json
import re
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast
from urllib.parse import parse_qsl, urlencode, urlsplit

from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from tests.fakes.github import apps, base_routes, git_routes, graphql
from tests.fakes.github.routes import ROUTES, Call, RefusedError, Route
from tests.fakes.github.state import Asked, Fault, GitHubState, Token


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, state: GitHubState) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.state = state
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """The root of the API, with GHES's prefix, so that a hard-coded host or path would show."""
        return f"http://127.0.0.1:{self.server_port}/api/v3"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_PATCH(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

    @property
    def _server(self) -> _Server:
        return cast("_Server", self.server)

    def _serve(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(length)
        body: JsonValue = json.loads(raw) if raw else {}
        place = urlsplit(self.path)
        with self._server.lock:
            self._answer(place.path, dict(parse_qsl(place.query)), body)

    def _answer(self, path: str, query: dict[str, str], body: JsonValue) -> None:
        state = self._server.state
        fault = next((one for one in state.faults if one.fits(self.command, path)), None)
        if fault is not None and not fault.after:
            self._strike(fault, path, body)
            return
        try:
            status, found, headers = self._carry_out(path, query, body)
        except RefusedError as error:
            status, found, headers = error.status, {"message": error.message}, {}
        if fault is not None:
            state.log.append(Asked(self.command, path, body, status))
            self._strike(fault, path, body)
            return
        answer = None if isinstance(found, bytes) else found
        state.log.append(Asked(self.command, path, body, status, answer))
        self._send(status, found, headers)

    def _strike(self, fault: Fault, path: str, body: JsonValue) -> None:
        self._server.state.log.append(Asked(self.command, path, body, 0 if fault.drop else fault.status))
        if fault.interrupts:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        if fault.drop:
            self.close_connection = True
            return
        told: JsonValue | bytes = fault.raw if fault.status == 200 else {"message": fault.message}
        self._send(fault.status, told, dict(fault.headers))

    def _token(self) -> Token:
        words = self.headers.get("authorization", "").split()
        token = self._server.state.tokens.get(words[-1]) if words else None
        if token is None:
            raise RefusedError(401, "Bad credentials")
        return token

    def _carry_out(
        self, path: str, query: dict[str, str], body: JsonValue
    ) -> tuple[int, JsonValue | bytes, dict[str, str]]:
        state = self._server.state
        artifact = re.fullmatch(r"/storage/(\d+)", path)
        if artifact:
            if self.headers.get("authorization"):
                raise RefusedError(400, "the storage takes no Authorization header")
            return 200, self._artifact(int(artifact.group(1))), {}
        assert is_object(body)
        bearer = (self.headers.get("authorization", "").split() or [""])[-1]
        of_app = apps.answer(state, self.command, path.removeprefix("/api/v3"), bearer, body)
        if of_app is not None:
            return 201 if self.command == "POST" else 200, of_app, {}
        token = self._token()
        if path == "/api/graphql":
            return 200, graphql.answer(state, token, body), {}
        prefix = f"/api/v3/repos/{state.name}"
        if path != prefix and not path.startswith(f"{prefix}/"):
            raise RefusedError(404, "Not Found")
        below = path.removeprefix(prefix)
        archive = re.fullmatch(r"/actions/artifacts/(\d+)/zip", below)
        if archive:
            _allow(token, (("actions", "read"),))
            return 302, {}, {"Location": f"{self._root()}/storage/{archive.group(1)}"}
        for route in ROUTES:
            match = route.pattern.fullmatch(below)
            if match and route.method == self.command:
                _allow(token, route.needs)
                found = route.handler(Call(state, token, match, query, body))
                return self._paged(route, query, found)
        raise RefusedError(404, "Not Found")

    def _artifact(self, number: int) -> bytes:
        for held in self._server.state.artifacts.values():
            for one, _, data in held:
                if one == number:
                    return data
        raise RefusedError(404, "Not Found")

    def _root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def _paged(
        self, route: Route, query: dict[str, str], found: JsonValue
    ) -> tuple[int, JsonValue, dict[str, str]]:
        if not is_array(found):
            return route.status, found, {}
        size, page = int(query.get("per_page", "30")), int(query.get("page", "1"))
        shown = found[(page - 1) * size : page * size]
        headers: dict[str, str] = {}
        if page * size < len(found):
            following = urlencode({**query, "page": str(page + 1)})
            headers["Link"] = f'<{self._root()}{urlsplit(self.path).path}?{following}>; rel="next"'
        whole: JsonValue = {"total_count": len(found), route.key: shown} if route.key else shown
        return route.status, whole, headers

    def _send(self, status: int, found: JsonValue | bytes, headers: dict[str, str]) -> None:
        data = found if isinstance(found, bytes) else json.dumps(found).encode()
        if self.command == "GET" and status == 200:
            tag = f'W/"{hashlib.sha256(data).hexdigest()}"'
            headers = {**headers, "ETag": tag}
            if self.headers.get("if-none-match") == tag:
                self._server.state.free_reads += 1  # "not modified" costs nothing of the rate limit
                status, data = 304, b""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _allow(token: Token, needs: tuple[tuple[str, str], ...]) -> None:
    """Whether the token has any one of the permissions; `metadata` has every token."""
    for name, level in needs:
        held = "read" if name == "metadata" else token.permissions.get(name)
        if held in ("write", level):
            return
    raise RefusedError(403, "Resource not accessible by integration")


@contextmanager
def serving(state: GitHubState) -> Generator[str]:
    """Serve the state; the API's address."""
    server = _Server(state)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.url
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


__all__ = ["GitHubState", "JsonObject", "base_routes", "git_routes", "serving"]
