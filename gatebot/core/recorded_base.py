"""Which recordings may stand for a base, and the sentinel that voids them (statistics, item 15)."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from gatebot.core.evidence import Evidence, side_values
from gatebot.core.rows import Rows
from gatebot.core.stats.spacing import FULL_ROUNDS
from gatebot.core.view import MetricSample
from gatebot.model.config import Gate
from gatebot.model.metric import MEASURED_METRICS, METRICS, PRIMARY_METRIC, is_judge_metric
from gatebot.model.plan import Plan, Round
from gatebot.model.report import RecordedBase
from gatebot.model.trial import SIDES, TrialKey

RECORDED_SLOTS = 20
"""Slots of a case worth keeping: with more of them the luck of one recording weighs less."""
FEWEST_SLOTS = FULL_ROUNDS
"""Slots of every case that a recorded base has at least: as many as running it would come to."""
RECORDED_OFFSET = 4_000
"""Recordings have slots of their own in the journal: this plus 1, 2, …"""
SENTINEL_OFFSET = 3_000
"""The sentinel round's slots: a side's first slot plus this."""
VALID_DAYS = 7
SENTINEL_LEVEL = 0.005


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


def why_doubtful(evidence: Evidence, gate: Gate, *, recorded: frozenset[str], live: frozenset[str]) -> str:
    """Why the base must be run although it is recorded, whatever the looks say; an empty string when it need not.

    `recorded`, `live`: the models named in the recordings, and in what was run. A target that the head misses is held
    against it only if a live base meets it, so that a provider's bad day is not taken for the pull request.
    """
    if any(not _recorded_in(evidence, key) for key in evidence.recordings):
        return "some of the base's recordings are missing"
    if sentinel_fires(recordings_against(evidence, evidence.tested)):
        return "live trials of the base differ from its recordings"
    other = other_models(recorded, live)
    if other:
        return other
    missed = [name for name in gate.metrics if _misses(evidence, gate, name)]
    return f"the head misses the target of {missed[0]}" if missed else ""


def why_void(evidence: Evidence, *, recorded: frozenset[str], live: frozenset[str]) -> str:
    """Why the recordings hold for nobody any more, or an empty string: all live trials of the base against them.

    `live`: the models that answered on the base alone.
    """
    if sentinel_fires(recordings_against(evidence, evidence.tested, evidence.rows)):
        return "live trials of the base differ from its recordings"
    return other_models(recorded, live)


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
        run_because=(doubt or "beside its recordings the head might have dropped") if run else "",
    )


def recorded_alert(told: RecordedBase) -> str:
    """The same in a sentence."""
    if told.run_because:
        return (
            f"The base is recorded, but was run all the same: {told.run_because}. Only what was run decides."
        )
    return (
        f"The base comes from recordings, {told.slots} trials a case, the oldest of {told.since}: they spared "
        f"{told.spared} trials, and every verdict against the base rests on them. Recordings convict nobody."
    )


def recordings_against(evidence: Evidence, *live: Rows) -> MetricSample:
    """The primary metric, the recordings as its base and live trials of the base as its head, over the gating cases."""
    cases = sorted(evidence.gating_cases)
    recorded = {case: _passes(case, evidence.recorded) for case in cases}
    lived = {case: _passes(case, *live) for case in cases}
    kept = [case for case in cases if recorded[case] and lived[case]]
    return MetricSample(
        metric=METRICS[PRIMARY_METRIC],
        cases=tuple(kept),
        base=tuple(recorded[case] for case in kept),
        head=tuple(lived[case] for case in kept),
        base_slots=tuple(tuple(range(len(recorded[case]))) for case in kept),
        head_slots=tuple(tuple(range(len(lived[case]))) for case in kept),
        ungraded=dict.fromkeys(SIDES, 0),
        unexplained=dict.fromkeys(SIDES, 0),
    )


def _passes(case: str, *kept: Rows) -> tuple[float, ...]:
    rows = [row for one in kept for row in one.get(case, {}).get("base", {}).values()]
    values = [row.values.get(PRIMARY_METRIC) for row in rows if row.status != "infra_error"]
    return tuple(value for value in values if value is not None)


def _recorded_in(evidence: Evidence, key: TrialKey) -> bool:
    return key.slot in evidence.recorded.get(key.case, {}).get("base", {})


def _misses(evidence: Evidence, gate: Gate, name: str) -> bool:
    head, base = (side_values(evidence, name, side) for side in ("head", "base"))
    from gatebot.core.decide import closes
    from gatebot.core.target import judge_target

    target = judge_target(METRICS[name], gate.metrics[name], head, base)
    return target is not None and closes(target, gate.metrics[name])


def sentinel_fires(sample: MetricSample) -> bool:
    """Whether live trials of the base differ from its recordings, in either direction, beyond chance.

    `sample`: the primary metric, the recordings as its base and live trials as its head. Exact test, .005
    each side: in one of a hundred rounds at most recordings are thrown away for nothing. It sees a broken provider at
    once and a slow drift hardly ever; that is why a recorded base convicts nobody.
    """
    if not sample.cases:
        return False
    from gatebot.core.compare import strata
    from gatebot.core.stats.exact import exact_tails
    from gatebot.core.stats.strata import pass_counts

    tails = exact_tails(pass_counts(strata(sample)))
    return min(tails.lower, tails.upper) <= SENTINEL_LEVEL
