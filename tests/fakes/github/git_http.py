"""Git over HTTP on loopback, by git's own backend: what a runner fetches from, with the token it must show."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit


class _GitServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, root: Path, token: str) -> None:
        super().__init__(("127.0.0.1", 0), _GitHandler)
        self.root = root
        self.wanted = "Basic " + base64.b64encode(f"x-access-token:{token}".encode()).decode()


class _GitHandler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._run(b"")

    def do_POST(self) -> None:
        self._run(self.rfile.read(int(self.headers.get("content-length") or 0)))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

    def _run(self, body: bytes) -> None:
        server = cast("_GitServer", self.server)
        if self.headers.get("authorization") != server.wanted:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        place = urlsplit(self.path)
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(server.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "uploadpack.allowAnySHA1InWant",
            "GIT_CONFIG_VALUE_0": "true",
            "GIT_CONFIG_KEY_1": "safe.directory",
            "GIT_CONFIG_VALUE_1": "*",
            "PATH_INFO": place.path,
            "QUERY_STRING": place.query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": self.headers.get("git-protocol", ""),
        }
        ended = subprocess.run(
            ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False, timeout=60
        )
        head, _, data = ended.stdout.partition(b"\r\n\r\n")
        lines = [line.split(": ", 1) for line in head.decode("latin-1").split("\r\n") if ": " in line]
        headers = {name.lower(): value for name, value in lines}
        self.send_response(int(headers.pop("status", "200").split()[0]))
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def serving_git(root: Path, token: str) -> Generator[str]:
    """Serve the repositories below `root` to whoever shows the token; the address."""
    server = _GitServer(root, token)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
