"""Cases and tasks for the tests of agents."""

from __future__ import annotations

from dataclasses import replace

from gatebot.model.suite import Case
from gatebot.model.trial import Side, TrialKey
from gatebot.ports import TrialTask

PLAIN = Case("greeting", "golden/greeting.yaml", ("Hello?",))


def scripted(*turns: str) -> Case:
    """A case that asks several turns."""
    return replace(PLAIN, turns=turns, plain=False)


def task(case: Case = PLAIN, *, side: Side = "head", slot: int = 0, timeout_s: float = 10.0) -> TrialTask:
    """A task for one trial of the case."""
    return TrialTask(case, TrialKey(case.id, side, slot), 7, 1, timeout_s)
