"""Recorded ReAct runs: a question, steps of thought, action and observation, and a final answer.

`Finish` is how such an agent answers, and no tool. Where the source gives no reward, the answer is compared with the
gold answer as its paper does: lower-cased, one contained in the other (arXiv 2602.11619).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gatebot.errors import ImportFormatError
from gatebot.importers.arguments import read_arguments
from gatebot.importers.builder import TrajectoryBuilder
from gatebot.importers.fields import as_text, first, items, number, obj, objects, shown, string, text
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
from gatebot.importers.span import seconds
from gatebot.importers.tool_names import tool_name
from gatebot.model.json_value import JsonObject, JsonValue
from gatebot.model.trajectory import Trajectory
from gatebot.model.trial import Outcome, Status

VERIFIER = "react-answer"
_FINISH = "finish"
_SERVICE_FAILED = "LLM call failed"
_RETRIEVE = "Retrieve"


def read_react(documents: Sequence[JsonValue], tasks: Sequence[JsonValue] = ()) -> RecordedSuite:
    """Cases and runs of one agent. `tasks`: {task_id, answer, supporting_facts: {title: [...]}}, for the golden.

    A run that ran out of steps or acted invalidly is an `agent_error` with the source's reason; one whose model call
    failed (a rate limit, say) is an `infra_error`, which leaves the sample. Raises ImportFormatError.
    """
    sources = source_runs(documents)
    known = {task_name(task.get("task_id")): task for task in objects(list(tasks))}
    ids = case_ids(task_name(source.said("task_id")) for source in sources)
    cases: dict[str, RecordedCase] = {}
    runs: list[RecordedRun] = []
    for source in sources:
        name = task_name(source.said("task_id"))
        cases.setdefault(name, _case(ids[name], source.run, known.get(name)))
        runs.append(_run(ids[name], name, source, known.get(name)))
    return assemble("react", cases.values(), runs)


def _case(case_id: str, run: JsonObject, task: JsonObject | None) -> RecordedCase:
    question = text(run, "question")
    if question is None:
        raise ImportFormatError(f"a run of {case_id} has no question", "every run says its question")
    if task is None:
        return RecordedCase(case_id, (question,))
    return RecordedCase(case_id, (question,), _golden_calls(task), text(task, "answer"))


def _golden_calls(task: JsonObject) -> GoldenCalls | None:
    """A usable reference: every supporting document is retrieved."""
    titles = [string(title) for title in items(obj(task.get("supporting_facts")).get("title"))]
    calls = tuple((_RETRIEVE, _title(title)) for title in dict.fromkeys(titles) if title)
    return calls or None


def _title(title: str) -> dict[str, JsonValue]:
    return {"title": title}


def _run(case_id: str, name: str, source: SourceRun, task: Mapping[str, JsonValue] | None) -> RecordedRun:
    run = source.run
    broke_off = run.get("success") is False
    answer = as_text(run.get("final_answer"))
    reward = number(first(source.line, "reward"))
    if reward is None and task is not None:
        reward = _reward(answer, text(task, "answer"))
    start, end = seconds(run.get("start_time")), seconds(run.get("end_time"))
    return RecordedRun(
        case_id,
        trial_number(source.said("trial"), name),
        _trajectory(run),
        None if reward is None else Outcome(abs(reward - 1.0) <= 1e-6, reward, VERIFIER),
        answer,
        status=_status(run) if broke_off else "completed",
        reason=f"the run broke off: {shown(text(run, 'error') or 'no reason given')}" if broke_off else "",
        seconds=max(0.0, end - start) if start is not None and end is not None else None,
    )


def _status(run: JsonObject) -> Status:
    """What ended a run that broke off: the model's service, or the agent itself."""
    return "infra_error" if (text(run, "error") or "").startswith(_SERVICE_FAILED) else "agent_error"


def _reward(answer: str | None, gold: str | None) -> float | None:
    if gold is None:
        return None
    said, wanted = (answer or "").strip().lower(), gold.strip().lower()
    return float(bool(said) and (wanted in said or said in wanted))


def _trajectory(run: JsonObject) -> Trajectory:
    builder = TrajectoryBuilder("react")
    builder.model(text(run, "model"))
    builder.say("user", text(run, "question") or "")
    for step in objects(run.get("steps")):
        thought, action = text(step, "thought") or "", tool_name(step, "action")
        if action.lower() == _FINISH:
            written = obj(step.get("action_input"))
            builder.say("assistant", as_text(first(written, "answer", "value")) or thought)
            continue
        builder.say("assistant", thought)
        at = seconds(step.get("timestamp"))
        builder.call(action, read_arguments(step.get("action_input")), times=(at, None))
        if step.get("observation") is not None:
            builder.result(as_text(step.get("observation")))
    return builder.build()
