"""How a failure that no call shows is told."""

from __future__ import annotations

from dataclasses import replace

from gatebot.model.report import Failure
from gatebot.model.score import Divergence
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
