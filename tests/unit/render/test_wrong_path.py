"""A forbidden call and a right answer on a wrong path stand first in a case's line, as the graders tell them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatebot.graders.failure import Evidence, failure_of
from gatebot.graders.steps import gather
from gatebot.graders.tools import forbidden_check
from gatebot.model.json_value import JsonValue
from gatebot.model.report import CaseMetric, CaseResult, Failure
from gatebot.model.score import Check, Divergence, OtherFailure
from gatebot.model.trajectory import Message, ToolCall, Trajectory
from gatebot.render.comment import render_comment
from gatebot.render.phrases import as_line, as_markdown, what_happened
from tests.unit.render import builders

EXTRA = Divergence(3, "extra", "nothing", "`refund(order='A-7')`", "step 3: expected nothing", "not expected")
CORRUPT = {"corrupt_success": CaseMetric(0.0, 0.8)}


def _failure(*checks: Check, forbid: tuple[str, ...] = ("refund",)) -> Failure:
    """What the graders say of a trial that calls look, find and refund."""
    arguments: dict[str, dict[str, JsonValue]] = {"look": {}, "find": {}, "refund": {"order": "A-7"}}
    calls = tuple(ToolCall(name, name, arguments[name]) for name in arguments)
    steps = gather(Trajectory((Message("assistant", "done", calls),)))
    seen = [*checks, forbidden_check(forbid, steps)]
    evidence = Evidence(seen, {}, EXTRA, [], None, answered=True, cut_short=False, forbid=forbid)
    found = failure_of(evidence, steps)
    assert found is not None
    assert found.category is not None
    return Failure(found.category, found.reason, 4, found.steps, found.others)


def _case(failure: Failure, *, corrupt: bool = False) -> CaseResult:
    return builders.case(
        "refund",
        (5, 1),
        "regressed",
        first_divergence=EXTRA,
        failure=failure,
        metrics=CORRUPT if corrupt else {},
    )


def test_a_forbidden_call_is_what_the_line_says() -> None:
    case = _case(_failure())
    assert as_line(what_happened(case)) == "forbidden tool refund called at step 3"
    assert as_markdown(what_happened(case)) == "forbidden tool `refund` called at step 3"
    assert "forbidden tool `refund` called at step 3" in render_comment(
        replace(builders.red(), cases=(case,), worst_cases=(case.id,)), {}
    )


def test_with_a_right_answer_that_is_said_first() -> None:
    assert (
        as_line(what_happened(_case(_failure(), corrupt=True)))
        == "right answer, forbidden tool refund called at step 3"
    )


def test_an_answer_that_is_wrong_too_is_not_called_right() -> None:
    wrong = Check("goal", "answer.contains", passed=False, reason="no such words")
    case = _case(_failure(wrong), corrupt=True)
    assert as_line(what_happened(case)) == "forbidden tool refund called at step 3"


def test_a_forbidden_call_beside_a_graver_failure_is_told_with_it() -> None:
    other = OtherFailure("forbidden_tool", "step 3: forbidden tool called: `refund()`", (3,))
    case = replace(
        _case(Failure("infinite_loop", "look five times", 4, (1,), (other,)), corrupt=True),
        first_divergence=None,
    )
    assert as_line(what_happened(case)) == (
        "forbidden tool refund called at step 3; infinite loop in 4 of 5: look five times"
    )


@pytest.mark.parametrize(
    ("category", "corrupt", "lead"),
    [
        ("tool_selection", True, "right answer, wrong path: step 3: "),
        ("tool_selection", False, "step 3: "),
        ("tool_execution", True, "step 3: "),
    ],
)
def test_a_right_answer_on_a_wrong_path(category: str, corrupt: bool, lead: str) -> None:
    case = _case(Failure(category, "not expected", 4, (3,)), corrupt=corrupt)
    assert as_line(what_happened(case)) == f"{lead}refund(order='A-7') is not in the golden"


def test_the_name_of_the_tool_is_not_trusted() -> None:
    hostile = Failure("forbidden_tool", "step 1: forbidden tool called: `@all<img>|x()`", 1, (1,))
    assert as_markdown(what_happened(_case(hostile))) == "forbidden tool `@\u200ball<img>|x` called at step 1"
