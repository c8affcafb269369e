"""Rules that come before any judge, and that no judge can lift."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from gatebot.judge.material import answer_of
from gatebot.judge.rubric import Rubric
from gatebot.model.suite import Case
from gatebot.model.trial import Trial

FORBIDDEN_CAP = 0.3
"""A trial that called a forbidden tool scores at most this on rubrics that look at the trajectory."""
_OPENERS = re.compile(
    r"(?:\W*(?:(?:the|my) )?(?:thought process|thoughts?|solution|answer|final answer|reasoning|explanation|analysis|response"
    r"|let'?s (?:solve|think(?: about)?|work) (?:this )?(?:problem )?(?:through )?(?:step by step|carefully)"
    r"|let me (?:solve|think|work)[a-z ]{0,40}|sure|okay|ok|here is|here's|certainly)\W*)+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Floor:
    """What the rules leave open: at most `cap`. `decided`: the judge is not asked at all. `rule` says which rule."""

    cap: float = 1.0
    decided: bool = False
    rule: str = ""


OPEN = Floor()


def floor_of(case: Case, trial: Trial, rubric: Rubric) -> Floor:
    """What the rules say of a trial on a rubric, before anybody is asked."""
    empty = says_nothing(answer_of(trial))
    if empty and (rubric.looks_at == "answer" or rubric.name == "grounding" or not trial.trajectory.calls()):
        return Floor(0.0, decided=True, rule=f"the answer {empty}")
    if rubric.looks_at == "trajectory":
        forbidden = frozenset(case.expect.forbid)
        called = next((call.name for call in trial.trajectory.calls() if call.name in forbidden), None)
        if called is not None:
            return Floor(FORBIDDEN_CAP, rule="a forbidden tool was called")
    return OPEN


def capped(value: float, floor: Floor, rubric: Rubric) -> float:
    """The value the rules allow: on a scale of fixed values the best of those within the cap."""
    if value <= floor.cap:
        return value
    if rubric.scale == "boolean":
        return 0.0
    if rubric.scale == "choices":
        return max((fixed for fixed in rubric.choices.values() if fixed <= floor.cap), default=rubric.lowest)
    return floor.cap


def says_nothing(answer: str | None) -> str:
    """Why an answer is none ("is missing", "is empty" …), or an empty string when it says something."""
    if answer is None:
        return "is missing"
    said = answer.strip()
    if not said or not any(_seen(char) for char in said[:10_000]):
        return "is empty"
    if not any(char.isalnum() for char in said[:10_000]):
        return "is made of bare symbols"
    if len(said) <= 200 and _OPENERS.fullmatch(said):
        return "is an opening with nothing behind it"
    return ""


def _seen(char: str) -> bool:
    return unicodedata.category(char)[0] not in ("C", "Z")
