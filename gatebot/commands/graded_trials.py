"""The trials of one evaluation, each decoded and graded once, however often the gate looks at them.

In memory stays what deciding needs of a trial. Whole grades wait in a temporary file for scores.jsonl, trajectories in
the journal for the few that are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Protocol

from gatebot.commands.grading import Counted, SuiteGrader, Tally
from gatebot.core.evidence import Evidence
from gatebot.core.rows import Row, row_of
from gatebot.graders.pricing import priced
from gatebot.model.score import Grade
from gatebot.model.suite import Case, Suite
from gatebot.model.trial import Trial, TrialKey
from gatebot.results.scores import Kept, KeptGrades, score_line

TrialReader = Callable[[], Iterator[Trial]]
"""Hands out the trials anew each time it is called."""

Wanted = Callable[[TrialKey], bool]

SecondOpinion = Callable[[Case, Trial, Grade], Grade]
"""Adds to a grade what somebody else than a grader says of the trial."""


class TrialSource(Protocol):
    """Where trials come from: a journal that grows, or recordings."""

    def fresh(self) -> Iterator[Trial]:
        """The trials not handed out yet; one that takes another's place has its key."""
        ...

    def some(self, wanted: Wanted) -> Iterator[Trial]:
        """The wanted ones once more."""
        ...


class ReaderSource:
    """What a reader reads, as a source: all at first, and nothing later."""

    def __init__(self, read: TrialReader) -> None:
        self._read = read
        self._begun = False

    def fresh(self) -> Iterator[Trial]:
        """All trials at the first call, none at later ones."""
        if not self._begun:
            self._begun = True
            yield from self._read()

    def some(self, wanted: Wanted) -> Iterator[Trial]:
        """The wanted trials, by reading all of them once more."""
        return (trial for trial in self._read() if wanted(trial.key))


@dataclass(frozen=True, slots=True)
class _Known:
    row: Row
    fault: bool
    counted: Counted
    kept: Kept


class GradedTrials:
    """Grades the trials of a source as they come, once each. Used from one thread."""

    def __init__(self, suite: Suite, source: TrialSource) -> None:
        self._suite = suite
        self._grader = SuiteGrader(suite)
        self._source = source
        self._known: dict[TrialKey, _Known] = {}
        self._grades = KeptGrades()
        self.some = source.some

    def gather(self, evidence: Evidence, tally: Tally) -> None:
        """Grade what is new; put all that was planned into `evidence`, and count it in `tally`.

        Raises what the source raises, and InfrastructureError when grades cannot be kept.
        """
        self._update()
        for key in self._in_order(evidence.planned):
            one = self._known[key]
            evidence.take(key, one.row, fault=one.fault)
            tally.take(one.counted)

    def lines(self, evidence: Evidence) -> Iterator[bytes]:
        """The lines of scores.jsonl of what was planned: one per trial, those lost to infrastructure last."""
        return (self._grades.line(self._known[key].kept) for key in self._in_order(evidence.planned))

    def judged(self, evidence: Evidence, tally: Tally, second: SecondOpinion) -> Iterator[bytes]:
        """As `gather`, with a second opinion on each trial; hands out the lines of scores.jsonl meanwhile."""
        self._update()
        cases = {case.id: case for case in self._suite.cases}
        known = {key: self._known[key] for key in self._in_order(evidence.planned)}
        for trial in self._source.some(known.__contains__):
            one = known[trial.key]
            trial = priced(trial, self._suite.config.prices)  # noqa: PLW2901 - the same trial, with what it cost
            grade = second(cases[trial.case], trial, self._grades.grade(one.kept))
            evidence.add(grade)
            tally.take(one.counted)
            yield score_line(grade)

    def _update(self) -> None:
        for trial in self._source.fresh():
            found = self._grader.grade(trial)
            if found is not None:
                grade, counted = found
                fault = any(score.fault for score in grade.scores.values())
                self._known.pop(trial.key, None)  # one that was lost comes where it was run again
                self._known[trial.key] = _Known(row_of(grade), fault, counted, self._grades.keep(grade))

    def _in_order(self, planned: Collection[TrialKey]) -> Iterator[TrialKey]:
        for lost in (False, True):
            for key, one in self._known.items():
                if (one.row.status == "infra_error") is lost and key in planned:
                    yield key
