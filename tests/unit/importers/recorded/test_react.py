"""ReAct runs as a suite: Finish is the answer, a run that broke off is an agent error, rewards are given or worked out."""

from __future__ import annotations

import pytest

from gatebot.errors import ImportFormatError
from gatebot.importers.recorded.react import read_react
from gatebot.model.json_value import JsonValue


def run(
    task: str = "q1", trial: int = 0, answer: JsonValue = "Bonn", **more: JsonValue
) -> dict[str, JsonValue]:
    return {
        "task_id": task,
        "trial": trial,
        "question": "Where?",
        "model": "m-1",
        "steps": [
            {
                "thought": "Look.",
                "action": "Search",
                "action_input": {"query": "P-7"},
                "observation": "found",
                "timestamp": "2026-01-02T10:00:01",
            },
            {"thought": "So.", "action": "Finish", "action_input": {"answer": answer}, "observation": "ok"},
        ],
        "final_answer": answer,
        "success": True,
        "start_time": "2026-01-02T10:00:00",
        "end_time": "2026-01-02T10:00:03",
        **more,
    }


TASK: dict[str, JsonValue] = {
    "task_id": "q1",
    "answer": "Bonn, Germany",
    "supporting_facts": {"title": ["Bonn", "Rhine", "Bonn"]},
}


def test_steps_are_calls_and_finish_is_the_answer() -> None:
    (read,) = read_react([run()]).runs
    assert [(c.name, c.arguments, c.result) for c in read.trajectory.calls()] == [
        ("Search", {"query": "P-7"}, "found")
    ]
    assert read.trajectory.final_text() == "Bonn"
    assert (read.answer, read.seconds, read.outcome) == ("Bonn", 3.0, None)


def test_tasks_give_golden_and_rewards() -> None:
    suite = read_react([run(), run(trial=1, answer="Cologne"), run(trial=2, answer="")], [TASK])
    (case,) = suite.cases
    assert case.answer == "Bonn, Germany"
    assert case.calls == (("Retrieve", {"title": "Bonn"}), ("Retrieve", {"title": "Rhine"}))
    assert [r.outcome.passed for r in suite.runs if r.outcome] == [True, False, False]


def test_a_reward_that_the_line_says_counts() -> None:
    (read,) = read_react([{"agent": "a", "reward": 0.0, "run": run()}], [TASK]).runs
    assert read.outcome is not None
    assert not read.outcome.passed


def test_a_run_that_broke_off_is_the_agents_error_with_its_reason() -> None:
    broken = run(success=False, error="Reached maximum steps\u202e", final_answer=None)
    (read,) = read_react([broken]).runs
    assert read.status == "agent_error"
    assert "Reached maximum steps" in read.reason
    assert read.reason.isascii()


def test_a_run_must_ask_something() -> None:
    with pytest.raises(ImportFormatError, match="no question"):
        read_react([run(question="")])


def test_a_run_whose_model_call_failed_leaves_the_sample() -> None:
    limited = run(
        success=False, error="LLM call failed at step 3: Error code: 429 - rate limit", final_answer=None
    )
    (recorded,) = read_react([limited]).runs
    assert recorded.status == "infra_error"
    assert "429" in recorded.reason
