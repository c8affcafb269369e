"""Runs of the example agent: driving it, and reading the calls of what it played."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from gatebot.model.json_value import JsonValue, is_array, is_object
from gatebot.model.suite import Case
from gatebot.suite.load import load_suite

AGENT = Path(__file__).parents[3] / "examples" / "support-agent"
DRIVER = Path(__file__).with_name("drive_agent.py")
SUITE = load_suite(AGENT)
CASES = {case.id: case for case in SUITE.cases}
CLEAN_SEED = 3
FREE_TEXT = {"search_docs": {"query"}, "create_ticket": {"subject"}, "escalate": {"summary"}}

Call = tuple[str, dict[str, JsonValue]]
Played = dict[str, JsonValue]


def drive(folder: Path, jobs: Sequence[Mapping[str, JsonValue]]) -> list[Played]:
    """What came of each job (see drive_agent.py) with the agent that lies in `folder`."""
    command = [sys.executable, "-B", str(DRIVER)]
    done = subprocess.run(
        command, cwd=folder, input=json.dumps(jobs).encode(), capture_output=True, check=True
    )
    played: list[Played] = json.loads(done.stdout)
    return played


def play_all(folder: Path, seeds: Sequence[int]) -> list[dict[str, Played]]:
    """Every case under every seed: one dictionary per seed, by case."""
    jobs: list[dict[str, JsonValue]] = [
        {"turns": list(case.turns), "context": case.context, "seed": seed}
        for seed in seeds
        for case in CASES.values()
    ]
    played = iter(drive(folder, jobs))
    return [{name: next(played) for name in CASES} for _ in seeds]


def play(folder: Path, seed: int) -> dict[str, Played]:
    return play_all(folder, [seed])[0]


def ask(request: JsonValue, seed: int | None = None) -> subprocess.CompletedProcess[bytes]:
    environment = {"PATH": os.environ["PATH"]} | ({} if seed is None else {"GATEBOT_SEED": str(seed)})
    text = request if isinstance(request, str) else json.dumps(request)
    command = [sys.executable, "-B", "agent.py"]
    return subprocess.run(
        command, cwd=AGENT, input=text.encode(), env=environment, capture_output=True, check=False
    )


def calls_by_turn(played: Played, *, failed: bool) -> list[list[Call]]:
    """The calls of a conversation, one list per assistant message; failed ones only when asked for."""
    errors: set[str] = set()
    found: list[list[tuple[str, Call]]] = []
    for message in objects(played["history"]):
        if message["role"] == "tool" and message["is_error"] is True:
            errors.add(str(message["tool_call_id"]))
        found.append([named_call(call) for call in objects(message.get("tool_calls", []))])
    kept = [[call for call_id, call in turn if failed or call_id not in errors] for turn in found]
    return [turn for turn in kept if turn]


def named_call(call: Mapping[str, JsonValue]) -> tuple[str, Call]:
    """A call in OpenAI's shape as its id, and its name with parsed arguments."""
    function = call["function"]
    assert is_object(function)
    arguments: dict[str, JsonValue] = json.loads(str(function["arguments"]))
    return str(call["id"]), (str(function["name"]), arguments)


def objects(value: JsonValue) -> list[Mapping[str, JsonValue]]:
    """The objects of a JSON array that holds nothing else."""
    assert is_array(value)
    found = [entry for entry in value if is_object(entry)]
    assert len(found) == len(value)
    return found


def flat(turns: list[list[Call]]) -> list[Call]:
    return [call for turn in turns for call in turn]


def golden_calls(case: Case) -> list[list[Call]]:
    """The golden calls, one list per turn."""
    calls = case.references[0].calls or ()
    return [
        [(c.name, c.arguments or {}) for c in group] for _, group in groupby(calls, lambda call: call.group)
    ]


def canonical(turns: list[list[Call]]) -> list[list[str]]:
    """Comparable calls: free text left out, 42 and 42.0 equal, the calls of one turn in no order."""
    return [sorted(one_call(call) for call in turn) for turn in turns]


def one_call(call: Call) -> str:
    name, arguments = call
    kept = {
        k: float(v) if isinstance(v, int) else v
        for k, v in arguments.items()
        if k not in FREE_TEXT.get(name, ())
    }
    return json.dumps([name, kept], sort_keys=True)
