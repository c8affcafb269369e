"""False alarms: the example against itself, 20 times on fresh slots; at most two runs may report a regression.

`--seeds N` for a fixed number of seeds (default: the gate's own looks), `--runs N` for fewer or more runs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import orjson

from gatebot.workspace.layered import Layer, layered_repository

EXAMPLE = Path(__file__).parents[1] / "examples" / "support-agent"
MOST_SLOTS = 200
"""More than a run takes on both sides, with confirm trials: the next run begins so much further on."""


def main() -> int:
    asked = arguments()
    conclusions: Counter[str] = Counter()
    alarms = 0
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "repository"
        layered_repository(repository, [Layer(EXAMPLE, "Support agent", frozenset({"demo"}))])
        for number in range(asked.runs):
            out = Path(folder) / f"out-{number}"
            first = asked.first_slot + number * MOST_SLOTS
            words = ["aa", "--repo", repository, "--out", out, "--first-slot", first]
            words += ["--seeds", asked.seeds] if asked.seeds else []
            argv = [sys.executable, "-m", "gatebot", *map(str, words)]
            ended = subprocess.run(argv, capture_output=True, check=False)
            report = orjson.loads((out / "report.json").read_bytes())
            regressed = [
                row["name"] for row in report["metrics"] if row["gating"] and row["verdict"] == "regressed"
            ]
            conclusions[report["conclusion"]] += 1
            alarms += bool(regressed)
            print(
                f"run {number + 1:2}: exit {ended.returncode}, {report['conclusion']}, regressed: {regressed or 'nothing'}"
            )
    print(f"{alarms} of {asked.runs} runs reported a regression (goal: at most 2 of 20), {dict(conclusions)}")
    print(f"{time.perf_counter() - began:.0f} s")
    return 0 if alarms <= max(1, asked.runs // 10) else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--first-slot", type=int, default=1001)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
