"""Agents behind a URL: real servers on the loopback, started by gatebot or by the test, well-behaved and not."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from pydantic import ValidationError

from gatebot.agents.build import make_agent
from gatebot.agents.http_call import CallError, Endpoint
from gatebot.errors import ConfigError
from gatebot.model.config import AgentConfig, Config
from gatebot.model.trial import Trial
from gatebot.ports import Agent, SideEnvironment
from gatebot.process.launch import Launchers
from tests.unit.agents.tasks import PLAIN, scripted, task

SERVER = """
import json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if asked["input"] == "die":
            os._exit(3)
        turns = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
        said = {"answer": f"turn {len(turns)}", "state": {"pid": os.getpid(), "key": os.environ.get("KEY")}}
        body = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        print("logged on standard output " * 100, flush=True)

ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""
Handle = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture
def launchers() -> Iterator[Launchers]:
    with Launchers() as pool:
        yield pool


def started(launchers: Launchers, checkout: Path, code: str = SERVER, **more: object) -> Agent:
    (checkout / "server.py").write_text(code)
    http = {"url": "http://127.0.0.1:{port}/run", "start": ["python3", "-I", "-S", "server.py"], **more}
    return make_agent(AgentConfig.model_validate({"http": http}), launchers=launchers, directory=checkout)


def state_of(trial: Trial) -> dict[str, object]:
    assert trial.status == "completed", trial.reason
    assert isinstance(trial.state, dict)
    return dict(trial.state)


@pytest.mark.parametrize("more", [{}, {"health": "http://127.0.0.1:{port}/health"}])
def test_a_server_is_started_once_and_asked_for_every_trial(
    launchers: Launchers, open_checkout: Path, more: dict[str, str]
) -> None:
    agent = started(launchers, open_checkout, SERVER, **more)
    here = SideEnvironment("head", open_checkout, variables={"KEY": "k"})
    found: list[Trial] = []
    threads = [threading.Thread(target=lambda: found.append(agent.run(task(), here))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {trial.answer for trial in found} == {"turn 1"}
    assert {state_of(trial)["key"] for trial in found} == {"k"}
    assert len({state_of(trial)["pid"] for trial in found}) == 1
    assert agent.run(task(scripted("a", "b")), here).answer == "turn 3"


def test_each_side_has_a_server_of_its_own(launchers: Launchers, open_checkout: Path) -> None:
    here = SideEnvironment("base", open_checkout)
    sides = [started(launchers, open_checkout) for _ in range(2)]
    assert len({state_of(agent.run(task(), here))["pid"] for agent in sides}) == 2


def test_a_server_ends_with_the_launchers(open_checkout: Path) -> None:
    with Launchers() as launchers:
        trial = started(launchers, open_checkout).run(task(), SideEnvironment("head", open_checkout))
        pid = state_of(trial)["pid"]
        assert Path(f"/proc/{pid}").exists()
    assert not Path(f"/proc/{pid}").exists()


def test_a_server_that_dies_costs_the_trial_and_is_started_again(
    launchers: Launchers, open_checkout: Path
) -> None:
    agent = started(launchers, open_checkout)
    here = SideEnvironment("head", open_checkout)
    first = state_of(agent.run(task(), here))["pid"]
    assert agent.run(task(replace(PLAIN, turns=("die",))), here).status == "agent_error"
    assert state_of(agent.run(task(), here))["pid"] != first


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import sys; sys.exit('no model')", "its server ended while starting: exited with code 1: no model"),
        ("import time; time.sleep(60)", "its server was not ready within 0.5 s"),
    ],
)
def test_a_server_that_does_not_come_up_is_the_agents_failure(
    launchers: Launchers, open_checkout: Path, code: str, reason: str
) -> None:
    agent = started(launchers, open_checkout, code, start_timeout=0.5 if "sleep" in code else 20)
    for _ in range(2):
        trial = agent.run(task(), SideEnvironment("head", open_checkout))
        assert (trial.status, trial.reason) == ("agent_error", reason)


def say(status: int, body: bytes = b"", **headers: str) -> Handle:
    def handle(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    return handle


def babble(request: BaseHTTPRequestHandler) -> None:
    request.wfile.write(b"nonsense\r\n\r\n")


def drip(request: BaseHTTPRequestHandler) -> None:
    """Headers that never end, a byte at a time."""
    never = threading.Event()
    while True:
        request.wfile.write(b"a")
        never.wait(0.05)


@pytest.fixture
def serve() -> Iterator[Callable[[Handle], str]]:
    servers: list[ThreadingHTTPServer] = []

    def start(handle: Handle) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                try:
                    handle(self)
                except OSError:
                    self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
                del format, args

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}/run"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def ask(url: str, launchers: Launchers, timeout_s: float = 10.0) -> Trial:
    config = AgentConfig.model_validate({"http": {"url": url}, "max_output_mb": 0.1})
    agent = make_agent(config, launchers=launchers, directory=Path())
    return agent.run(task(timeout_s=timeout_s), SideEnvironment("head", Path("/")))


