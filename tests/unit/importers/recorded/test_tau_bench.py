"""τ-bench's results as a suite: golden calls, outcomes, errors by their text, and what is refused."""

from __future__ import annotations

import pytest

from gatebot.errors import ImportFormatError
from gatebot.importers.recorded.recording import RecordedSuite
from gatebot.importers.recorded.tau_bench import read_tau_bench
from gatebot.model.json_value import JsonObject, JsonValue
from gatebot.model.trial import Outcome

POLICY = "# Airline Agent Policy\n\nBe kind."


def call(name: str, call_id: str) -> JsonObject:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": '{"id": "R1"}'}}


def run(
    task: JsonValue = 7, trial: JsonValue = 0, reward: JsonValue = 1.0, **info: JsonValue
) -> dict[str, JsonValue]:
    return {
        "task_id": task,
        "trial": trial,
        "reward": reward,
        "info": {
            "task": {
                "user_id": "u",
                "instruction": "Cancel R1.",
                "actions": [{"name": "cancel", "kwargs": {"id": "R1"}}],
                **info,
            }
        },
        "traj": [
            {"role": "system", "content": POLICY},
            {"role": "user", "content": "Please cancel R1."},
            {"role": "assistant", "content": None, "tool_calls": [call("cancel", "a")]},
            {"role": "tool", "tool_call_id": "a", "name": "cancel", "content": "Error: not yours"},
            {"role": "assistant", "content": None, "tool_calls": [call("look", "b"), call("cancel", "c")]},
            {"role": "tool", "tool_call_id": "b", "name": "look", "content": "R1 is there"},
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "Thanks ###STOP###"},
        ],
    }


def read(*runs: JsonValue) -> RecordedSuite:
    return read_tau_bench([list(runs)])


def test_a_task_is_a_case_with_the_reference_actions_as_golden_calls() -> None:
    suite = read(run(), run(trial=1, reward=0.0))
    (case,) = suite.cases
    assert (case.id, case.turns, case.calls) == ("task-007", ("Cancel R1.",), (("cancel", {"id": "R1"}),))
    assert (suite.name, suite.slots) == ("tau-bench-airline", 2)


def test_a_run_is_a_trial_with_the_sources_own_verdict() -> None:
    suite = read(run(trial=1, reward=0.0), run())
    assert [(r.slot, r.outcome) for r in suite.runs] == [
        (0, Outcome(True, 1.0, "tau-bench")),
        (1, Outcome(False, 0.0, "tau-bench")),
    ]
    assert suite.runs[0].answer == "Done."


def test_only_the_first_call_of_a_message_was_executed_and_errors_show_in_the_text() -> None:
    suite = read(run())
    calls = suite.runs[0].trajectory.calls()
    assert [(c.name, c.is_error) for c in calls] == [("cancel", True), ("look", False)]
    assert any("first tool call" in warning for warning in suite.warnings)


def test_lines_with_the_source_inside_are_read_as_well() -> None:
    lines: list[JsonValue] = [
        {"agent": "a", "task_id": "7", "trial": number, "reward": 1.0, "run": run(trial=number)}
        for number in range(2)
    ]
    suite = read_tau_bench(lines)
    assert [(r.case, r.slot) for r in suite.runs] == [("task-007", 0), ("task-007", 1)]


def test_no_actions_mean_that_none_are_right_and_absent_ones_that_nobody_says() -> None:
    assert read(run(actions=[])).cases[0].calls == ()
    assert read(run(actions=None)).cases[0].calls is None


def test_without_an_instruction_the_users_turns_are_the_input() -> None:
    assert read(run(instruction=None)).cases[0].turns == ("Please cancel R1.", "Thanks ###STOP###")


def test_an_unknown_reward_is_an_unknown_outcome_and_is_told() -> None:
    suite = read(run(reward=None))
    assert suite.runs[0].outcome is None
    assert any("no reward" in warning for warning in suite.warnings)


def test_trials_that_are_not_there_are_told() -> None:
    suite = read(run(task=1), run(task=1, trial=1), run(task=2))
    assert suite.warnings[-1] == "1 of 4 trials are not in the recording"


def test_ids_sort_as_numbers_do() -> None:
    suite = read(*(run(task=number) for number in (10, 2, 1)))
    assert [case.id for case in suite.cases] == ["task-001", "task-002", "task-010"]


@pytest.mark.parametrize(
    ("runs", "complaint"),
    [
        ([], "no recorded run"),
        ([run(), run()], "two runs of task-007"),
        ([run(trial=None)], "which trial"),
        ([run(trial=-1)], "which trial"),
        ([run(trial=True)], "which trial"),
        ([run(trial=5000)], "which trial"),
        ([run(task=None)], "without task_id"),
        ([run(actions=[{"name": "x"}])], "reference action"),
        ([{**run(), "traj": "x"}], "no list of chat messages"),
        ([{**run(), "traj": [], "info": {}}], "neither an instruction"),
        ([run(task="a b"), run(task="a/b")], "two tasks"),
    ],
)
def test_what_is_no_such_result_is_refused(runs: list[JsonValue], complaint: str) -> None:
    with pytest.raises(ImportFormatError, match=complaint):
        read(*runs)


def test_two_agents_are_two_recordings() -> None:
    lines: list[JsonValue] = [{"agent": name, "run": run(trial=n)} for n, name in enumerate("ab")]
    with pytest.raises(ImportFormatError, match="2 agents"):
        read_tau_bench(lines)
