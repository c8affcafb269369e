"""Seconds to load and check a suite of 500 cases in this process, and by `gatebot validate` from a cold start."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

CASES = 500
GOAL_S = 1.2
COLD_GOAL_S = 2.0
CONFIG = """version: 1
suite: bench
agent: {command: ["./agent"]}
gate: {metrics: {pass_rate: {margin: 0.10}, trajectory_match: {margin: 0.10, target: 0.90}}}
"""
CASE = """# yaml-language-server: $schema=../schema/case.v1.json
description: Case {n}
input:
  - "Where is my order {n}?"
  - "Then refund it, please."
context: {{customer: c{n}, plan: gold, limits: {{refund: 100, days: 30}}}}
tags: [refund, multi-turn]
expect:
  answer: {{contains: ["refunded", "{n}"], regex: "order\\\\s+{n}"}}
  state: {{mode: subset, tolerance: 0.01}}
  trajectory: {{match: unordered, args: {{refund: {{reason: ignore}}}}}}
  forbid: [delete_account, escalate]
golden:
  answer: Order {n} was refunded with 30 EUR.
  state: {{orders: [{{id: "{n}", status: refunded, amount: 30.0}}]}}
  calls:
    - find_customer: {{id: c{n}}}
    - - get_order: {{order_id: "{n}"}}
      - get_policy: {{topic: refunds, lang: en}}
    - refund: {{order_id: "{n}", amount: 30.0, reason: late}}
    - {{call: notify, args: {{channel: mail}}, optional: true}}
"""


def write_suite(root: Path) -> None:
    (root / "golden").mkdir()
    (root / "gatebot.yaml").write_text(CONFIG, encoding="utf-8")
    for n in range(CASES):
        (root / "golden" / f"case-{n:03}.yaml").write_text(CASE.format(n=n), encoding="utf-8")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_suite(root)
        started = time.perf_counter()
        from gatebot.suite.load import load_suite

        imported = time.perf_counter()
        suite = load_suite(root)
        loaded = time.perf_counter()
        subprocess.run([sys.executable, "-m", "gatebot", "validate", folder], check=True, capture_output=True)
        cold = time.perf_counter() - loaded
    seconds = loaded - imported
    print(f"import of the loader   {imported - started:6.2f} s")
    print(f"load and check         {seconds:6.2f} s   {len(suite.cases)} cases   (goal: below {GOAL_S} s)")
    print(f"gatebot validate       {cold:6.2f} s   in a new process   (goal: below {COLD_GOAL_S} s)")
    return 0 if seconds < GOAL_S and cold < COLD_GOAL_S and len(suite.cases) == CASES else 1


if __name__ == "__main__":
    raise SystemExit(main())
