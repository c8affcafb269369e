"""A recorded base: trials of its agent that other evaluations have run lately spare its trials here (statistics, item 15).

They convict nobody: whatever might close the gate is decided on a base that is run in the same hour.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gatebot.commands.reuse import ReusedTrials
from gatebot.commands.views import Evaluation
from gatebot.core.recordings import (
    FEWEST_SLOTS,
    RECORDED_SLOTS,
    as_recording,
    may_be_recorded,
    recorded_rounds,
    why_too_old,
)
from gatebot.model.plan import Plan
from gatebot.model.trial import Side, Trial
from gatebot.results.recordings import Question, RecordedSlot, Recording
from gatebot.results.store import ResultsDirectory

_ASKED: Mapping[str, str] = {
    "policy": "another policy",
    "run": "other cases",
    "grading": "another grading",
    "seeds": "other seeds",
}
_RECORDED_OF: Mapping[str, Side] = {"gate": "base", "run": "head"}
"""Whose live trials an activity leaves behind as recordings: a gate's head is nobody's base yet."""


@dataclass(frozen=True, slots=True)
class _Found:
    """One recorded trial of a case, and where and when it was run."""

    at: RecordedSlot
    trial: Trial
    day: datetime.date


@dataclass(frozen=True, slots=True)
class BaseRecordings:
    """The recordings of one evaluation's base: taken before it is run, left behind when it has ended."""

    evaluation: Evaluation
    kept: ReusedTrials
    today: datetime.date

    def planned(self, plan: Plan) -> Plan:
        """The plan of a new evaluation, with a recorded base where the store holds enough of it.

        What an evaluation chose once it chooses again, so that running it elsewhere shows the same.
        """
        config = self.evaluation.ruler.suite.config
        # A judge would have to read more recordings than the trials they spare.
        if config.judge is not None or not may_be_recorded(plan, config.gate):
            return plan
        index = self.kept.recordings("base")
        chosen = index.chosen(self.kept.evaluation)
        found = self._found(index.slots(without=self.kept.evaluation) if chosen is None else chosen)
        fewest = min((len(trials) for trials in found.values()), default=0)
        if fewest < FEWEST_SLOTS:
            if chosen is None:
                index.choose(self.kept.evaluation, ())
            return plan
        used = [one for trials in found.values() for one in trials]
        if chosen is None:
            index.choose(self.kept.evaluation, _distinct([one.at for one in used]))
        days = [one.day for one in used]
        counts = [(case, len(trials)) for case, trials in found.items()]
        rounds = recorded_rounds(plan, counts, sentinel=max(days) < self.today)
        return replace(plan, base_recorded=fewest, recorded_since=min(days).isoformat(), rounds=rounds)

    def with_history(self, plan: Plan) -> Plan:
        """The plan of a new evaluation, which says when these trees were judged before by other rules (item 16)."""
        seeds = f"{plan.seeds} {'with looks' if plan.sequential else 'fixed'}"
        now = Question(plan.digests.policy, plan.digests.grading, plan.digests.run, seeds)
        before = self.kept.earlier_questions(now)
        changed = [
            word
            for name, word in _ASKED.items()
            if any(getattr(one, name) != getattr(now, name) for one in before)
        ]
        if not changed or plan.activity != "gate":
            return plan
        note = (
            f"This head was evaluated before with {', '.join(changed)}. This evaluation decides anew, by what is in "
            "force now. Its chance of a false alarm is the one promised; over both evaluations together it is higher: "
            "settle on one set of rules, and go by what it says."
        )
        return replace(plan, notes=(*plan.notes, note))

    def take(self, plan: Plan, results: ResultsDirectory) -> None:
        """Put the recordings that the plan names into the journal, each in its slot; those that are there stay."""
        wanted = set(plan.keys_of("recorded"))
        if not wanted:
            return
        chosen = self.kept.recordings("base").chosen(self.kept.evaluation) or ()
        with results.journal() as journal:
            for case, trials in self._found(chosen).items():
                for place, one in enumerate(trials, start=1):
                    trial = as_recording(one.trial, case, place)
                    if trial.key in wanted:
                        journal.append(trial)

    def leave(self, plan: Plan, void: str) -> None:
        """Leave behind what this evaluation has run live of the base, or of the one side there is.

        `void` says why the recordings it began with hold no more, if they do not: they are forgotten first.
        """
        side = _RECORDED_OF.get(plan.activity)
        if side is None or plan.stopped or plan.shard or side not in self.evaluation.sides:
            return
        index = self.kept.recordings(side)
        if void:
            index.void()
        live = (*plan.keys_of("regular"), *plan.keys_of("fresh_base"), *plan.keys_of("sentinel"))
        slots = tuple(sorted({key.slot for key in live if key.side == side}))
        if slots:
            index.keep(Recording(self.kept.evaluation, slots, self.today.isoformat()))

    def _found(self, slots: Sequence[RecordedSlot]) -> dict[str, list[_Found]]:
        """Per case that the base runs, the recordings that may be used, at most as many as are worth it."""
        ruler = self.evaluation.ruler
        cases = [case.id for case in ruler.suite.cases if case.id not in ruler.new]
        return {case: self._of_case(case, slots) for case in cases}

    def _of_case(self, case: str, slots: Sequence[RecordedSlot]) -> list[_Found]:
        found: list[_Found] = []
        for at in slots:
            if len(found) == RECORDED_SLOTS:
                break
            dated = self.kept.recorded("base", case, at)
            if dated is not None and not why_too_old(dated[1], self.today):
                found.append(_Found(at, *dated))
        return found


def _distinct(slots: Sequence[RecordedSlot]) -> tuple[RecordedSlot, ...]:
    return tuple(dict.fromkeys(slots))
