"""Which stored trials may stand for the base of a fork's recording."""

from __future__ import annotations

import datetime
from dataclasses import replace

from gatebot.commands.ci.fork_base import usable
from gatebot.core.recordings import RECORDED_SLOTS
from gatebot.model.trial import Trial
from gatebot.results.base_results import RecordedOrigin, RecordedTrial

TODAY = datetime.date(2026, 6, 15)
AGENT = ("tree", "agent")
CASES = {"a": "asked-a", "b": "asked-b"}


def stored(case: str, slot: int, *, days: int = 0, environment: str = "here") -> RecordedTrial:
    origin = RecordedOrigin("tree", f"asked-{case}", "agent", environment, slot)
    trial = Trial(case, "base", slot, slot, "completed")
    return RecordedTrial(origin, TODAY - datetime.timedelta(days=days), "recording", trial)


def slots(*trials: RecordedTrial) -> dict[str, list[int]]:
    found = usable(trials, AGENT, CASES, TODAY)
    return {case: [one.trial.slot for one in kept] for case, kept in found.items()}


def test_every_case_is_named_and_its_trials_are_in_order() -> None:
    assert slots(stored("a", 2), stored("a", 1)) == {"a": [1, 2], "b": []}


def test_what_is_of_something_else_is_left_out() -> None:
    one = stored("a", 1)
    others = (
        replace(one, origin=replace(one.origin, tree="other")),
        replace(one, origin=replace(one.origin, agent="other")),
        replace(one, origin=replace(one.origin, case="asked otherwise")),
        replace(one, role="reference"),
        replace(one, trial=replace(one.trial, status="infra_error")),
        replace(one, recorded=TODAY + datetime.timedelta(days=1)),
        stored("a", 1, days=8),
        stored("c", 1),
    )
    assert slots(*others) == {"a": [], "b": []}


def test_environments_are_never_mixed_and_the_newest_counts() -> None:
    old = [stored("a", slot, days=3, environment="zz") for slot in (1, 2)]
    new = [stored("b", slot, environment="aa") for slot in (1, 2)]
    assert slots(*old, *new) == {"a": [], "b": [1, 2]}


def test_the_newest_twenty_are_taken() -> None:
    many = [stored("a", slot, days=1) for slot in range(1, 20)] + [
        stored("a", slot) for slot in range(30, 40)
    ]
    found = slots(*many)["a"]
    assert len(found) == RECORDED_SLOTS
    assert found[:10] == list(range(30, 40))
