"""Trials into grades, one at a time: a gate never holds ten thousand trajectories."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import orjson

from gatebot.graders.declared_schemas import DeclaredSchemas
from gatebot.graders.grade import CaseGrader
from gatebot.graders.pricing import priced
from gatebot.graders.tool_schemas import ToolSchemas
from gatebot.model.score import Grade
from gatebot.model.suite import Suite
from gatebot.model.trajectory import Usage
from gatebot.model.trial import Side, Timing, Trial, TrialKey


@dataclass(frozen=True, slots=True)
class Counted:
    """What of one trial is counted: a digest of what is not measured, what it cost, the models it named."""

    digest: bytes
    side: Side
    cached: bool
    usage: Usage
    wall_s: float | None
    models: tuple[str, ...]


def counted(trial: Trial) -> Counted:
    """What is counted of a trial that is priced already."""
    return Counted(
        hashlib.sha256(canonical(trial)).digest(),
        trial.side,
        trial.cached,
        trial.usage,
        trial.timing.wall_s,
        tuple(trial.trajectory.models),
    )


@dataclass(slots=True)
class Tally:
    """What is counted of all trials: usage per side, agent seconds, models named, a digest of the results.

    Recordings cost nothing here.
    """

    grading_digest: str
    usage: dict[Side, Usage] = field(default_factory=dict[Side, Usage])
    wall_s: float | None = None
    recorded_models: set[str] = field(default_factory=set[str])
    live_models: dict[Side, set[str]] = field(default_factory=dict[Side, set[str]])
    _digests: list[bytes] = field(default_factory=list[bytes])

    def take(self, one: Counted) -> None:
        """Count one trial."""
        self._digests.append(one.digest)
        if one.cached:
            self.recorded_models.update(one.models)
            return
        self.live_models.setdefault(one.side, set()).update(one.models)
        if one.wall_s is not None:
            self.wall_s = (self.wall_s or 0.0) + one.wall_s
        self.usage[one.side] = _added(self.usage.get(one.side), one.usage)

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


class SuiteGrader:
    """Prices and grades trials by the cases of a suite."""

    def __init__(self, suite: Suite) -> None:
        schemas = ToolSchemas(suite.config.tools)
        self._prices = suite.config.prices
        # What a pull request's own agent declares may inform, and must not be what its gate is measured by.
        declared = None if "schema_valid" in suite.config.gate.metrics else DeclaredSchemas()
        self._graders = {
            case.id: CaseGrader(case, suite.config.trajectory, schemas, declared) for case in suite.cases
        }

    def grade(self, trial: Trial) -> tuple[Grade, Counted] | None:
        """The trial's grade and what is counted of it; None when the suite has no such case."""
        grader = self._graders.get(trial.case)
        if grader is None:
            return None
        trial = priced(trial, self._prices)
        return grader.grade(trial), counted(trial)


def graded(
    trials: Iterable[Trial], suite: Suite, tally: Tally, keep: Callable[[TrialKey], bool] = lambda _: True
) -> Iterator[Grade]:
    """Grade the trials of the suite's cases once, in passing; `keep` narrows them by key."""
    grader = SuiteGrader(suite)
    for trial in trials:
        found = grader.grade(trial) if keep(trial.key) else None
        if found is not None:
            tally.take(found[1])
            yield found[0]


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
