"""The whole grade: statuses, passing, corrupt success, categories, faults, and that nothing an agent says raises."""

from __future__ import annotations

import dataclasses
import math
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatebot.graders.grade import CaseGrader
from gatebot.graders.steps import NOT_REPORTED
from gatebot.model.config import TrajectoryDefault
from gatebot.model.json_value import JsonValue
from gatebot.model.metric import METRICS
from gatebot.model.suite import ExpectedCall
from gatebot.model.trajectory import Message, ToolCall, Trajectory, Usage
from gatebot.model.trial import Outcome, Status, Timing, Trial
from tests.unit.graders.trials import Written, call, case, golden, grade, trial, value

FULL: Written = {
    "answer": {"contains": "done"},
    "state": True,
    "require": ["a"],
    "forbid": ["z"],
    "trajectory": {"match": "strict"},
}


def full_grader() -> CaseGrader:
    return CaseGrader(
        case(FULL, golden(("a", {"k": 1}), ("b", {})), answer="done", state={"n": 1}), TrajectoryDefault()
    )


def test_a_trial_passes_when_every_check_passes() -> None:
    graded = full_grader().grade(trial(call("a", {"k": 1}), call("b"), answer="done", state={"n": 1}))
    assert graded.passed is True
    assert [check.name for check in graded.checks] == [
        "answer.contains", "state", "trajectory_match", "required_tools", "forbidden_tools",
    ]  # fmt: skip
    assert (graded.failure, graded.failure_reason, graded.divergence) == (None, "", None)
    assert value(graded, "pass_rate") == 1.0
    assert set(graded.scores) <= set(METRICS)


@pytest.mark.parametrize("status", ["agent_error", "timeout"])
def test_broken_trials_score_zero_where_higher_is_better_and_are_ungraded_elsewhere(status: Status) -> None:
    run = trial(call("a", {"k": 1}), status=status, reason="exit\ncode 1", timing=Timing(wall_s=3.0))
    graded = full_grader().grade(run)
    assert (graded.passed, graded.failure, graded.failure_reason) == (False, status, "exit code 1")
    for name, score in graded.scores.items():
        metric = METRICS[name]
        zero = metric.direction == "higher" and metric.scale in ("binary", "unit")
        assert score.value == (0.0 if zero else None)
        assert score.reason == f"{status}: exit code 1"
    assert {"pass_rate", "final_response", "state_match", "param_accuracy", "tokens"} <= set(graded.scores)
    assert graded.divergence is not None
    assert graded.divergence.step == 2


def test_the_same_metrics_are_looked_at_however_a_trial_ends() -> None:
    grader = full_grader()
    completed = grader.grade(trial(call("a", {"k": 1}), call("b"), answer="done", state={"n": 1}))
    broken = grader.grade(trial(status="timeout"))
    assert set(completed.scores) == set(broken.scores) == set(grader.metrics)


def test_what_a_case_rules_out_stays_ungraded_on_a_broken_trial() -> None:
    made = case({"require": ["a"]}, golden("a"))
    for run in (trial(call("a")), trial(status="timeout")):
        score = grade(made, run).scores["param_accuracy"]
        assert (score.value, score.by_design) == (None, True)
    assert value(grade(made, trial(status="timeout")), "trajectory_match") == 0


def test_infrastructure_errors_leave_the_sample() -> None:
    graded = full_grader().grade(trial(status="infra_error", reason="503"))
    assert (graded.passed, graded.scores, graded.checks, graded.failure) == (None, {}, (), None)


@pytest.mark.parametrize(
    ("calls", "answer", "corrupt"),
    [
        ([call("a")], "done", 0.0),
        ([call("b")], "done", 1.0),
        ([call("b")], "no", 0.0),
        ([call("a"), call("z")], "done", 1.0),
    ],
)
def test_corrupt_success(calls: list[ToolCall], answer: str, corrupt: float) -> None:
    made = case({"answer": {"contains": "done"}, "forbid": ["z"]}, golden(("a", {})))
    assert value(grade(made, trial(*calls, answer=answer)), "corrupt_success") == corrupt


