"""What grading says of one trial: scores, checks, the first divergence."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from gatebot.model.trial import Side, Status, TrialKey

CheckGroup = Literal["goal", "trajectory", "require", "forbid"]
DivergenceKind = Literal["missing", "extra", "wrong_tool", "wrong_args", "out_of_order", "unmet"]
FailureCategory = Literal[
    "tool_execution",
    "infinite_loop",
    "premature_termination",
    "tool_selection",
    "wrong_arguments",
    "wrong_order",
    "wrong_answer",
    "wrong_state",
    "forbidden_tool",
    "agent_error",
    "timeout",
    "planning",
    "hallucination",
    "reasoning",
]


@dataclass(frozen=True, slots=True)
class Score:
    """A grader's word on a trial for one metric.

    `value` in [0, 1] or a quantity; None = ungraded, with `reason` saying why. `fault` marks a grader that failed on
    a completed trial's data and therefore scored 0. `by_design` marks an ungraded score that the case's own
    definition rules out (nothing expected, nothing checkable): it is counted, but is not missing evidence.
    """

    value: float | None
    reason: str = ""
    fault: bool = False
    by_design: bool = False


FULL = Score(1.0)
ZERO = Score(0.0)
"""The two scores that need no reason, made once: a grade has a dozen of them."""


@lru_cache(maxsize=8192)
def plain_score(value: float | None, reason: str = "") -> Score:
    """`Score(value, reason)`, shared: most trials of a case have the same few quantities, and making one costs."""
    return Score(value, reason)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing a case requires. `passed` None = could not be checked, which is not a pass.

    `fault` marks a grader of the user's own that failed on the trial, and so did not pass it.
    """

    group: CheckGroup
    name: str
    passed: bool | None
    reason: str = ""
    fault: bool = False


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where a failing trial first leaves what was expected: 1-based step in the trial's calls (one past the end = missing).

    `unmet`: no call shows it; what the check named in `expected` asks does not hold after the last call.
    `detail` says in words what is wrong with the step; `explanation` is the whole sentence.
    """

    step: int
    kind: DivergenceKind
    expected: str
    actual: str
    explanation: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class OtherFailure:
    """A category that a rule gives a failing trial beside the primary one: why, and the 1-based steps that show it."""

    category: FailureCategory
    reason: str
    steps: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Grade:
    """Everything grading says of one trial.

    `passed`: every required check passed; None only for `infra_error` trials, which leave the sample.
    `scores`: metric name → score, only metrics that were looked at. `failure`: primary category, None when passed.
    `failure_steps`: the 1-based steps that show it, one past the end for what is missing; empty where no step does.
    `other_failures`: what the other rules say, in the order of precedence.
    """

    case: str
    side: Side
    slot: int
    status: Status
    passed: bool | None
    round: int = 1
    cached: bool = False
    reused: bool = False
    checks: tuple[Check, ...] = ()
    scores: dict[str, Score] = field(default_factory=dict[str, Score])
    divergence: Divergence | None = None
    failure: FailureCategory | None = None
    failure_reason: str = ""
    failure_steps: tuple[int, ...] = ()
    other_failures: tuple[OtherFailure, ...] = ()

    @property
    def key(self) -> TrialKey:
        """The graded trial's name in the plan."""
        return TrialKey(self.case, self.side, self.slot)
