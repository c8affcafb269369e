"""What deciding keeps of one grade: a row of the evidence."""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.model.metric import METRICS
from gatebot.model.score import Divergence, FailureCategory, Grade, OtherFailure
from gatebot.model.trial import Side, Status


@dataclass(frozen=True, slots=True)
class Row:
    """What deciding needs of one grade."""

    status: Status
    passed: bool | None
    cached: bool
    reused: bool
    values: dict[str, float | None]
    by_design: frozenset[str]
    failure: FailureCategory | None
    failure_reason: str
    divergence: Divergence | None
    failure_steps: tuple[int, ...] = ()
    other_failures: tuple[OtherFailure, ...] = ()


Rows = dict[str, dict[Side, dict[int, Row]]]
"""Case → side → slot → row."""


def row_of(grade: Grade) -> Row:
    """The row of a grade: its metrics, and `pass_rate` as 1 or 0."""
    values: dict[str, float | None] = {
        name: score.value for name, score in grade.scores.items() if name in METRICS
    }
    if grade.passed is not None:
        values["pass_rate"] = float(grade.passed)
    return Row(
        status=grade.status,
        passed=grade.passed,
        cached=grade.cached,
        reused=grade.reused,
        values=values,
        by_design=frozenset(name for name, score in grade.scores.items() if score.by_design),
        failure=grade.failure,
        failure_reason=grade.failure_reason,
        divergence=grade.divergence,
        failure_steps=grade.failure_steps,
        other_failures=grade.other_failures,
    )
