"""Every metric of the table on hostile trials: grading never raises, and what it says is a score or says why not."""

from __future__ import annotations

import math
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatebot.graders.declared_schemas import DeclaredSchemas
from gatebot.graders.grade import CaseGrader
from gatebot.graders.tool_schemas import ToolSchemas
from gatebot.graders.wording import REASON_LIMIT
from gatebot.model.config import TrajectoryDefault
from gatebot.model.grading import Tools
from gatebot.model.json_value import JsonValue
from gatebot.model.metric import METRICS, is_judge_metric
from gatebot.model.score import Grade
from gatebot.model.suite import Case, ExpectedCall, Reference
from gatebot.model.trajectory import Message, ToolCall, Trajectory, Usage
from gatebot.model.trial import Outcome, Status, Timing, Trial
from tests.unit.graders.trials import Written, case

GRADED = frozenset(name for name in METRICS if not is_judge_metric(name))
EXPECT: Written = {
    "answer": {"contains": "done", "number": {"value": 3}, "similar": True},
    "state": {},
    "require": ["search"],
    "forbid": ["delete"],
    "poll": ["wait"],
    "optimal_steps": 2,
    "trajectory": {
        "args": {"search": {"q": {"regex": "^(a|a)*x?$"}, "n": {"tolerance": 0.5}}},
        "aliases": {"search": ["mcp__*__search"]},
    },
}
STRICT: Written = {"trajectory": {"match": "strict"}, "answer": {"regex": "(a+)+$"}}


def made(expect: Written) -> Case:
    calls = (
        ExpectedCall("search", {"q": "ab", "n": 1, "list": [{"x": None}]}, 0),
        ExpectedCall("book", None, 1, optional=True),
        ExpectedCall("refund", {}, 2),
    )
    golden = Reference(calls, "all 3 done", {"balance": 7}, (("agent", "tools"),))
    return replace(case(expect), references=(golden, replace(golden, calls=calls[:1])))


def deep(levels: int) -> JsonValue:
    value: JsonValue = "x"
    for _ in range(levels):
        value = [value]
    return value


