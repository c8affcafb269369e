"""Drives the example agent many times in one process: starts in the agent's folder, reads jobs, writes what happened.

A job is {"turns": […], "context": {…}, "seed": n} for a conversation, or {"shop": [[tool, arguments], …],
"outages": {…}} for bare tools. Run as a script, because base and head both call their package `support`.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # the driver starts often, and needs no more than the standard library
    from pydantic import JsonValue

Job: TypeAlias = "dict[str, JsonValue]"


def converse(job: Job) -> Job:
    """Play all turns of a conversation; the history passes through JSON between turns, as it does between processes."""
    loop = importlib.import_module("support.loop")
    turns = job["turns"]
    assert isinstance(turns, list)
    history: list[JsonValue] = []
    response: Job = {}
    for turn in turns:
        history.append({"role": "user", "content": turn})
        messages = loop.conversation(json.loads(json.dumps(history)))
        response = json.loads(json.dumps(loop.Turn(messages, job["context"], job["seed"]).run()))
        added = response["messages"]
        assert isinstance(added, list)
        history += added
    return {"history": history, "answer": response["answer"], "state": response["state"]}


def use_tools(job: Job) -> Job:
    """Call tools of a fresh shop one after the other; each answer is a result or {"error": code}."""
    environment = importlib.import_module("support.environment")
    shop = environment.Shop(job.get("outages", {}))
    answers: list[JsonValue] = []
    calls = job["shop"]
    assert isinstance(calls, list)
    for call in calls:
        assert isinstance(call, list)
        try:
            answers.append(shop.call(call[0], call[1]))
        except environment.ToolError as error:
            answers.append({"error": error.code})
    return {"answers": answers, "state": shop.state()}


def habits(job: Job) -> Job:
    """Which of the agent's habits the seed brings out."""
    mind = importlib.import_module("support.temperament").Temperament(job["habits_of"], 1)
    names: list[str] = sorted(vars(mind))
    return {name: getattr(mind, name) for name in names if not name.startswith("_")}


def main() -> None:
    sys.path.insert(0, str(Path.cwd()))
    jobs: list[Job] = json.loads(sys.stdin.buffer.read())
    done = [
        use_tools(job) if "shop" in job else habits(job) if "habits_of" in job else converse(job)
        for job in jobs
    ]
    sys.stdout.write(json.dumps(done, sort_keys=True))


if __name__ == "__main__":
    main()
