"""An agent that reports an answer and no messages: whatever needs its calls is ungraded, and never passed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatebot.graders.assessment import CALL_METRICS
from gatebot.graders.steps import NOT_REPORTED
from gatebot.model.score import Check, Score
from gatebot.model.trial import Trial
from tests.unit.graders.trials import Written, case, golden, grade, trial

GOAL: Written = {"answer": {"exact": "x"}}


def silent() -> Trial:
    """A trial of which only the answer is known, as gatebot keeps it."""
    ran = trial(answer="x")
    return replace(ran, trajectory=replace(ran.trajectory, format="none"))


@pytest.mark.parametrize(
    ("expect", "check"),
    [({"forbid": ["delete"]}, "forbidden_tools"), ({"require": ["look_up"]}, "required_tools")],
    ids=["forbid", "require"],
)
@pytest.mark.parametrize("goal", [GOAL, {}], ids=["with a goal", "alone"])
def test_checks_on_tools_cannot_be_made_on_unknown_calls(goal: Written, expect: Written, check: str) -> None:
    graded = grade(case({**goal, **expect}), silent())
    assert graded.passed is False
    assert [found for found in graded.checks if found.group != "goal"] == [
        Check(graded.checks[-1].group, check, None, NOT_REPORTED)
    ]
    assert graded.scores[check] == Score(None, NOT_REPORTED)
    assert graded.divergence is not None
    assert graded.divergence.kind == "unmet"
    assert graded.failure is None
    assert NOT_REPORTED in graded.failure_reason
    corrupt = graded.scores.get("corrupt_success")
    assert corrupt is not None
    assert corrupt.value is None


@pytest.mark.parametrize("mode", ["strict", "unordered", "superset", "subset"])
def test_a_golden_is_not_compared_with_unknown_calls(mode: str) -> None:
    expect: Written = {**GOAL, "trajectory": {"match": mode}}
    graded = grade(case(expect, golden("look_up")), silent())
    assert graded.passed is False
    for name in CALL_METRICS:
        assert graded.scores[name].value is None, name
        assert graded.scores[name].reason == NOT_REPORTED, name
    assert graded.checks[-1] == Check("trajectory", "trajectory_match", None, NOT_REPORTED)


def test_a_goal_alone_needs_no_messages() -> None:
    assert grade(case(GOAL), silent()).passed is True


def test_messages_without_a_call_are_known_calls() -> None:
    graded = grade(case({**GOAL, "forbid": ["delete"]}), trial(answer="x"))
    assert graded.passed is True
    assert graded.scores["forbidden_tools"].value == 1.0