def test_corrupt_success_is_ungraded_where_the_goal_is_unknown() -> None:
    made = case({"outcome": "recorded"}, golden(("a", {})))
    assert value(grade(made, trial(call("b"))), "corrupt_success") is None
    assert value(grade(made, trial(call("b"), outcome=Outcome(passed=True))), "corrupt_success") == 1.0


@pytest.mark.parametrize(
    ("calls", "answer", "state", "category"),
    [
        ([call("a", {"k": 1}), call("b", result="x", is_error=True)], "no", {"n": 1}, "tool_execution"),
        ([call("a", {"k": 1}, result="r")] * 5, "done", {"n": 1}, "infinite_loop"),
        ([call("a", {"k": 1})], "done", {"n": 1}, "premature_termination"),
        ([call("a", {"k": 1}), call("b")], None, {"n": 1}, "premature_termination"),
        ([call("a", {"k": 1}), call("z")], "done", {"n": 1}, "forbidden_tool"),
        ([call("a", {"k": 1}), call("c")], "done", {"n": 1}, "tool_selection"),
        ([call("a", {"k": 2}), call("b")], "done", {"n": 1}, "wrong_arguments"),
        ([call("b"), call("a", {"k": 1})], "done", {"n": 1}, "wrong_order"),
        ([call("a", {"k": 1}), call("b")], "no", {"n": 2}, "wrong_state"),
        ([call("a", {"k": 1}), call("b")], "no", {"n": 1}, "wrong_answer"),
    ],
)
def test_categories(calls: list[ToolCall], answer: str | None, state: JsonValue, category: str) -> None:
    graded = full_grader().grade(trial(*calls, answer=answer, state=state))
    assert (graded.passed, graded.failure) == (False, category)
    assert graded.failure_reason


def test_acting_before_reading_is_wrong_selection_not_an_early_end() -> None:
    made = case({"answer": {"contains": "done"}}, golden(("read", {}), ("write", {})))
    graded = grade(made, trial(call("write"), answer="done"))
    assert graded.failure == "tool_selection"
    assert graded.failure_reason == "step 1: expected `read()`, got `write()`: read is never called"


def test_a_grader_that_fails_scores_the_worst_and_says_so() -> None:
    deep: JsonValue = 1
    for _ in range(20_000):
        deep = {"d": deep}
    run = trial(ToolCall("1", "a", {"k": deep}), call("b"), answer="done", state={"n": 1})
    graded = full_grader().grade(run)
    assert graded.passed is False
    assert all(score.fault for score in graded.scores.values())
    assert graded.scores["trajectory_match"].value == 0.0
    assert graded.scores["tool_calls"].value is None
    assert graded.checks[0].reason.startswith("grader fault in reading the calls: RecursionError")


def test_more_calls_than_rules_can_be_tried_on_are_a_fault_not_a_wait() -> None:
    rules: Written = {"trajectory": {"args": {"a": {"k": {"regex": "x"}}}}}
    made = case(rules, golden(*[ExpectedCall("a", {"k": 1}, 0) for _ in range(30)]))
    begun = time.process_time()
    graded = grade(made, trial(*[call("a", {"k": n}, result="r") for n in range(20_000)]))
    assert time.process_time() - begun < 10
    assert graded.passed is False
    faults = {name for name, score in graded.scores.items() if score.fault}
    assert faults == {"trajectory_match", "trajectory_credit", "param_accuracy"}
    assert graded.scores["tool_recall"].value == 1.0
    assert graded.scores["parallelism"].value is None


