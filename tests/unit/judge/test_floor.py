"""What a judge is not asked, and what it cannot lift."""

from __future__ import annotations

import pytest

from gatebot.judge.floor import FORBIDDEN_CAP, Floor, capped, floor_of, says_nothing
from gatebot.judge.rubric import Rubric, builtin_rubric
from tests.unit.judge.subjects import call, case, trial

NOTHING = [
    None, "", "   \n", "\u200b\u200b\u2060", "\x00", ":", ".", ",", "!!!", "—", "{}", "```", "🙂", "…",
    "Thought process:", "Thought process", "Solution:", "**Solution**", "Let's solve this problem step by step.",
    "Let me think step by step", "Final Answer:", "Answer: ", "Reasoning:\n\n", "Sure! Here is the answer:",
]  # fmt: skip
SOMETHING = [
    "30",
    "Yes.",
    "Solution: 30 days",
    "Thought process: the page says 30 days.",
    "не знаю",
    "返金は30日です",
]


@pytest.mark.parametrize("answer", NOTHING, ids=ascii)
def test_answers_that_are_none_never_reach_the_judge(answer: str | None) -> None:
    assert says_nothing(answer)
    floor = floor_of(case(), trial(answer), builtin_rubric("final_response"))
    assert floor.decided
    assert floor.cap == 0


@pytest.mark.parametrize("answer", SOMETHING)
def test_short_answers_are_answers(answer: str) -> None:
    assert says_nothing(answer) == ""
    assert not floor_of(case(), trial(answer), builtin_rubric("final_response")).decided


def test_steps_without_an_answer_can_be_judged_as_steps() -> None:
    assert not floor_of(case(), trial(None), builtin_rubric("trajectory")).decided
    assert floor_of(case(), trial(None, []), builtin_rubric("trajectory")).decided
    assert floor_of(case(), trial(None), builtin_rubric("grounding")).decided


def test_a_forbidden_tool_caps_the_score() -> None:
    bad = trial(calls=[call("delete_all")])
    floor = floor_of(case(forbid=("delete_all",)), bad, builtin_rubric("trajectory"))
    assert floor.cap == FORBIDDEN_CAP
    assert not floor.decided
    assert floor_of(case(forbid=("other",)), bad, builtin_rubric("trajectory")).cap == 1


def test_the_cap_on_every_scale() -> None:
    choices = Rubric("c", "judge:c", "x", scale="choices", choices={"good": 1, "poor": 0.2, "bad": 0})
    boolean = Rubric("b", "judge:b", "x", scale="boolean")
    floor = Floor(0.3)
    assert capped(0.9, floor, builtin_rubric("trajectory")) == 0.3
    assert capped(0.2, floor, builtin_rubric("trajectory")) == 0.2
    assert capped(1.0, floor, choices) == 0.2
    assert capped(1.0, floor, boolean) == 0.0
