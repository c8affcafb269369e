"""F29: told to stop at random moments, from the first import to the last line: in time, nothing left, nothing lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatebot.process.run_directory import remove_tree
from tests.builders import CONFIG, Project, shop
from tests.fakes.lines import Lines
from tests.integration.stories.command_line import strict_json, subprocess_argv

MOMENTS = 6
STOP_S = 5.0
TRIALS = 12
AGENT = """\
import json, os, socket, sys, time
request = json.load(sys.stdin)
line = socket.create_connection(("127.0.0.1", PORT))
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: time.sleep(600)
    os._exit(0)
time.sleep(0.05)
print(json.load(open("book.json"))[request["case"]])
"""
SETUP = """\
import os, socket, time
line = socket.create_connection(("127.0.0.1", PORT))
if os.fork() == 0: time.sleep(600)
"""


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A temporary directory that trials' users may enter."""
    place = Path(tempfile.mkdtemp(prefix="gatebot-signals-"))
    place.chmod(0o755)
    yield place
    assert remove_tree(place)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_f29_told_to_stop_at_random_moments(tmp_path: Path, scratch: Path) -> None:
    lines = Lines()
    port = str(lines.server.getsockname()[1])
    config = CONFIG.replace("timeout: 20", "timeout: 60, setup: ['python3 setup.py']")
    files = {
        "agent.py": AGENT.replace("PORT", port),
        "setup.py": SETUP.replace("PORT", port),
    }
    project = Project(tmp_path / "shop", {**shop(config=config), **files})
    draw = random.Random(29)

    def begin(out: Path, cache: Path) -> subprocess.Popen[bytes]:
        argv = subprocess_argv(
            "run", "--repo", project.root, "--out", out, "--seeds", "3", "--cache", cache, "--no-store"
        )
        environment = {**os.environ, "TMPDIR": str(scratch)}
        return subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)

    began = time.monotonic()
    begin(tmp_path / "whole", scratch / "cache-whole").communicate(timeout=200)
    whole_s = time.monotonic() - began
    assert lines.all_end_within(STOP_S)
    whole = outcomes(tmp_path / "whole")
    assert len(whole) == TRIALS
    for number in range(MOMENTS):
        out, cache = tmp_path / f"out-{number}", scratch / f"cache-{number}"
        process = begin(out, cache)
        time.sleep(draw.uniform(0, whole_s))  # the moment is what is tried
        process.send_signal(draw.choice([signal.SIGINT, signal.SIGTERM]))
        told = time.monotonic()
        said = process.communicate(timeout=60)[1].decode()
        assert time.monotonic() - told < STOP_S, said
        started = bool(lines.held)
        assert lines.all_end_within(STOP_S)
        # Before gatebot has its handlers Python ends in its own way; nothing has been started by then.
        codes = (0, 130) if started else (0, 130, -signal.SIGINT, -signal.SIGTERM, 1)
        assert process.returncode in codes, (process.returncode, said)
        assert not started or "Traceback" not in said, said
        assert [path.name for path in scratch.iterdir() if not path.name.startswith("cache-")] == [], said
        assert set(outcomes(out)) <= set(whole)
        begin(out, cache).communicate(timeout=200)
        assert outcomes(out) == whole
        assert lines.all_end_within(STOP_S)
    lines.server.close()


def outcomes(out: Path) -> dict[str, object]:
    """What the journal holds, line by whole line: key → answer."""
    journal = out / "trials.jsonl"
    if not journal.exists():
        return {}
    text = journal.read_text("utf-8")
    assert not text or text.endswith("\n")
    trials = [strict_json(line) for line in text.splitlines()]
    found: dict[str, object] = {f"{trial['case']} {trial['slot']}": trial.get("answer") for trial in trials}
    assert len(found) == len(trials)
    return found
