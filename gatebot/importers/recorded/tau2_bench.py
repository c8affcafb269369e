"""τ²-bench results: simulations with the verdict of its evaluator; tasks in the same file, or in one of their own."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from gatebot.errors import ImportFormatError
from gatebot.importers.fields import first, inner, number, obj, objects, text
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
from gatebot.importers.tau2 import Tau2Simulation
from gatebot.importers.usage import cost_of
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from gatebot.model.trajectory import Trajectory, Usage
from gatebot.model.trial import Outcome

VERIFIER = "tau2-bench"
_ACTED_BY_USER = "user"


def read_tau2(documents: Sequence[JsonValue], tasks: Sequence[JsonValue] = ()) -> RecordedSuite:
    """Cases and runs of one agent. `tasks`: task objects, or lines with the task in `task`.

    Without tasks the golden calls are those that the evaluator checked, and the input is what the simulated user said
    in the first run. Raises ImportFormatError.
    """
    sources = source_runs(documents)
    known = _tasks(
        [*tasks, *(task for document in documents for task in objects(obj(document).get("tasks")))], sources
    )
    ids = case_ids(task_name(source.said("task_id")) for source in sources)
    cases: dict[str, RecordedCase] = {}
    runs: list[RecordedRun] = []
    warnings: list[str] = []
    for source in sources:
        name = task_name(source.said("task_id"))
        trajectory = Tau2Simulation().load(
            {**source.run, "termination_reason": source.run.get("termination_reason")}
        )
        warnings += trajectory.warnings
        case = _case(ids[name], known.get(name), source.run, trajectory)
        cases[name] = _better(cases.get(name), case)
        runs.append(_run(ids[name], name, source, trajectory))
    return assemble(_suite_name(known), cases.values(), runs, warnings)


def _run(case_id: str, name: str, source: SourceRun, trajectory: Trajectory) -> RecordedRun:
    reward = number(first(source.line, "reward"))
    reward = number(inner(source.run, "reward_info").get("reward")) if reward is None else reward
    outcome = None if reward is None else Outcome(abs(reward - 1.0) <= 1e-6, reward, VERIFIER)
    return RecordedRun(
        case_id,
        trial_number(source.said("trial"), name),
        trajectory,
        outcome,
        trajectory.final_text(),
        usage=_usage(source.run, trajectory),
        seconds=number(source.run.get("duration")),
    )


def _usage(run: JsonObject, trajectory: Trajectory) -> Usage:
    counted = [turn.usage for turn in trajectory.turns() if turn.usage is not None]
    asked = [usage.input_tokens for usage in counted if usage.input_tokens is not None]
    said = [usage.output_tokens for usage in counted if usage.output_tokens is not None]
    return Usage(
        input_tokens=sum(asked) if asked else None,
        output_tokens=sum(said) if said else None,
        cost_usd=cost_of(run.get("agent_cost")),
        responses=len(said) if said else None,
    )


def _tasks(listed: Sequence[JsonValue], sources: Sequence[SourceRun]) -> Mapping[str, JsonObject]:
    """Task objects by name; of several wordings of a task, the one that was given to this agent, else the first."""
    agent = next((text(source.line, "agent") for source in sources), None)
    found: dict[str, JsonObject] = {}
    for item in objects(listed):
        task = obj(item.get("task")) or item
        name = task_name(first(item, "task_id", "id"))
        agents = item.get("agents")
        if name not in found or (is_array(agents) and agent in agents):
            found[name] = task
    return found


def _case(case_id: str, task: JsonObject | None, run: JsonObject, trajectory: Trajectory) -> RecordedCase:
    if task is not None:
        turns = _instructions(task)
        calls = _golden_calls(objects(inner(task, "evaluation_criteria").get("actions")))
    else:
        turns, calls = (), _checked_calls(obj(run.get("reward_info")))
    turns = turns or tuple(m.text for m in trajectory.messages if m.role == "user" and m.text)
    if not turns:
        raise ImportFormatError(f"the user says nothing in {case_id}", "give the file of tasks as well")
    return RecordedCase(case_id, turns, calls)


def _better(known: RecordedCase | None, case: RecordedCase) -> RecordedCase:
    """The first run's case, with the golden calls of the first run whose evaluator names them."""
    if known is None:
        return case
    return dataclasses.replace(known, calls=case.calls) if known.calls is None else known


def _instructions(task: JsonObject) -> tuple[str, ...]:
    """What the simulated user was told, as one text."""
    scenario = inner(task, "user_scenario").get("instructions")
    if isinstance(scenario, str):
        return (scenario,) if scenario else ()
    told = obj(scenario)
    parts = [
        text(told, key) for key in ("reason_for_call", "known_info", "unknown_info", "task_instructions")
    ]
    said = "\n\n".join(part.strip() for part in parts if part)
    return (said,) if said else ()


def _checked_calls(reward_info: JsonObject) -> GoldenCalls | None:
    checks = reward_info.get("action_checks")
    if not is_array(checks):
        return None
    return _golden_calls([obj(check.get("action")) for check in objects(checks)])


def _golden_calls(actions: Sequence[JsonObject]) -> GoldenCalls:
    """The agent's reference actions; those that the simulated user should make itself are none of its calls."""
    calls: list[tuple[str, dict[str, JsonValue]]] = []
    for action in actions:
        name, arguments = text(action, "name"), action.get("arguments")
        if name is None or not is_object(arguments):
            raise ImportFormatError(
                "a reference action without name or arguments", "actions: {name, arguments}"
            )
        if action.get("requestor") != _ACTED_BY_USER:
            calls.append((name, dict(arguments)))
    return tuple(calls)


def _suite_name(tasks: Mapping[str, JsonObject]) -> str:
    """`tau2-bench-airline` where the tasks say their domain, else `tau2-bench`."""
    for task in tasks.values():
        told = obj(inner(task, "user_scenario").get("instructions"))
        domain = text(told, "domain") or ""
        if domain.isascii() and domain.replace("-", "").replace("_", "").isalnum():
            return f"{VERIFIER}-{domain[:40]}"
    return VERIFIER
