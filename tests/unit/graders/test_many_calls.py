"""No grader is quadratic in the number of calls: hostile trials cost seconds, or say that they are too large."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest

from gatebot.graders.matching import MANY_STEPS, UNMATCHED, heaviest_assignment, maximum_matching
from gatebot.model.case import FieldMatcher, TrajectoryExpectation
from gatebot.model.config import MatchMode
from gatebot.model.suite import Case, ExpectedCall
from gatebot.model.trajectory import ToolCall
from tests.unit.graders.trials import call, case, grade, trial, value

COUNT = 20_000
SECONDS = 12.0  # of CPU; a quadratic grader takes minutes


def equal_calls(number: int) -> ToolCall:
    return call("search", {"q": "same"}, result=str(number % 3), is_error=False)


def different_calls(number: int) -> ToolCall:
    return call("search", {"q": f"{number}", "page": number % 7}, result="[]", is_error=number % 2 == 0)


def different_tools(number: int) -> ToolCall:
    return call(f"tool_{number}", {"q": number}, result="Error: no")


def unreadable(number: int) -> ToolCall:
    return call("search", None, arguments_error="not JSON", raw_arguments="{" * (number % 5), result="x")


def golden_case(mode: MatchMode, golden: int) -> Case:
    calls = tuple(ExpectedCall("search", {"q": f"{number}", "page": 0}, number) for number in range(golden))
    return case({"trajectory": {"match": mode}}, calls)


@pytest.mark.parametrize("made", [equal_calls, different_calls, different_tools, unreadable])
@pytest.mark.parametrize("mode", ["strict", "superset"])
def test_many_calls(made: Callable[[int], ToolCall], mode: MatchMode) -> None:
    begun = time.process_time()
    graded = grade(golden_case(mode, 40), trial(*(made(number) for number in range(COUNT))))
    assert time.process_time() - begun < SECONDS
    assert graded.passed is False
    assert value(graded, "tool_calls") == COUNT


@pytest.mark.parametrize("mode", ["strict", "superset"])
def test_as_many_equal_golden_calls(mode: MatchMode) -> None:
    calls = tuple(ExpectedCall("search", {"q": "same"}, number) for number in range(COUNT))
    begun = time.process_time()
    graded = grade(
        case({"trajectory": {"match": mode}}, calls), trial(*(equal_calls(n) for n in range(COUNT - 50)))
    )
    assert time.process_time() - begun < SECONDS
    assert value(graded, "trajectory_match") == 0.0
    assert value(graded, "trajectory_credit") == pytest.approx((COUNT - 50) / COUNT)


def test_too_many_pairs_to_weigh_are_a_fault_of_that_score_alone() -> None:
    rules = TrajectoryExpectation(args={"search": {"page": FieldMatcher(tolerance=1)}}, required=False)
    made = golden_case("superset", 40)
    made = case({"require": ["search"]}, made.references[0].calls)
    made = Case(
        made.id,
        made.path,
        made.turns,
        expect=made.expect.model_copy(update={"trajectory": rules}),
        references=made.references,
    )
    begun = time.process_time()
    graded = grade(made, trial(*(different_calls(number) for number in range(COUNT))))
    assert time.process_time() - begun < SECONDS
    faults = {name for name, score in graded.scores.items() if score.fault}
    assert faults == {"param_accuracy", "trajectory_match", "trajectory_credit"}
    assert "too many" in graded.scores["param_accuracy"].reason
    assert graded.scores["tool_choice"].value is not None


def test_a_matching_in_which_many_are_served_in_vain_takes_no_time() -> None:
    shared = list(range(COUNT // 2))
    begun = time.process_time()
    partner = maximum_matching([shared] * COUNT)
    assert time.process_time() - begun < SECONDS
    assert partner.count(UNMATCHED) == COUNT // 2


def test_a_large_assignment_weighs_as_much_as_a_small_one_of_its_parts() -> None:
    draw = random.Random(3)
    size = 150
    assert size**3 > MANY_STEPS
    weights = [[draw.random() for _ in range(size)] for _ in range(size)]
    pairs = heaviest_assignment(weights)
    assert [row for row, _ in pairs] == list(range(size))
    assert sorted(column for _, column in pairs) == list(range(size))
    # Exchanging two columns never helps, and no column beats its dual price by much: checked by pairs here.
    column_of = dict(pairs)
    for one in range(size):
        for other in range(one):
            kept = weights[one][column_of[one]] + weights[other][column_of[other]]
            exchanged = weights[one][column_of[other]] + weights[other][column_of[one]]
            assert exchanged <= kept + 1e-9
