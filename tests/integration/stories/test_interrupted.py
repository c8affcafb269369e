"""A gate that is killed, or told to stop: finished trials are kept, run once, and no agent outlives it.

The agents count themselves with a server of the test, since they may write nowhere outside their run. The server can
hold an agent, and sees it end.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.builders import CONFIG, Project, book, shop, wrong
from tests.integration.stories.command_line import Ended, strict_json, subprocess_argv

PLANNED = 24
BEFORE = 6
AGENT = """\
import json, socket, sys
request = json.load(sys.stdin)
with socket.create_connection(("127.0.0.1", PORT)) as server:
    server.sendall(b"trial")
    server.recv(1)
print(json.load(open("book.json"))[request["case"]])
"""
SETUP = """\
import socket, sys
socket.create_connection(("127.0.0.1", PORT)).recv(1)
"""


class Counter:
    """Counts connections and lets them go; holds what comes after the first `BEFORE`, as long as it is told to."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.count = 0
        self.holds_after: int | None = None
        self.holding = threading.Event()
        self.let_go_by_the_other_end = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.count += 1
            with connection:
                if self.holds_after is None or self.count <= self.holds_after:
                    connection.sendall(b"g")
                    continue
                self.holding.set()
                try:
                    while connection.recv(16):
                        pass
                except ConnectionError:
                    pass
                self.let_go_by_the_other_end.set()

    def close(self) -> None:
        """Stop listening, and wait for the thread."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)


@dataclass(frozen=True, slots=True)
class Shop:
    """A gate of 24 trials, one at a time, whose agents count themselves."""

    place: Path
    counter: Counter
    argv: list[str]

    def started(self) -> subprocess.Popen[bytes]:
        variables = {"TMPDIR": str(self.place / "tmp"), "XDG_CACHE_HOME": str(self.place / "cache")}
        return subprocess.Popen(
            self.argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **variables}
        )

    def journal(self) -> bytes:
        return (self.place / "out" / "trials.jsonl").read_bytes()


@pytest.fixture
def counter() -> Iterator[Counter]:
    made = Counter()
    yield made
    made.close()


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory that trials' users can enter, as they cannot enter what pytest makes."""
    made = Path(tempfile.mkdtemp(prefix="interrupted-"))
    try:
        made.chmod(0o711)
        for folder in ("tmp", "cache"):
            (made / folder).mkdir()
            (made / folder).chmod(0o711)
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def shop_in(place: Path, counter: Counter, config: str = CONFIG) -> Shop:
    config = config.replace("concurrency: 4", "concurrency: 1").replace("timeout: 20", "timeout: 90")
    agent = AGENT.replace("PORT", str(counter.port))
    installer = SETUP.replace("PORT", str(counter.port))
    project = Project(place / "shop", {**shop(config=config), "agent.py": agent, "install.py": installer})
    base = str(project.repository.head.target)
    head = project.commit({"book.json": book(wrong("hours", "price", "refund"))})
    argv = ("gate", "--repo", project.root, "--base", base, "--head", head, "--out", place / "out")
    return Shop(place, counter, subprocess_argv(*argv))


def ended_by(shop: Shop, number: signal.Signals) -> Ended:
    """Start the gate, send the signal when an agent is held, and see that agent end."""
    gate = shop.started()
    try:
        assert shop.counter.holding.wait(60), "it never came so far"
        gate.send_signal(number)
        out, err = gate.communicate(timeout=60)
        assert shop.counter.let_go_by_the_other_end.wait(30), "what it started outlives the gate"
    finally:
        gate.kill()
        gate.wait()
    return Ended(gate.returncode, out.decode(), err.decode())


def gone_on(shop: Shop) -> Ended:
    shop.counter.holds_after = None
    gate = shop.started()
    out, err = gate.communicate(timeout=100)
    return Ended(gate.returncode, out.decode(), err.decode())


def test_killed_in_the_middle_it_goes_on_and_runs_no_finished_trial_twice(
    place: Path, counter: Counter
) -> None:
    counter.holds_after = BEFORE
    gate = shop_in(place, counter)
    killed = ended_by(gate, signal.SIGKILL)
    assert killed.code == -signal.SIGKILL
    assert not (place / "out" / "report.json").exists()
    kept = gate.journal()
    finished, started = kept.count(b"\n"), counter.count
    assert started == BEFORE + 1
    assert BEFORE - 1 <= finished <= BEFORE  # the newest may not have been written down yet
    resumed = gone_on(gate)
    assert resumed.code == 1, resumed.told
    assert gate.journal().startswith(kept[: kept.rfind(b"\n") + 1])
    assert counter.count == PLANNED + started - finished
    report = strict_json((place / "out" / "report.json").read_text("utf-8"))
    trials = report["trials"]
    assert isinstance(trials, dict)
    assert (trials["planned"], trials["completed"], trials["missing"]) == (PLANNED, PLANNED, 0)
    assert gone_on(gate).code == 1
    assert counter.count == PLANNED + started - finished


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_told_to_stop_it_says_how_far_it_came_and_leaves_nothing_behind(
    place: Path, counter: Counter, number: signal.Signals
) -> None:
    counter.holds_after = BEFORE
    gate = shop_in(place, counter)
    stopped = ended_by(gate, number)
    assert stopped.code == 130, stopped.told
    assert stopped.out == ""
    assert f"cancelled, {BEFORE} of {PLANNED} done" in stopped.err
    assert "Traceback" not in stopped.err
    assert list((place / "tmp").iterdir()) == []
    assert len([json.loads(line)["case"] for line in gate.journal().splitlines()]) == BEFORE
    assert gone_on(gate).code == 1
    assert counter.count == PLANNED + 1


def test_told_to_stop_before_the_first_trial_it_leaves_nothing_behind(place: Path, counter: Counter) -> None:
    counter.holds_after = 0
    gate = shop_in(place, counter, CONFIG.replace("agent.py]", "agent.py], setup: [python3 install.py]"))
    stopped = ended_by(gate, signal.SIGTERM)
    assert stopped.code == 130, stopped.told
    assert "cancelled" in stopped.err
    assert "Traceback" not in stopped.err
    assert list((place / "tmp").iterdir()) == []
    assert not (place / "out" / "trials.jsonl").exists()
