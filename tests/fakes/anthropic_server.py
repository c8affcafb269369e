"""A Messages API on loopback: answers by a function of the request, scripted faults, batches, both ways to send a key."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal, cast

from gatebot.model.json_value import JsonValue

KEY = "test-key-0123456789"
Body = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back. `ending`: `torn` closes in the middle of the body, `reset` before any of it."""

    status: int = 200
    body: JsonValue | bytes = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    ending: Literal["whole", "torn", "reset"] = "whole"
    drip: bool = False

    def encoded(self) -> bytes:
        """The body's bytes."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


Respond = Callable[[Body], Answer]


def fault(status: int, **headers: str) -> Answer:
    """An error of the API."""
    kinds = {429: "rate_limit_error", 529: "overloaded_error", 401: "authentication_error"}
    error: JsonValue = {"type": kinds.get(status, "api_error"), "message": "scripted"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, {"type": "error", "error": error}, named)


class AnthropicServer:
    """The server's state: what was asked, with which headers, and what is answered next.

    `script` is answered first, one by one; then `respond`.
    """

    def __init__(self, respond: Respond, key: str = KEY) -> None:
        self.respond = respond
        self.key = key
        self.script: list[Answer] = []
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.batches: dict[str, list[tuple[str, Answer]]] = {}
        self.polls_until_ended = 1
        self.batch_answers: Callable[[str, Answer], Answer] = lambda _, answer: answer
        self._polls: dict[str, int] = {}
        self._lock = threading.Lock()
        self.port = 0

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    def answer(self, method: str, path: str, headers: Mapping[str, str], raw: bytes) -> Answer:
        """Answer one request."""
        with self._lock:
            self.paths.append(f"{method} {path}")
            headers = {name.lower(): value for name, value in headers.items()}
            self.headers.append(headers)
            if self.key not in (headers.get("x-api-key"), _bearer(headers)):
                return fault(401)
            if self.script:
                self.requests.append(cast("Body", json.loads(raw)) if raw else {})
                return self.script.pop(0)
            if method == "POST" and path == "/v1/messages":
                return self._message(json.loads(raw))
            if method == "POST" and path == "/v1/messages/batches":
                return self._start(json.loads(raw))
            if path.startswith("/v1/messages/batches/"):
                return self._batch(path.split("/")[4], results=path.endswith("/results"))
            return fault(404)

    def _message(self, body: Body) -> Answer:
        self.requests.append(body)
        return self.respond(body)

    def _start(self, body: Body) -> Answer:
        name = f"msgbatch_{len(self.batches) + 1}"
        requests = cast("Sequence[Mapping[str, JsonValue]]", body["requests"])
        made: list[tuple[str, Answer]] = []
        for request in requests:
            answer = self._message(cast("Body", request["params"]))
            made.append((str(request["custom_id"]), self.batch_answers(str(request["custom_id"]), answer)))
        self.batches[name] = made
        self._polls[name] = 0
        return self._state(name)

    def _batch(self, name: str, *, results: bool) -> Answer:
        if name not in self.batches:
            return fault(404)
        if not results:
            self._polls[name] += 1
            return self._state(name)
        lines = [
            json.dumps({"custom_id": custom_id, "result": _result(answer)})
            for custom_id, answer in reversed(self.batches[name])  # results come in no order
        ]
        return Answer(body="\n".join(lines).encode() + b"\n", headers={"content-type": "application/x-jsonl"})

    def _state(self, name: str) -> Answer:
        ended = self._polls[name] >= self.polls_until_ended
        return Answer(
            body={
                "id": name,
                "type": "message_batch",
                "processing_status": "ended" if ended else "in_progress",
                "request_counts": {
                    "processing": 0,
                    "succeeded": 0,
                    "errored": 0,
                    "canceled": 0,
                    "expired": 0,
                },
                "created_at": "2026-01-01T00:00:00Z",
                "expires_at": "2026-01-02T00:00:00Z",
                "ended_at": None,
                "results_url": f"{self.url}/v1/messages/batches/{name}/results" if ended else None,
            }
        )


def _result(answer: Answer) -> JsonValue:
    if answer.status == 200:
        return {"type": "succeeded", "message": cast("JsonValue", answer.body)}
    return {"type": "errored", "error": cast("JsonValue", answer.body)}


def _bearer(headers: Mapping[str, str]) -> str:
    return (headers.get("authorization") or "").removeprefix("Bearer ")


@contextmanager
def serving(respond: Respond) -> Generator[AnthropicServer]:
    """Run a server on a free port of 127.0.0.1 until the block ends."""
    state = AnthropicServer(respond)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            self._reply(state.answer("POST", self.path, dict(self.headers.items()), self.rfile.read(length)))

        def do_GET(self) -> None:
            self._reply(state.answer("GET", self.path, dict(self.headers.items()), b""))

        def _reply(self, answer: Answer) -> None:
            self.close_connection = answer.ending != "whole"
            if answer.ending == "reset":
                return
            body = answer.encoded()
            self.send_response(answer.status)
            for name, value in {"content-type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            if answer.ending == "torn":
                body = body[: len(body) // 2]
            try:
                for start in range(0, len(body), 1 if answer.drip else len(body) or 1):
                    self.wfile.write(body[start : start + (1 if answer.drip else len(body))])
                    self.wfile.flush()
            except OSError:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
