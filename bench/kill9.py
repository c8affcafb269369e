"""Kills gatebot with SIGKILL at random moments and lets it go on: no finished trial runs again, the result is the same.

Usage: python bench/kill9.py [KILLS]. Agents report each start over a loopback connection, since nothing of what they
write outlives them; the counts are the listener's own.
"""

from __future__ import annotations

import json
import random
import signal
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pygit2

from gatebot.runner.schedule import seed_for

ROOT = Path(__file__).resolve().parents[1]
CASES, SLOTS = 6, 3
KILLS = 200
KILLS_PER_EVALUATION = 4

AGENT = """\
import json, socket, sys, time
request = json.load(sys.stdin)
with socket.create_connection(("127.0.0.1", {port})) as line:
    line.sendall((open("note").read() + " " + request["case"] + " " + str(request["seed"]) + "\\n").encode())
    line.recv(1)
time.sleep(0.05)
print(json.dumps({{"answer": "seed " + str(request["seed"] % 5), "usage": {{"input_tokens": 1, "output_tokens": 1}}}}))
"""
CONFIG = """\
version: 1
suite: kills
agent: {command: [python3, -I, -S, agent.py], timeout: 30}
seeds: {fixed: 3}
concurrency: 4
"""


@dataclass
class Starts:
    """How often each trial was begun: `side case seed` → times."""

    counts: Counter[str] = field(default_factory=Counter[str])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def listen(self) -> socketserver.ThreadingTCPServer:
        """Count every line that an agent sends, before it goes on."""
        starts = self

        class Line(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                said = self.rfile.readline().decode().strip()
                with starts.lock:
                    starts.counts[said] += 1
                try:
                    self.wfile.write(b".")
                except OSError:
                    return  # killed meanwhile

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            request_queue_size = 128  # agents of a busy machine do not wait for the bench

        server = Server(("127.0.0.1", 0), Line)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server


@dataclass(frozen=True)
class Outcome:
    """What came of it: kills that hit a running gatebot, evaluations, trials, and trials that were paid for twice."""

    kills: int
    evaluations: int
    trials: int
    twice: int
    different: int


def repository(place: Path, port: int) -> None:
    """A suite of a few cases whose base and head differ in a file that changes nothing."""
    made = pygit2.init_repository(str(place), initial_head="main")
    who = pygit2.Signature("A Person", "person@example.org", 1_700_000_000, 0)
    files = {"gatebot.yaml": CONFIG, "agent.py": AGENT.format(port=port), "note": "base"}
    for number in range(CASES):
        files[f"golden/case-{number}.yaml"] = (
            f"input: Question {number}?\nexpect: {{answer: {{contains: seed}}}}\ngolden: {{answer: seed}}\n"
        )
    parents: list[pygit2.Oid] = []
    for note in ("base", "head"):
        for name, text in {**files, "note": note}.items():
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        made.index.add_all()
        made.index.write()
        parents = [made.create_commit("HEAD", who, who, note, made.index.write_tree(), parents)]


def argv(repo: Path, out: Path, cache: Path) -> list[str]:
    """The command line that is killed, and given again to go on."""
    words = ["gate", "--repo", str(repo), "--base", "main~1", "--head", "main", "--out", str(out)]
    return [sys.executable, "-m", "gatebot", *words, "--cache", str(cache), "--no-store"]


def start(words: list[str]) -> subprocess.Popen[bytes]:
    """Gatebot in a process of its own."""
    return subprocess.Popen(
        words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def to_the_end(words: list[str]) -> str:
    """Gatebot left alone: what it said."""
    done = subprocess.run(
        words,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return f"{done.stdout.decode()}\nexit {done.returncode}"


def finished(out: Path) -> dict[str, str]:
    """The journal's whole lines: `side case seed` → what the trial came to, without what is measured."""
    place = out / "trials.jsonl"
    if not place.exists():
        return {}
    found: dict[str, str] = {}
    for line in place.read_bytes().split(b"\n")[:-1]:
        trial = json.loads(line)
        key = f"{trial['side']} {trial['case']} {seed_for(trial['case'], trial['slot'])}"
        assert key not in found, f"{key} is there twice"
        found[key] = json.dumps(
            [trial["status"], trial["reason"], trial["answer"], trial["seed"], trial["usage"]["input_tokens"]]
        )
    return found


def kill_and_go_on(kills: int, draw: random.Random) -> Outcome:
    """Run evaluations, kill each several times at random moments, and compare with one that nobody touched."""
    starts = Starts()
    server = starts.listen()
    hit = evaluations = trials = twice = different = 0
    with tempfile.TemporaryDirectory(prefix="gatebot-kill9-", ignore_cleanup_errors=True) as name:
        place = Path(name)
        place.chmod(0o711)
        repo, cache = place / "repo", place / "cache"
        repository(repo, int(server.server_address[1]))
        began = time.monotonic()
        start(argv(repo, place / "whole", cache)).wait()
        whole, took = finished(place / "whole"), time.monotonic() - began
        assert len(whole) == CASES * SLOTS * 2, "the evaluation that nobody touches does not end well"
        while hit < kills and evaluations < 4 * kills:
            out = place / f"run-{evaluations}"
            evaluations += 1
            starts.counts.clear()
            paid: dict[str, int] = {}
            for _ in range(min(KILLS_PER_EVALUATION, kills - hit)):
                hit += killed(start(argv(repo, out, cache)), draw.uniform(0.1, 1.0) * took)
                twice += sum(starts.counts[key] > times for key, times in paid.items())
                paid = {key: starts.counts[key] for key in finished(out)}
            said = to_the_end(argv(repo, out, cache))
            twice += sum(starts.counts[key] > times for key, times in paid.items())
            if shown(finished(out), whole) or reported(out) != reported(place / "whole"):
                different += 1
                print(f"the last run said:\n{said}")
            trials += len(finished(out))
    server.shutdown()
    server.server_close()
    return Outcome(hit, evaluations, trials, twice, different)


def reported(out: Path) -> list[str]:
    """What the report says, and the digest of all results but for what is measured; nothing when there is no report."""
    place = out / "report.json"
    if not place.exists():
        return []
    report = json.loads(place.read_bytes())
    return [report["conclusion"], report["result_digest"]]


def shown(found: dict[str, str], whole: dict[str, str]) -> bool:
    """Whether a result differs from that of the evaluation nobody touched; where it does is printed."""
    for key in sorted(found.keys() | whole.keys()):
        if found.get(key) != whole.get(key):
            print(f"{key}: {found.get(key)}, and untouched {whole.get(key)}")
    return found != whole


def killed(process: subprocess.Popen[bytes], after_s: float) -> bool:
    """Kill the process after so many seconds; whether it was still running."""
    try:
        process.wait(after_s)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return True
    return False


def main(kills: int) -> int:
    """Print what came of it; 1 when a trial was paid for twice or a result differs."""
    began = time.monotonic()
    outcome = kill_and_go_on(kills, random.Random(20))  # noqa: S311 - moments, not secrets
    print(f"{outcome.kills} kills of {outcome.evaluations} evaluations in {time.monotonic() - began:.0f} s")
    print(f"finished trials that ran again: {outcome.twice} of {outcome.trials} (goal 0)")
    print(f"results that differ from an uninterrupted run: {outcome.different} (goal 0)")
    return int(bool(outcome.twice or outcome.different))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else KILLS))
