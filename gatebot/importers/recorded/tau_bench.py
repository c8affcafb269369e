"""τ-bench results: task_id, trial, reward, info.task with the reference actions, and OpenAI chat messages as `traj`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from gatebot.errors import ImportFormatError
from gatebot.importers.fields import inner, number, objects, shown, text
from gatebot.importers.openai_chat import OpenAIChat
from gatebot.importers.recorded.recording import (
    GoldenCalls,
    RecordedCase,
    RecordedRun,
    RecordedSuite,
    assemble,
    case_ids,
    task_name,
    trial_number,
)
from gatebot.importers.recorded.runs import SourceRun, source_runs
from gatebot.model.json_value import JsonObject, JsonValue, is_object
from gatebot.model.trajectory import Message, ToolCall, Trajectory
from gatebot.model.trial import Outcome

VERIFIER = "tau-bench"
ERROR_PREFIX = "Error:"
_POLICY_TITLE = re.compile(r"#\s*(\w+)\s+agent\s+policy", re.ASCII | re.IGNORECASE)


def read_tau_bench(documents: Sequence[JsonValue]) -> RecordedSuite:
    """Cases and runs of one agent's results: the raw list, or lines with the source's object in `run`.

    The case's input is the instruction of the user simulator. Raises ImportFormatError.
    """
    sources = source_runs(documents)
    ids = case_ids(task_name(source.said("task_id")) for source in sources)
    cases: dict[str, RecordedCase] = {}
    runs: list[RecordedRun] = []
    warnings: list[str] = []
    for source in sources:
        task = task_name(source.said("task_id"))
        trajectory = _trajectory(source.run, task, warnings)
        cases.setdefault(task, _case(ids[task], source.run, trajectory))
        outcome = _outcome(source)
        if outcome is None:
            warnings.append("a run has no reward: its outcome is unknown")
        slot = trial_number(source.said("trial"), task)
        runs.append(RecordedRun(ids[task], slot, trajectory, outcome, trajectory.final_text()))
    return assemble(_suite_name(runs), cases.values(), runs, warnings)


def _outcome(source: SourceRun) -> Outcome | None:
    reward = number(source.said("reward"))
    if reward is None:
        return None
    return Outcome(passed=abs(reward - 1.0) <= 1e-6, score=reward, verifier=VERIFIER)


def _case(case_id: str, run: JsonObject, trajectory: Trajectory) -> RecordedCase:
    task = inner(run, "info", "task")
    instruction = text(task, "instruction")
    turns = (
        [instruction] if instruction else [m.text for m in trajectory.messages if m.role == "user" and m.text]
    )
    if not turns:
        raise ImportFormatError(
            f"{case_id} has neither an instruction nor a message of the user",
            "info.task.instruction says the task",
        )
    actions = task.get("actions")
    calls = _golden_calls(objects(actions)) if isinstance(actions, list) else None
    return RecordedCase(case_id, tuple(turns), calls)


def _golden_calls(actions: Sequence[JsonObject]) -> GoldenCalls:
    calls: list[tuple[str, dict[str, JsonValue]]] = []
    for action in actions:
        name, arguments = text(action, "name"), action.get("kwargs")
        if name is None or not is_object(arguments):
            raise ImportFormatError(
                "a reference action without name or kwargs", "info.task.actions: {name, kwargs}"
            )
        calls.append((name, dict(arguments)))
    return tuple(calls)


def _trajectory(run: JsonObject, task: str, warnings: list[str]) -> Trajectory:
    messages = run.get("traj")
    chat = OpenAIChat()
    if messages == []:
        return Trajectory(format=VERIFIER)
    if not chat.detects(messages):
        raise ImportFormatError(
            f"the traj of a run of task {shown(task)} is no list of chat messages",
            "traj: [{role, content, …}]",
        )
    trajectory = chat.load(messages)
    kept = tuple(_executed(message, warnings) for message in trajectory.messages)
    return dataclasses.replace(trajectory, messages=kept, format=VERIFIER)


def _executed(message: Message, warnings: list[str]) -> Message:
    """The message as τ-bench ran it: it executes the first call of a message only, and marks errors by their text."""
    if len(message.calls) > 1:
        warnings.append("tau-bench executes the first tool call of a message only: the others were left out")
    return dataclasses.replace(message, calls=tuple(_judged(call) for call in message.calls[:1]))


def _judged(call: ToolCall) -> ToolCall:
    is_error = None if call.result is None else call.result.startswith(ERROR_PREFIX)
    return dataclasses.replace(call, is_error=is_error)


def _suite_name(runs: Sequence[RecordedRun]) -> str:
    """`tau-bench-airline` where the agent's policy says its domain in its title, else `tau-bench`."""
    for run in runs[:1]:
        for message in run.trajectory.messages:
            title = _POLICY_TITLE.match(message.text) if message.role == "system" else None
            if title:
                return f"{VERIFIER}-{title.group(1).lower()[:40]}"
    return VERIFIER
