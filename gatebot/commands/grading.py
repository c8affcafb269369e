"""Trials into grades, one at a time: a gate never holds ten thousand trajectories."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import orjson

from gatebot.graders.grade import CaseGrader
from gatebot.graders.pricing import priced
from gatebot.graders.tool_schemas import ToolSchemas
from gatebot.model.score import Grade
from gatebot.model.suite import Case, Suite
from gatebot.model.trajectory import Usage
from gatebot.model.trial import Side, Timing, Trial, TrialKey


@dataclass(slots=True)
class Tally:
    """What is counted while trials pass by: usage per side, agent seconds, models named, a digest of the results.

    `unknown` counts trials of cases the suite does not have; they are left out. Recordings cost nothing here.
    """

    grading_digest: str
    usage: dict[Side, Usage] = field(default_factory=dict[Side, Usage])
    unknown: int = 0
    wall_s: float | None = None
    recorded_models: set[str] = field(default_factory=set[str])
    live_models: dict[Side, set[str]] = field(default_factory=dict[Side, set[str]])
    _digests: list[bytes] = field(default_factory=list[bytes])

    def take(self, trial: Trial) -> None:
        """Count one trial."""
        self._digests.append(hashlib.sha256(canonical(trial)).digest())
        if trial.cached:
            self.recorded_models.update(trial.trajectory.models)
            return
        self.live_models.setdefault(trial.side, set()).update(trial.trajectory.models)
        if trial.timing.wall_s is not None:
            self.wall_s = (self.wall_s or 0.0) + trial.timing.wall_s
        self.usage[trial.side] = _added(self.usage.get(trial.side), trial.usage)

    def live_on(self, side: Side) -> frozenset[str]:
        """The models named in the live trials of a side."""
        return frozenset(self.live_models.get(side, ()))

    def result_digest(self) -> str:
        """sha256 over all trials without their measured fields, in no particular order, plus the grading digest."""
        whole = hashlib.sha256(self.grading_digest.encode())
        for digest in sorted(self._digests):
            whole.update(digest)
        return whole.hexdigest()


def canonical(trial: Trial) -> bytes:
    """A trial's bytes without what is measured: equal for two runs that did the same."""
    kept = replace(
        trial,
        attempts=1,
        cached=False,
        reused=False,
        timing=Timing(),
        stderr_tail="",
        trace_url=None,
        usage=replace(trial.usage, cost_usd=None),
    )
    return orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)


SecondOpinion = Callable[[Case, Trial, Grade], Grade]
"""Adds to a grade what somebody else than a grader says of the trial."""


def graded(
    trials: Iterable[Trial],
    suite: Suite,
    tally: Tally,
    keep: Callable[[TrialKey], bool] = lambda _: True,
    second: SecondOpinion = lambda _case, _trial, grade: grade,
) -> Iterator[Grade]:
    """Grade the trials of the suite's cases; `keep` narrows them by key, `second` adds the judge's scores."""
    cases = {case.id: case for case in suite.cases}
    schemas = ToolSchemas(suite.config.tools)
    graders = {case.id: CaseGrader(case, suite.config.trajectory, schemas) for case in suite.cases}
    for trial in trials:
        grader = graders.get(trial.case)
        if grader is None:
            tally.unknown += 1
        elif keep(trial.key):
            trial = priced(trial, suite.config.prices)  # noqa: PLW2901 - the same trial, with what it cost
            tally.take(trial)
            yield second(cases[trial.case], trial, grader.grade(trial))


def _added(total: Usage | None, more: Usage) -> Usage:
    """Sums of what is known; None stays None until something is known."""
    if total is None:
        return more
    return Usage(
        input_tokens=_sum(total.input_tokens, more.input_tokens),
        output_tokens=_sum(total.output_tokens, more.output_tokens),
        cached_input_tokens=_sum(total.cached_input_tokens, more.cached_input_tokens),
        cost_usd=_sum_money(total.cost_usd, more.cost_usd),
        responses=_sum(total.responses, more.responses),
    )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)


def _sum_money(one: float | None, other: float | None) -> float | None:
    return None if one is None and other is None else (one or 0.0) + (other or 0.0)
