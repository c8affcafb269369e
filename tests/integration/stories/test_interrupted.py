"""A gate that is killed, or told to stop: finished trials are kept, run once, and no agent outlives it."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.builders import CONFIG, Project, book, shop, wrong
from tests.integration.stories.command_line import Ended, strict_json, subprocess_argv

PLANNED = 24
BEFORE = 6
AGENT = """\
import json, os, sys, time
request = json.load(sys.stdin)
with open("PLACE/starts", "a") as file:
    file.write(request["case"] + " " + str(request["seed"]) + "\\n")
with open("PLACE/starts") as file:
    count = len(file.readlines())
if count > BEFORE and os.path.exists("PLACE/hold"):
    pipe = os.open("PLACE/pipe", os.O_WRONLY)
    os.write(pipe, b"x")
    time.sleep(600)
print(json.load(open("book.json"))[request["case"]])
"""


@dataclass(frozen=True, slots=True)
class Shop:
    """A gate of 24 trials whose agent waits in the seventh as long as `hold` is there."""

    place: Path
    argv: list[str]

    def started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.argv,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(self.place / "tmp")},
        )

    def starts(self) -> int:
        return len((self.place / "starts").read_text().splitlines())

    def journal(self) -> bytes:
        return (self.place / "out" / "trials.jsonl").read_bytes()


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory for repository, results, counter and pipe, removed afterwards.

    Below the system's temporary directory: an agent with a user of its own may reach it, and not what pytest makes.
    """
    made = Path(tempfile.mkdtemp(prefix="interrupted-"))
    try:
        for folder in (made, made / "tmp"):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o777)
        os.mkfifo(made / "pipe")
        for file in ("starts", "pipe"):
            (made / file).touch()
            (made / file).chmod(0o666)
        (made / "hold").touch()
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def shop_in(place: Path, config: str = CONFIG) -> Shop:
    agent = AGENT.replace("PLACE", str(place)).replace("BEFORE", str(BEFORE))
    config = config.replace("concurrency: 4", "concurrency: 1").replace("timeout: 20", "timeout: 90")
    project = Project(place / "shop", {**shop(config=config), "agent.py": agent})
    base = str(project.repository.head.target)
    head = project.commit({"book.json": book(wrong("hours", "price", "refund"))})
    argv = ("gate", "--repo", project.root, "--base", base, "--head", head, "--out", place / "out")
    return Shop(place, subprocess_argv(*argv))


def ended_by(waiting_shop: Shop, number: signal.Signals) -> Ended:
    """Start the gate, send the signal when the pipe says so, and see what holds the pipe end."""
    pipe = os.open(waiting_shop.place / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    gate = waiting_shop.started()
    try:
        assert select.select([pipe], [], [], 60)[0], "it never came so far"
        os.set_blocking(pipe, True)
        assert os.read(pipe, 1) == b"x"
        gate.send_signal(number)
        out, err = gate.communicate(timeout=60)
        assert select.select([pipe], [], [], 30)[0], "the agent outlives the gate"
        assert os.read(pipe, 1) == b"", "the agent outlives the gate"
    finally:
        gate.kill()
        gate.wait()
        os.close(pipe)
    return Ended(gate.returncode, out.decode(), err.decode())


def gone_on(waiting_shop: Shop) -> Ended:
    (waiting_shop.place / "hold").unlink()
    gate = waiting_shop.started()
    out, err = gate.communicate(timeout=100)
    return Ended(gate.returncode, out.decode(), err.decode())


def test_killed_in_the_middle_it_goes_on_and_runs_no_finished_trial_twice(place: Path) -> None:
    waiting_shop = shop_in(place)
    killed = ended_by(waiting_shop, signal.SIGKILL)
    assert killed.code == -signal.SIGKILL
    assert not (waiting_shop.place / "out" / "report.json").exists()
    kept = waiting_shop.journal()
    finished, started = kept.count(b"\n"), waiting_shop.starts()
    assert started == BEFORE + 1
    assert BEFORE - 1 <= finished <= BEFORE  # the newest may not have been written down yet
    resumed = gone_on(waiting_shop)
    assert resumed.code == 1, resumed.told
    assert waiting_shop.journal().startswith(kept[: kept.rfind(b"\n") + 1])
    assert waiting_shop.starts() == PLANNED + started - finished
    report = strict_json((waiting_shop.place / "out" / "report.json").read_text("utf-8"))
    assert report["trials"] == {
        "planned": PLANNED, "completed": PLANNED,
        "agent_error": 0, "timeout": 0, "infra_error": 0, "missing": 0, "cached": 0,
    }  # fmt: skip
    (waiting_shop.place / "hold").touch()
    assert gone_on(waiting_shop).code == 1
    assert waiting_shop.starts() == PLANNED + started - finished


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_told_to_stop_it_says_how_far_it_came_and_leaves_nothing_behind(
    place: Path, number: signal.Signals
) -> None:
    waiting_shop = shop_in(place)
    stopped = ended_by(waiting_shop, number)
    assert stopped.code == 130, stopped.told
    assert stopped.out == ""
    assert f"cancelled, {BEFORE} of {PLANNED} done" in stopped.err
    assert "Traceback" not in stopped.err
    assert list((waiting_shop.place / "tmp").iterdir()) == []
    keys = [json.loads(line)["case"] for line in waiting_shop.journal().splitlines()]
    assert len(keys) == BEFORE
    assert gone_on(waiting_shop).code == 1
    assert waiting_shop.starts() == PLANNED + 1


def test_told_to_stop_before_the_first_trial_it_leaves_nothing_behind(place: Path) -> None:
    setup = f"agent.py], setup: ['echo -n x > {place}/pipe; exec sleep 600 > {place}/pipe']"
    stopped = ended_by(shop_in(place, CONFIG.replace("agent.py]", setup)), signal.SIGTERM)
    assert stopped.code == 130, stopped.told
    assert "cancelled" in stopped.err
    assert "Traceback" not in stopped.err
    assert list((place / "tmp").iterdir()) == []
    assert not (place / "out" / "trials.jsonl").exists()
