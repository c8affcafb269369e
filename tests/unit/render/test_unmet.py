"""How a failure that no call shows is told."""

from __future__ import annotations

from dataclasses import replace

from gatebot.model.report import Failure
from gatebot.model.score import Divergence, OtherFailure
from gatebot.render.diff import CaseDiff, DiffLine
from gatebot.render.phrases import as_line, step_of, what_happened
from gatebot.render.sections import case_diff
from tests.unit.render import builders

TOLD = 'answer.contains: expected the answer to contain "refunded", got "no"'
UNMET = Divergence(3, "unmet", "answer.contains", "not met", f"after step 2: {TOLD}", TOLD)


def test_what_no_call_shows_is_told_in_one_line_of_the_diff() -> None:
    failure = Failure(category="wrong_answer", reason=TOLD, trials=4)
    case = builders.case("refund", (5, 1), "regressed", first_divergence=UNMET, failure=failure)
    assert as_line(what_happened(case)) == f"wrong answer in 4 of 5: {TOLD}"
    diff = case_diff(case, CaseDiff((DiffLine("title", "golden → head: the same calls as the base"),)), 10)
    assert f"after step 2: `{TOLD}`" in diff.splitlines()


def test_it_says_after_which_step() -> None:
    assert as_line(step_of(UNMET)) == f"after step 2: {TOLD}"
    assert as_line(step_of(replace(UNMET, step=1))) == f"without a call: {TOLD}"


def test_where_the_goal_fails_an_allowed_call_is_not_the_reason() -> None:
    extra = Divergence(
        2, "extra", "nothing", "`look()`", "step 2: expected nothing, got `look()`", "not expected"
    )
    case = builders.case("refund", (5, 1), "regressed", first_divergence=extra)
    answer = Failure(category="wrong_answer", reason=TOLD, trials=4)
    assert as_line(what_happened(replace(case, failure=answer))) == f"wrong answer in 4 of 5: {TOLD}"
    calls = Failure(category="tool_selection", reason=extra.explanation, trials=4, steps=(2,))
    assert as_line(what_happened(replace(case, failure=calls))) == as_line(step_of(extra))


def test_the_other_categories_have_one_line_in_the_diff() -> None:
    others = (OtherFailure("wrong_arguments", "`x`", (2, 3)), OtherFailure("wrong_answer", "y"))
    failure = Failure("forbidden_tool", "step 1", 4, (1,), others)
    case = builders.case("refund", (5, 1), "regressed", failure=failure)
    diff = case_diff(case, CaseDiff((DiffLine("title", "t"),)), 10)
    assert "Also: wrong arguments (step 2), wrong answer." in diff.splitlines()
    alone = case_diff(
        replace(case, failure=replace(failure, others=())), CaseDiff((DiffLine("title", "t"),)), 10
    )
    assert "Also" not in alone
