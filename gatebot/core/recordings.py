"""Recordings that stand for a base: how many, how old, in which slots, and what the report says of them (statistics, 15).

What tests them on live trials is in `recorded_base`: planning needs no arrays.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace

from gatebot.core.stats.spacing import FULL_ROUNDS
from gatebot.model.config import Gate
from gatebot.model.metric import MEASURED_METRICS, is_judge_metric
from gatebot.model.plan import Plan, Round
from gatebot.model.report import RecordedBase
from gatebot.model.trial import Trial, TrialKey

RECORDED_SLOTS = 20
"""Slots of a case worth keeping: with more of them the luck of one recording weighs less."""
FEWEST_SLOTS = FULL_ROUNDS
"""Slots of every case that a recorded base has at least: as many as running it would come to."""
RECORDED_OFFSET = 4_000
"""Recordings have slots of their own in the journal: this plus 1, 2, …"""
SENTINEL_OFFSET = 3_000
"""The sentinel round's slots: a side's first slot plus this."""
VALID_DAYS = 7
"""A recorded trial may spare a run for so long (statistics, item 15)."""


def why_too_old(day: datetime.date, today: datetime.date) -> str:
    """Why what was recorded on `day` cannot stand for a base `today`, or an empty string."""
    age = (today - day).days
    if 0 <= age <= VALID_DAYS:
        return ""
    return f"the base's recordings are {age} days old; they are valid for {VALID_DAYS}"


def other_models(recorded: frozenset[str], live: frozenset[str]) -> str:
    """What differs between the models named in recordings and in live responses; empty when nothing, or one is unknown."""
    if live and recorded and live != recorded:
        return f"other models answered than when the base was recorded: {', '.join(sorted(live ^ recorded))}"
    return ""


def may_be_recorded(plan: Plan, gate: Gate) -> bool:
    """Whether recordings may spare the base's trials: not where a part of the trials is run alone, where what gates is
    measured by a clock (statistics, item 5) or said by a judge, or where there is nothing to compare.
    """
    if plan.base is None or plan.head is None or plan.same_agent or plan.shard or plan.activity != "gate":
        return False
    return not any(name in MEASURED_METRICS or is_judge_metric(name) for name in gate.metrics)


def recorded_rounds(plan: Plan, counts: Sequence[tuple[str, int]], *, sentinel: bool) -> tuple[Round, ...]:
    """The round that names the recordings (case, how many), and with `sentinel` one live round of the same cases."""
    keys = [
        TrialKey(case, "base", RECORDED_OFFSET + place + 1)
        for case, count in sorted(counts)
        for place in range(count)
    ]
    rounds = [Round(RECORDED_OFFSET, tuple(keys), "recorded")]
    if sentinel:
        slot = plan.base_first_slot + SENTINEL_OFFSET
        live = tuple(TrialKey(case, "base", slot) for case, _ in sorted(counts))
        rounds.append(Round(SENTINEL_OFFSET, live, "sentinel"))
    return tuple(rounds)


def as_recording(trial: Trial, case: str, place: int) -> Trial:
    """A trial of another evaluation as the `place`-th recording (from 1) of a case of this base."""
    slot = RECORDED_OFFSET + place
    return replace(trial, case=case, side="base", slot=slot, round=RECORDED_OFFSET, cached=True, reused=False)


def recorded_told(plan: Plan, doubt: str) -> RecordedBase | None:
    """What the report says of a recorded base; None where the base was run from the start. `doubt` as in the evidence."""
    if not plan.base_recorded:
        return None
    cases = {key.case for key in plan.keys_of("recorded")}
    planned = sum(key.side == "head" and key.case in cases for key in plan.keys_of("regular"))
    run = plan.runs_base()
    return RecordedBase(
        slots=plan.base_recorded,
        since=plan.recorded_since,
        spared=0 if run else max(0, planned - len(plan.keys_of("sentinel"))),
        run_because=(doubt or "beside its recordings the head looked worse") if run else "",
    )


def recorded_alert(told: RecordedBase) -> str:
    """The same in sentences: what it means for the verdict, and what to do about it."""
    if told.run_because:
        return (
            "Recorded trials of the base could have spared running it, but it was run all the same, because "
            f"{told.run_because}. Only what was run decides; there is nothing to do."
        )
    return (
        f"The base comes from recordings, {told.slots} trials a case, the oldest of {told.since}: they spared "
        f"{told.spared} trials, and the head is compared with them. They can let a head pass and never fail it: "
        "what looks worse is run again on a live base first. To run the base whatever is recorded, give `--no-store`."
    )
