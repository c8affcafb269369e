"""τ²-bench's simulations as a suite, with and without the file of tasks."""

from __future__ import annotations

import pytest

from gatebot.errors import ImportFormatError
from gatebot.importers.recorded.tau2_bench import read_tau2
from gatebot.model.json_value import JsonValue


def simulation(
    task: str = "3", trial: int = 0, reward: float = 1.0, checks: JsonValue = None
) -> dict[str, JsonValue]:
    return {
        "task_id": task,
        "trial": trial,
        "termination_reason": "user_stop",
        "duration": 12.5,
        "agent_cost": 0.25,
        "reward_info": {"reward": reward, "action_checks": checks},
        "messages": [
            {"role": "user", "content": "Where is it?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "a", "name": "track", "arguments": {"p": 1}, "requestor": "assistant"}],
                "usage": {"prompt_tokens": 10, "completion_tokens": 2},
            },
            {"role": "tool", "id": "a", "content": "gone", "error": True, "requestor": "assistant"},
            {"role": "assistant", "content": "Gone.", "usage": {"prompt_tokens": 20, "completion_tokens": 3}},
        ],
    }


CHECKS: JsonValue = [
    {"action": {"name": "track", "arguments": {"p": 1}, "requestor": "assistant"}, "action_match": True},
    {"action": {"name": "reboot", "arguments": {}, "requestor": "user"}, "action_match": True},
]
TASK: dict[str, JsonValue] = {
    "id": "3",
    "user_scenario": {
        "instructions": {"domain": "parcels", "reason_for_call": "Ask.", "known_info": "P is 1."}
    },
    "evaluation_criteria": {"actions": [{"name": "track", "arguments": {"p": 2}, "requestor": "assistant"}]},
}


def test_without_tasks_the_checked_actions_of_the_agent_are_golden() -> None:
    suite = read_tau2([simulation(), simulation(trial=1, reward=0.0, checks=CHECKS)])
    (case,) = suite.cases
    assert (case.turns, case.calls) == (("Where is it?",), (("track", {"p": 1}),))
    assert [run.outcome.passed for run in suite.runs if run.outcome] == [True, False]
    assert suite.name == "tau2-bench"


def test_a_run_says_what_it_cost_and_which_calls_failed() -> None:
    (run,) = read_tau2([simulation()]).runs
    assert (run.usage.input_tokens, run.usage.output_tokens, run.usage.cost_usd) == (30, 5, 0.25)
    assert run.seconds == 12.5
    assert [call.is_error for call in run.trajectory.calls()] == [True]
    assert run.answer == "Gone."


def test_tasks_of_a_file_of_their_own_give_instruction_and_golden() -> None:
    for tasks in ([TASK], [{"task_id": "3", "agents": ["a"], "task": TASK}]):
        suite = read_tau2([simulation()], tasks)
        (case,) = suite.cases
        assert (case.turns, case.calls) == (("Ask.\n\nP is 1.",), (("track", {"p": 2}),))
        assert suite.name == "tau2-bench-parcels"


def test_a_results_file_holds_its_tasks() -> None:
    suite = read_tau2([{"info": {}, "tasks": [TASK], "simulations": [simulation()]}])
    assert suite.cases[0].calls == (("track", {"p": 2}),)


def test_of_several_wordings_the_agents_own_counts() -> None:
    other: dict[str, JsonValue] = {**TASK, "evaluation_criteria": {"actions": []}}
    tasks: list[JsonValue] = [
        {"task_id": "3", "agents": ["b"], "task": other},
        {"task_id": "3", "agents": ["a"], "task": TASK},
    ]
    suite = read_tau2([{"agent": "a", "run": simulation()}], tasks)
    assert suite.cases[0].calls == (("track", {"p": 2}),)


def test_what_holds_no_simulation_is_refused() -> None:
    cases: list[list[JsonValue]] = [[], [{"simulations": []}]]
    for documents in cases:
        with pytest.raises(ImportFormatError, match="no recorded run"):
            read_tau2(documents)
