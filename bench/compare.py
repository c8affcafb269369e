"""Seconds and memory of `gatebot compare` on 500 cases × 10 slots × two sides of recorded trials of 50 messages.

`--keep DIR` leaves the generated recordings in DIR (and uses them again), `--cases N` makes a smaller one.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import orjson

from gatebot.model.trajectory import Message, ToolCall, Trajectory, Usage
from gatebot.model.trial import Side, Timing, Trial
from gatebot.runner.schedule import seed_for

SLOTS, CALLS = 10, 24
GOAL_S, GOAL_GB = 90.0, 1.5
CONFIG = """version: 1
suite: bench
agent: {command: ["./agent"]}
seeds: {fixed: 10}
gate: {metrics: {pass_rate: {margin: 0.10}, trajectory_match: {margin: 0.10}, param_accuracy: {}, tokens: {}}}
"""
TOOLS = ("find_customer", "get_order", "list_orders", "check_policy", "refund", "notify")


def golden_calls(case: int) -> list[ToolCall]:
    """24 calls, different in every case."""
    draw = random.Random(case)  # noqa: S311 - the same recordings every time
    return [
        ToolCall(
            id=f"c{n}",
            name=draw.choice(TOOLS),
            arguments={
                "order_id": f"A-{draw.randrange(9999)}",
                "amount": draw.randrange(500),
                "note": f"step {n}",
            },
            result=f"result {n}: " + "lorem ipsum dolor sit amet " * 6,
        )
        for n in range(CALLS)
    ]


def case_file(case: int) -> str:
    calls = [{call.name: call.arguments} for call in golden_calls(case)]
    return (
        f"input: Please see to order {case}.\n"
        f'expect: {{answer: {{contains: "order {case} is settled"}}}}\n'
        f"golden:\n  answer: order {case} is settled\n  calls: {json.dumps(calls)}\n"
    )


def trial(case: int, side: Side, slot: int) -> Trial:
    """A trial of 50 messages (24 calls and their results, a question, an answer) that sometimes leaves a call out, passes a wrong argument or answers wrongly."""
    draw = random.Random(f"{case} {side} {slot}")  # noqa: S311 - the same recordings every time
    calls = golden_calls(case)
    spoiled = draw.random()
    if spoiled < 0.1:
        calls[draw.randrange(CALLS)] = calls[0]
    elif spoiled < 0.2:
        place = draw.randrange(CALLS)
        calls[place] = replace(calls[place], arguments={**(calls[place].arguments or {}), "amount": -1})
    answer = f"Done: order {case} is settled." if draw.random() > 0.1 else "I could not do that."
    messages = [Message("user", f"Please see to order {case}.")]
    messages += [Message("assistant", calls=(call,)) for call in calls]
    messages.append(Message("assistant", answer))
    name = f"case-{case:03}"
    return Trial(
        case=name,
        side=side,
        slot=slot,
        seed=seed_for(name, slot),
        status="completed",
        trajectory=Trajectory(tuple(messages), format="bench"),
        answer=answer,
        usage=Usage(input_tokens=draw.randrange(2000, 9000), output_tokens=draw.randrange(100, 900)),
        timing=Timing(wall_s=draw.uniform(1, 30)),
    )


def write(root: Path, cases: int) -> None:
    (root / "suite" / "golden").mkdir(parents=True)
    (root / "suite" / "gatebot.yaml").write_text(CONFIG, encoding="utf-8")
    for case in range(cases):
        (root / "suite" / "golden" / f"case-{case:03}.yaml").write_text(case_file(case), encoding="utf-8")
    sides: tuple[Side, Side] = ("base", "head")
    for side in sides:
        (root / side).mkdir()
        with (root / side / "trials.jsonl").open("wb") as file:
            for slot in range(1, SLOTS + 1):
                file.writelines(orjson.dumps(trial(case, side, slot)) + b"\n" for case in range(cases))


def main() -> int:
    asked = arguments()
    with tempfile.TemporaryDirectory() as folder:
        root = asked.keep or Path(folder)
        if not (root / "suite").is_dir():
            write(root, asked.cases)
        size = sum((root / side / "trials.jsonl").stat().st_size for side in ("base", "head"))
        words = [
            "compare",
            root / "base",
            root / "head",
            "--suite",
            root / "suite",
            "--out",
            Path(folder) / "out",
        ]
        began = time.perf_counter()
        ended = subprocess.run(
            [sys.executable, "-m", "gatebot", *map(str, words)], check=False, capture_output=True
        )
        seconds = time.perf_counter() - began
        report = orjson.loads((Path(folder) / "out" / "report.json").read_bytes())
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    memory = used.ru_maxrss / 1024 / 1024
    completed = report["trials"]["completed"]
    print(
        f"{completed} trials of 50 messages, {size / 1e6:.0f} MB of trials.jsonl: {report['conclusion']}, exit {ended.returncode}"
    )
    print(
        f"gatebot compare  {seconds:6.1f} s    (goal: below {GOAL_S:.0f} s; {used.ru_utime:.1f} s of processor)"
    )
    print(f"most memory      {memory:6.2f} GB   (goal: below {GOAL_GB} GB)")
    return 0 if seconds < GOAL_S and memory < GOAL_GB and completed == asked.cases * SLOTS * 2 else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--keep", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