@pytest.mark.parametrize(
    ("handle", "status", "reason"),
    [
        (say(200, b"hello"), "completed", ""),
        (say(200, json.dumps([{"role": "assistant", "content": "hi"}]).encode()), "completed", ""),
        (say(200, b"{broken"), "agent_error", "begins like JSON"),
        (say(200), "agent_error", "printed nothing"),
        (say(500, b"oh \x1b[31mno"), "agent_error", r"answered with status 500: oh \u{1b}[31mno"),
        (say(503), "infra_error", "answered with status 503"),
        (say(429), "infra_error", "answered with status 429"),
        (
            say(302, Location="http://169.254.169.254/"),
            "agent_error",
            "redirect (302), which is not followed",
        ),
        (say(200, b"x" * 200_000), "agent_error", "answered with more than 0.1 MB"),
        (say(200, b"short", Content_Length="500"), "agent_error", "cut off"),
        (babble, "agent_error", "connection broke"),
    ],
)
def test_answers_of_a_server_elsewhere(
    launchers: Launchers, serve: Callable[[Handle], str], handle: Handle, status: str, reason: str
) -> None:
    trial = ask(serve(handle), launchers)
    assert trial.status == status, trial.reason
    assert reason in trial.reason


def test_a_deadline_holds_against_a_byte_at_a_time(
    launchers: Launchers, serve: Callable[[Handle], str]
) -> None:
    trial = ask(serve(drip), launchers, timeout_s=0.5)
    assert (trial.status, trial.reason) == ("timeout", "no answer within 0.5 s")
    assert trial.timing.wall_s is not None
    assert trial.timing.wall_s < 5


def test_nobody_there_is_no_failure_of_the_agent(launchers: Launchers) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        trial = ask(f"http://127.0.0.1:{probe.getsockname()[1]}/", launchers)
    assert trial.status == "infra_error"
    assert "cannot be reached" in trial.reason


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://example.org/run", "clear text"),
        ("http://10.0.0.1/run", "clear text"),
        ("https://user:secret@example.org/", "must not hold a password"),
        ("https:///run", "names no host"),
        ("https://example.org:0/", "names no host and port"),
        ("https://example.org:99999/", "is no URL"),
        ("https://example.org/a b", "names no host"),
    ],
)
def test_urls_that_must_not_be_asked(url: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        Endpoint.checked(url)


@pytest.mark.parametrize(
    ("host", "private", "reached"),
    [
        ("https://10.1.2.3/", False, False),
        ("https://10.1.2.3/", True, True),
        ("https://[::ffff:192.168.1.1]/", False, False),
        ("https://169.254.169.254/", True, False),
        ("https://[fe80::1]/", True, False),
        ("https://127.0.0.2/", False, False),
        ("http://127.0.0.1/", False, True),
        ("https://0.0.0.0/", True, False),
        ("https://100.64.0.1/", False, False),
        ("https://8.8.8.8/", False, True),
    ],
)
def test_which_addresses_are_reached(host: str, private: bool, reached: bool) -> None:
    endpoint = Endpoint.checked(host, allow_private=private)
    if reached:
        assert endpoint.address()
        return
    with pytest.raises(CallError, match="is not public"):
        endpoint.address()


@pytest.mark.parametrize(
    ("http", "told"),
    [
        ({"url": "http://127.0.0.1:{port}/"}, "there is no `start`"),
        ({"url": "http://127.0.0.1:8000/", "start": ["x"]}, "needs a port of its own"),
    ],
)
def test_a_started_server_has_a_port_of_its_own(http: dict[str, object], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        AgentConfig.model_validate({"http": http})


def test_a_started_server_is_here_and_has_a_network(launchers: Launchers) -> None:
    agent = {"http": {"url": "https://example.org:{port}/", "start": ["x"]}}
    with pytest.raises(ConfigError, match="is asked here"):
        make_agent(AgentConfig.model_validate(agent), launchers=launchers, directory=Path())
    with pytest.raises(ValidationError, match="a server without network cannot be asked"):
        Config.model_validate({"version": 1, "suite": "a", "agent": agent, "network": "none"})