TEXT = st.one_of(
    st.text(max_size=12),
    st.text(alphabet=st.characters(categories=("Cs", "Cc", "Cf", "Nd", "Sc")), max_size=8),
    st.sampled_from(
        ["all 3 done", "$1,000", "a" * 30 + "!", "x" * 5_000, "9" * 400, "1e999", "not done", "\0"]
    ),
)
NAMES = st.one_of(st.sampled_from(["search", "book", "refund", "delete", "mcp__a__search", "wait", ""]), TEXT)
NUMBERS = st.one_of(
    st.integers(),
    st.floats(),
    st.sampled_from([10**400, -(2**70), math.nan, math.inf, -0.0]),
)
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXT),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(["q", "n", "list"]), TEXT), inner, max_size=4),
    ),
    max_leaves=8,
)
ARGUMENTS = st.one_of(
    st.none(),
    st.dictionaries(st.one_of(st.sampled_from(["q", "n", "list"]), TEXT), VALUES, max_size=4),
    st.sampled_from([{"q": deep(150)}, {"q": deep(5_000)}, {"n": 10**5_000}]),
)
TIMES = st.one_of(st.none(), st.floats())
CALLS = st.builds(
    ToolCall,
    TEXT,
    NAMES,
    ARGUMENTS,
    raw_arguments=st.none() | TEXT,
    arguments_error=st.none() | TEXT,
    result=st.none() | TEXT,
    is_error=st.none() | st.booleans(),
    raw_name=st.none() | NAMES,
    executor=st.sampled_from(["client", "server", "mcp"]),
    agent=st.none() | TEXT,
    started_at=TIMES,
    ended_at=TIMES,
)
COUNTS = st.one_of(st.none(), st.integers(0, 2**53))
USAGE = st.builds(Usage, COUNTS, COUNTS, COUNTS, st.none() | st.floats(0, 1e9), COUNTS)
MESSAGES = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant"]),
    TEXT,
    st.lists(CALLS, max_size=4).map(tuple),
    st.none() | TEXT,
    st.none() | USAGE,
)
LAX: dict[str, JsonValue] = {"required": ["q"], "properties": {"n": {"maximum": 1}}}
SCHEMAS = st.dictionaries(
    NAMES,
    st.one_of(
        st.dictionaries(
            st.sampled_from(["type", "enum", "pattern", "$ref", "items", "minimum"]), VALUES, max_size=2
        ),
        st.just(LAX),
    ),
    max_size=2,
)
TRAJECTORIES = st.builds(
    Trajectory,
    st.lists(MESSAGES, max_size=6).map(tuple),
    TEXT,
    graph=st.lists(st.lists(TEXT, max_size=3).map(tuple), max_size=3).map(tuple),
    tools=SCHEMAS,
)
STATUSES: tuple[Status, ...] = (
    "completed",
    "completed",
    "completed",
    "agent_error",
    "timeout",
    "infra_error",
)
TRIALS = st.builds(
    Trial,
    st.just("case"),
    st.sampled_from(["base", "head"]),
    st.integers(1, 9),
    st.integers(0, 2**53),
    st.sampled_from(STATUSES),
    reason=TEXT,
    trajectory=TRAJECTORIES,
    answer=st.none() | TEXT,
    state=VALUES,
    outcome=st.none() | st.builds(Outcome, st.booleans(), st.none() | st.floats(0, 1)),
    usage=USAGE,
    timing=st.builds(Timing, st.none() | st.floats(), st.none() | st.floats()),
)
SCHEMA: Tools = {
    "search": {"properties": {"q": {"type": "string", "pattern": "^(a|a)*$"}, "n": {"multipleOf": 0.1}}},
    "refund": {"additionalProperties": False},
}
GRADERS = (
    CaseGrader(made(EXPECT), TrajectoryDefault(), ToolSchemas(SCHEMA)),
    CaseGrader(made(STRICT), TrajectoryDefault(), None, DeclaredSchemas()),
    CaseGrader(case(), TrajectoryDefault(), None, DeclaredSchemas()),
)


def refuse_what_is_no_score(grade: Grade) -> None:
    for name, score in grade.scores.items():
        metric = METRICS[name]
        if score.value is None:
            assert score.reason, name
            continue
        assert math.isfinite(score.value), (name, score)
        assert score.value >= 0, (name, score)
        if metric.scale in ("binary", "unit"):
            assert score.value <= 1, (name, score)
        if metric.scale == "binary":
            assert score.value in (0.0, 1.0), (name, score)
        if metric.scale in ("binary", "unit") and score.value < 1 and metric.direction == "higher":
            assert score.reason, name
    for said in [grade.failure_reason, *(score.reason for score in grade.scores.values())]:
        assert len(said) <= REASON_LIMIT + 200, said
        assert "\n" not in said, said
    if grade.status in ("agent_error", "timeout"):
        assert grade.passed is False
    if grade.passed:
        assert all(check.passed for check in grade.checks)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TRIALS)
def test_no_metric_raises_whatever_a_trial_holds(trial: Trial) -> None:
    for grader in GRADERS:
        refuse_what_is_no_score(grader.grade(trial))


def test_the_hostile_trials_meet_every_metric_of_the_table() -> None:
    """A metric that is new in the table is met here, or this fails: a grader nobody attacks is one that may raise."""
    ran = Trial(
        "case",
        "head",
        1,
        1,
        "completed",
        trajectory=Trajectory((Message("assistant", calls=(ToolCall("a", "search", {"q": "x"}),)),)),
        answer="done",
    )
    assert set(GRADERS[0].grade(ran).scores) == GRADED
    broken = GRADERS[0].grade(replace(ran, status="timeout"))
    assert set(broken.scores) == GRADED