def test_a_deep_state_is_a_fault_of_the_goal_alone() -> None:
    deep: JsonValue = 1
    for _ in range(20_000):
        deep = [deep]
    graded = full_grader().grade(trial(call("a", {"k": 1}), call("b"), answer="done", state={"n": deep}))
    assert graded.passed is False
    assert graded.scores["final_response"].fault
    assert (graded.scores["trajectory_match"].value, graded.scores["trajectory_match"].fault) == (1.0, False)


VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
TEXTS = st.none() | st.text(max_size=20)
TOOL_CALLS = st.builds(
    ToolCall,
    id=st.text(max_size=3),
    name=st.sampled_from(["a", "b", "z", "", "\ud800"]) | st.text(max_size=5),
    arguments=st.none() | st.dictionaries(st.sampled_from(["k", "l", ""]), VALUES, max_size=3),
    raw_arguments=TEXTS,
    arguments_error=TEXTS,
    result=TEXTS,
    is_error=st.none() | st.booleans(),
    raw_name=TEXTS,
    agent=TEXTS,
)
USAGE = st.builds(
    Usage, st.none() | st.integers(), st.none() | st.integers(), st.none(), st.none() | st.floats(), st.none()
)
MESSAGES = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant"]),
    st.text(max_size=20),
    st.lists(TOOL_CALLS, max_size=3).map(tuple),
    TEXTS,
    st.none() | USAGE,
)
TRIALS = st.builds(
    Trial,
    st.just("case"),
    st.just("head"),
    st.just(0),
    st.just(1),
    st.sampled_from(["completed", "completed", "completed", "agent_error", "timeout", "infra_error"]),
    reason=st.text(max_size=20),
    trajectory=st.builds(Trajectory, st.lists(MESSAGES, max_size=5).map(tuple)),
    answer=TEXTS,
    state=VALUES,
    usage=USAGE,
    timing=st.builds(Timing, st.none() | st.floats()),
)
CASES: dict[str, Written] = {
    "strict": FULL,
    "rules": {
        "answer": {
            "number": {"value": 1, "unit": "%"},
            "json": {"value": {"a": [1]}},
            "regex": "a+",
            "combine": "any",
        },
        "state": {"mode": "subset", "tolerance": 0.5, "assert": [{"path": "a.0", "op": "<", "value": 3}]},
        "trajectory": {
            "match": "unordered",
            "args": {"a": {"k": {"tolerance": 1}, "l": {"regex": "x"}}, "b": "subset", "*": "ignore"},
        },
    },
    "subset": {"trajectory": {"match": "subset", "args": "superset"}, "poll": ["b"], "optimal_steps": 1},
}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TRIALS, st.sampled_from(sorted(CASES)))
def test_nothing_an_agent_says_raises_and_every_score_is_in_range(run: Trial, name: str) -> None:
    made = case(
        CASES[name], golden(("a", {"k": 1}), [("b", {}), ("a", {"l": "x"})]), answer="done", state={"a": [1]}
    )
    graded = grade(made, run)
    assert graded == grade(made, run)
    assert (graded.passed is None) is (run.status == "infra_error")
    for metric, score in graded.scores.items():
        assert not score.fault, score.reason
        if score.value is None:
            assert score.reason
            continue
        assert math.isfinite(score.value)
        assert score.value >= 0
        if METRICS[metric].scale in ("binary", "unit"):
            assert score.value <= 1
            assert score.reason or score.value == 1 or METRICS[metric].direction == "lower"
    texts = [
        graded.failure_reason,
        *(s.reason for s in graded.scores.values()),
        *(c.reason for c in graded.checks),
    ]
    assert all(text.isprintable() and len(text) < 1_000 for text in texts)
    if graded.passed is False:  # that calls are unknown is no category: nothing is known to have gone wrong
        assert graded.failure is not None or NOT_REPORTED in graded.failure_reason


def test_grades_are_values() -> None:
    run = trial(call("a", {"k": 1}), answer="done", state={"n": 1})
    assert dataclasses.asdict(full_grader().grade(run)) == dataclasses.asdict(full_grader().grade(run))
