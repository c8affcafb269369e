"""The categories beside the primary one are kept, with their own reasons and steps."""

from __future__ import annotations

from gatebot.graders.failure import STEPS_LIMIT
from gatebot.model.score import OtherFailure
from tests.unit.graders.trials import Written, call, case, golden, grade, trial

WRONG: Written = {"answer": {"contains": "refunded"}, "forbid": ["delete"]}


def test_the_other_categories_are_kept_in_order_with_their_steps() -> None:
    run = trial(call("delete"), call("look", {"id": 2}), answer="no")
    graded = grade(case({**WRONG, "trajectory": {"match": "superset"}}, golden(("look", {"id": 1}))), run)
    assert graded.failure == "forbidden_tool"
    assert graded.failure_steps == (1,)
    assert [other.category for other in graded.other_failures] == ["wrong_arguments", "wrong_answer"]
    arguments, answer = graded.other_failures
    assert arguments.steps == (2,)
    assert "id" in arguments.reason
    assert answer == OtherFailure("wrong_answer", answer.reason)
    assert "refunded" in answer.reason


def test_what_shows_the_same_is_said_once() -> None:
    run = trial(call("a"), answer="refunded")
    graded = grade(case({**WRONG, "trajectory": {"match": "strict"}}, golden("a", "b")), run)
    assert graded.failure == "premature_termination"
    assert graded.other_failures == ()


def test_steps_are_bounded_and_a_pass_has_no_failure() -> None:
    run = trial(*(call("delete", {"n": n}) for n in range(30)), answer=None)
    graded = grade(case(WRONG), run)
    assert graded.failure == "premature_termination"
    assert [(other.category, len(other.steps)) for other in graded.other_failures] == [
        ("forbidden_tool", STEPS_LIMIT),
        ("wrong_answer", 0),
    ]
    passed = grade(case(WRONG), trial(call("a"), answer="refunded"))
    assert passed.passed is True
    assert passed.other_failures == ()
