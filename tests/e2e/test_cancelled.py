"""The image's run on a hosted runner, told to stop at random moments over its whole life: seeded, so that they can be had again.

GATEBOT_E2E_MOMENTS is how many (10); bench/cancelled.py tries a hundred.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.builders import CONFIG, shop
from tests.e2e.conftest import Docker, Figures
from tests.e2e.forge import Forge
from tests.e2e.hosted import Hosted, hosted
from tests.e2e.test_stories import push
from tests.fakes.lines import Lines

Make = Callable[[Mapping[str, str | None]], Forge]
MOMENTS = int(os.environ.get("GATEBOT_E2E_MOMENTS", "10"))
STOP_S = 5.0
SETUPS = 2
NAME = "gatebot-e2e-moment"
AGENT = """\
import json, os, socket, sys, time
request = json.load(sys.stdin)
side = open("side").read().strip()
line = socket.create_connection(("127.0.0.1", PORT))
line.sendall(json.dumps(["trial", side, request["case"], request["seed"]]).encode())
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: time.sleep(600)
    os._exit(0)
time.sleep(0.5)
print(json.load(open("book.json"))[request["case"]])
"""
"""Says which trial it is, leaves a daemon behind, and answers."""

SETUP = """\
exec 3<>/dev/tcp/127.0.0.1/PORT
printf '["setup"]' >&3
sleep 600 &
sleep 0.3
"""
"""Holds a line too. No Python: making an environment of it would be most of the run."""


@dataclass(frozen=True)
class Stopped:
    """How a run ended that was told to stop: its exit code, what it said, how long it took, and when it was told."""

    code: int
    said: str
    took: float
    number: signal.Signals


def files(lines: Lines) -> dict[str, str | None]:
    """The shop, with a setup and agents that hold a line."""
    config = CONFIG.replace("timeout: 20", "timeout: 60, setup: ['bash setup.sh']")
    port = str(lines.port)
    mine = {
        "agent.py": AGENT.replace("PORT", port),
        "setup.sh": SETUP.replace("PORT", port),
        "side": "base\n",
    }
    return {**shop(config=config), **mine}


def is_running(docker: Docker) -> bool:
    told = docker("inspect", "--format={{.State.Running}}", NAME, check=False)
    return told.stdout.strip() == "true"


def begun(docker: Docker, job: Hosted) -> subprocess.Popen[str]:
    """The runner's `docker run`, from where its container runs."""
    process = subprocess.Popen(
        job.command(name=NAME), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    while process.poll() is None and not is_running(docker):
        pass
    return process


def first_trial(lines: Lines, process: subprocess.Popen[str]) -> None:
    """Wait until a trial has begun, or the run has ended without one."""
    while len(lines.held) <= SETUPS and process.poll() is None:
        time.sleep(0.01)


def stopped(
    docker: Docker, job: Hosted, after: float, number: signal.Signals, trials_of: Lines | None
) -> Stopped:
    """Run the job and tell it to stop so many seconds after its begin, or after that of its trials.

    The client by SIGINT, as a runner does, or the container by SIGTERM.
    """
    process = begun(docker, job)
    if trials_of is not None:
        first_trial(trials_of, process)
    try:
        said, _ = process.communicate(timeout=after)
        return Stopped(process.returncode, said, 0.0, number)
    except subprocess.TimeoutExpired:
        told = time.monotonic()
    if number == signal.SIGINT:
        process.send_signal(number)
    else:
        docker("kill", f"--signal={number.name}", NAME, check=False)  # it may have ended just now
    said, _ = process.communicate(timeout=60)
    while docker("ps", "--all", "--quiet", f"--filter=name={NAME}").stdout:
        assert time.monotonic() - told < 60
    return Stopped(process.returncode, said, time.monotonic() - told, number)


def journal(job: Hosted) -> set[tuple[str, str, int]]:
    """The finished trials: side, case, seed."""
    place = job.workspace / "gatebot-results" / "trials.jsonl"
    if not place.exists():
        return set()
    lines = place.read_text("utf-8").split("\n")[:-1]
    trials = [json.loads(line) for line in lines]
    return {(one["side"], one["case"], one["seed"]) for one in trials if one["status"] == "completed"}


def trials_said(lines: Lines) -> Counter[tuple[str, str, int]]:
    """Which trials were begun since the last time, and how often."""
    told = [json.loads(one) for one in lines.said if one]
    lines.said.clear()
    return Counter((one[1], one[2], one[3]) for one in told if one[0] == "trial")


def phase(lines: Lines, job: Hosted, whole: int, *, check: bool) -> str:
    """Where a run was when it was told."""
    kinds = {json.loads(one)[0] for one in lines.said if one}
    if len(journal(job)) == whole:
        return "grading or publishing"
    if "trial" in kinds:
        return "trials"
    return "set-up" if check or kinds else "before the check"


@pytest.mark.timeout(120 + 60 * MOMENTS)
def test_told_to_stop_at_random_moments(
    forge_of: Make, image: str, docker: Docker, figures: Figures, logs: Path
) -> None:
    lines = Lines()
    forge = forge_of(files(lines))
    push(forge, {"side": "head\n"})
    undisturbed = hosted(forge, image, "pull_request", forge.payload("opened", 1, "author"))
    process = begun(docker, undisturbed)
    since = time.monotonic()
    first_trial(lines, process)
    first_trial_s = time.monotonic() - since
    said, _ = process.communicate(timeout=120)
    whole_s = time.monotonic() - since
    assert process.returncode == 0, said
    assert lines.all_end_within(STOP_S)
    whole = set(trials_said(lines))
    assert journal(undisturbed) == whole
    assert len(whole) == 24

    draw = random.Random(8)
    phases: Counter[str] = Counter()
    longest = kept = 0.0
    for moment in range(MOMENTS):
        head = push(forge, {"notes.md": f"moment {moment}"})
        job = hosted(forge, image, "pull_request", forge.payload("synchronize", 1, "author"))
        # Every other one once trials have begun: on a machine that is busy, when that is cannot be told before.
        late = bool(moment % 2)
        after = draw.uniform(0, whole_s - first_trial_s if late else whole_s)
        number = draw.choice([signal.SIGINT, signal.SIGTERM])
        ended = stopped(docker, job, after, number, lines if late else None)
        told = f"moment {moment}: {number.name} after {after:.2f} s, exit {ended.code}\n{ended.said}"
        (logs / f"cancelled-{moment}.log").write_text(told, encoding="utf-8")
        assert lines.all_end_within(STOP_S), told
        assert ended.took < STOP_S, told
        checks = [check for check in forge.hub.checks if check.head_sha == head]
        assert all(check.status == "completed" for check in checks), told
        where = "after the end" if ended.took == 0 else phase(lines, job, len(whole), check=bool(checks))
        phases[where] += 1
        expect(ended, [check.conclusion for check in checks], started=bool(lines.said), told=told)
        assert where != "trials" or re.search(rf"cancelled, \d+ of {len(whole)} done", ended.said), told
        longest = max(longest, ended.took)

        done = journal(job)
        trials_said(lines)
        job.variables["GITHUB_RUN_ATTEMPT"] = "2"
        again = job.run()
        assert again.returncode == 0, f"{told}\n\nagain:\n{again.stdout}{again.stderr}"
        assert lines.all_end_within(STOP_S)
        assert not done & set(trials_said(lines)), told
        assert journal(job) == whole, told
        newest = [check for check in forge.hub.checks if check.head_sha == head][-1]
        assert (newest.status, newest.conclusion) == ("completed", "success"), told
        kept += len(done)
    lines.server.close()
    told = ", ".join(f"{count} {name}" for name, count in sorted(phases.items()))
    figures(
        f"told to stop at {MOMENTS} random moments of {whole_s:.1f} s ({told}): gone after {longest:.1f} s at most "
        f"(limit {STOP_S:.0f} s), no check left in progress, {kept:.0f} finished trials kept and none run again"
    )


def expect(ended: Stopped, conclusions: list[str | None], *, started: bool, told: str) -> None:
    """What a run that was told to stop must have said, and no more than that its check may say."""
    if ended.code == 0:  # it had concluded by then
        assert conclusions == ["success"], told
        return
    if "success" in conclusions:  # too late to change what was published, and in time to end the process
        assert "comment" in ended.said, told
        assert ended.code == 130, told
    elif started or conclusions:
        assert ended.code == 130, told
        assert "cancelled" in ended.said, told
        assert "Traceback" not in ended.said, told
    else:  # before gatebot has its handlers Python ends in its own way; nothing has been started by then
        assert ended.code in (1, 130, 143), told
