"""A base from recordings: what it decides, when it is run after all, and when recordings are void."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from gatebot.core.course import course_of
from gatebot.core.decide import decide
from gatebot.core.decision import Decision
from gatebot.core.evidence import Evidence
from gatebot.core.looks import look_plan
from gatebot.core.playing import Arm, Arms, ArrayView
from gatebot.core.recorded_base import sentinel_fires, why_doubtful, why_void
from gatebot.core.recordings import (
    RECORDED_OFFSET,
    SENTINEL_OFFSET,
    may_be_recorded,
    other_models,
    recorded_alert,
    recorded_rounds,
    recorded_told,
    why_too_old,
)
from gatebot.core.rounds import first_rounds, next_rounds
from gatebot.core.stats.drawing import drawn_passes, drawn_rates, generator_of
from gatebot.model.config import Gate, MetricGate
from gatebot.model.plan import Plan, Round
from gatebot.model.score import Grade
from tests.unit.core.grades import Trials, gate_of, plan_of, suite_of, verdict_of

NEW: frozenset[str] = frozenset()
CASES = list(suite_of(20, ""))


def _evidence(plan: Plan, recorded: dict[str, str], live: Trials) -> Evidence:
    evidence = Evidence(frozenset(plan.keys()), frozenset(recorded), frozenset(plan.confirming()))
    for case, marks in recorded.items():
        for slot, mark in enumerate(marks, start=1):
            evidence.add(Grade(case, "base", slot, "completed", mark == "1", cached=True))
    for grade in live.grades():
        evidence.add(grade)
    return evidence


def _plan(rounds: int, *, sequential: bool = True) -> Plan:
    plan = replace(plan_of(10 if sequential else rounds, sequential=sequential), rounds=(), base_recorded=10)
    first = first_rounds(plan, CASES, NEW)
    return replace(plan, rounds=first if sequential else first[:rounds])


def _decided(plan: Plan, evidence: Evidence, gate: Gate | None = None) -> Decision:
    gate = gate or gate_of()
    return decide(evidence, gate, course_of(plan, gate))


EVEN = suite_of(20, "1101111011")
WORSE = Trials({}, suite_of(20, "010"))


def test_levels_of_a_recorded_base() -> None:
    looks = look_plan(gate_of(), 10, sequential=True, recorded_base=10).looks
    assert [look.level for look in looks] == [0.0075, 0.0120, 0.0166, 0.0244]


def test_only_the_head_is_run_at_first() -> None:
    plan = _plan(3)
    keys = plan.keys()
    assert {key.side for key in keys} == {"head"}
    assert plan.regular_rounds() == 3


def test_no_sign_beside_recordings_ends_it() -> None:
    plan = _plan(3)
    evidence = _evidence(plan, EVEN, Trials({}, suite_of(20, "111")))
    assert next_rounds(plan, evidence, gate_of(), NEW) == ()
    assert _decided(plan, evidence).conclusion in ("pass", "inconclusive")


def test_a_drop_beside_recordings_runs_the_base_in_the_same_slots() -> None:
    plan = _plan(3)
    evidence = _evidence(plan, EVEN, WORSE)
    (fresh,) = [r for r in next_rounds(plan, evidence, gate_of(), NEW) if r.kind == "fresh_base"]
    assert {key.side for key in fresh.trials} == {"base"}
    assert sorted({key.slot for key in fresh.trials}) == [1, 2, 3]
    assert len(fresh.trials) == 60


def test_recordings_convict_nobody() -> None:
    plan = _plan(3)
    decision = _decided(plan, _evidence(plan, EVEN, WORSE))
    assert decision.conclusion == "not_evaluated"
    assert "recordings" in decision.reason
    assert verdict_of(decision) != "regressed"


@pytest.mark.parametrize(("base", "conclusion"), [("111", "fail"), ("010", "pass")])
def test_the_fresh_base_decides(base: str, conclusion: str) -> None:
    plan = _plan(3)
    live = Trials(suite_of(20, base), WORSE.head)
    keys = live.keys()
    fresh = Round(2_000, tuple(key for key in keys if key.side == "base"), "fresh_base")
    plan = replace(plan, rounds=(*plan.rounds, fresh))
    decision = _decided(plan, _evidence(plan, EVEN, live))
    assert (decision.conclusion == "fail") is (conclusion == "fail")


def test_with_fixed_seeds_too() -> None:
    plan = _plan(3, sequential=False)
    plan = replace(plan, rounds=(Round(1, tuple(WORSE.keys())),))
    evidence = _evidence(plan, EVEN, WORSE)
    assert _decided(plan, evidence).conclusion == "not_evaluated"
    assert [round_.kind for round_ in next_rounds(plan, evidence, gate_of(), NEW)] == ["fresh_base"]


def test_what_is_not_proven_beside_recordings_is_no_reason_to_fail() -> None:
    thin = {case: EVEN[case] for case in CASES[:3]}
    head = Trials({}, thin)
    later = tuple(Round(number, ()) for number in range(2, 11))
    plan = replace(_plan(3), rounds=(Round(1, tuple(head.keys())), *later))
    decision = _decided(plan, _evidence(plan, thin, head), gate_of(mode="prove"))
    assert decision.conclusion == "not_evaluated"


DAY = datetime.date(2026, 5, 4)


@pytest.mark.parametrize(("days", "why"), [(0, ""), (7, ""), (8, "8 days old"), (-1, "-1 days old")])
def test_recordings_are_valid_for_a_week(days: int, why: str) -> None:
    found = why_too_old(DAY, DAY + datetime.timedelta(days=days))
    assert (why in found) if why else found == ""


@pytest.mark.parametrize(
    ("recorded", "live", "told"),
    [
        ({"m-1"}, {"m-1"}, ""),
        ({"m-1"}, set[str](), ""),
        (set[str](), {"m-1"}, ""),
        ({"m-1"}, {"m-2"}, "m-1, m-2"),
    ],
)
def test_other_models_void_recordings(recorded: set[str], live: set[str], told: str) -> None:
    found = other_models(frozenset(recorded), frozenset(live))
    assert (told in found) if told else found == ""


def _doubted(marks: str, gate: Gate | None = None, **models: str) -> tuple[str, str]:
    """Why one live round with these marks doubts, and voids, a base recorded as always passing, beside a head alike."""
    plan = replace(plan_of(10, sequential=True), rounds=(), base_recorded=10)
    rounds = recorded_rounds(plan, [(case, 10) for case in CASES], sentinel=True)
    plan = replace(plan, rounds=(*rounds, *first_rounds(plan, CASES, NEW)))
    evidence = Evidence(
        frozenset(plan.keys()),
        frozenset(CASES),
        recordings=frozenset(plan.keys_of("recorded")),
        sentinel=frozenset(plan.keys_of("sentinel")),
    )
    for key in plan.keys_of("recorded"):
        evidence.add(Grade(*key, "completed", passed=True, cached=True))
    for key, mark in zip(plan.keys_of("sentinel"), marks, strict=True):
        evidence.add(Grade(*key, "completed", passed=mark == "1"))
    for key in plan.keys_of("regular"):
        evidence.add(Grade(*key, "completed", passed=True))
    recorded, live = frozenset({"m-1"}), frozenset({models.get("live", "m-1")})
    doubt = why_doubtful(evidence, gate or gate_of(), recorded=recorded, live=live)
    return doubt, why_void(evidence, recorded=recorded, live=live)


def test_a_sentinel_like_the_recordings_doubts_nothing() -> None:
    assert _doubted("1" * 20) == ("", "")


def test_a_sentinel_that_differs_and_other_models_void_them() -> None:
    assert all("differ" in why for why in _doubted("1" * 14 + "0" * 6))
    assert all("m-2" in why for why in _doubted("1" * 20, live="m-2"))


def test_a_target_that_the_head_misses_is_held_against_a_live_base_alone() -> None:
    gate = gate_of().model_copy(update={"metrics": {"pass_rate": MetricGate(target=0.6)}})
    plan = _plan(3)
    evidence = _evidence(plan, EVEN, Trials({}, suite_of(20, "000")))
    told = why_doubtful(evidence, gate, recorded=frozenset(), live=frozenset())
    assert told == "the head misses the target of pass_rate"
    assert why_void(evidence, recorded=frozenset(), live=frozenset()) == ""


def test_doubt_has_the_base_run_whatever_the_look_says() -> None:
    plan = _plan(3)
    evidence = _evidence(plan, EVEN, Trials({}, suite_of(20, "111")))
    assert next_rounds(plan, evidence, gate_of(), NEW) == ()
    evidence.doubt = "other models answered"
    assert [round_.kind for round_ in next_rounds(plan, evidence, gate_of(), NEW)] == ["fresh_base"]
    decision = _decided(plan, evidence)
    assert (decision.conclusion, decision.reason) == ("not_evaluated", "other models answered")


def test_a_recording_that_is_gone_has_the_base_run() -> None:
    plan = replace(_plan(3), rounds=recorded_rounds(_plan(3), [("case-000", 1)], sentinel=False))
    evidence = Evidence(
        frozenset(plan.keys()), frozenset(CASES), recordings=frozenset(plan.keys_of("recorded"))
    )
    assert "missing" in why_doubtful(evidence, gate_of(), recorded=frozenset(), live=frozenset())
    assert evidence.status_counts()["missing"] == 1


def test_recordings_and_sentinels_have_slots_of_their_own() -> None:
    recorded, sentinel = recorded_rounds(_plan(3), [("b", 2), ("a", 1)], sentinel=True)
    assert [(key.case, key.slot - RECORDED_OFFSET) for key in recorded.trials] == [
        ("a", 1),
        ("b", 1),
        ("b", 2),
    ]
    assert [(key.case, key.slot - SENTINEL_OFFSET) for key in sentinel.trials] == [("a", 1), ("b", 1)]
    assert (recorded.kind, sentinel.kind) == ("recorded", "sentinel")


@pytest.mark.parametrize(
    ("metric", "changes", "may"),
    [
        ("pass_rate", {}, True),
        ("latency_s", {}, False),
        ("judge_trajectory", {}, False),
        ("pass_rate", {"shard": "1/2"}, False),
        ("pass_rate", {"activity": "aa"}, False),
        ("pass_rate", {"base": None}, False),
        ("pass_rate", {"same_agent": True}, False),
    ],
)
def test_where_a_base_may_be_recorded(metric: str, changes: dict[str, object], *, may: bool) -> None:
    plan = replace(plan_of(10, sequential=True), **changes)
    assert may_be_recorded(plan, gate_of(metric)) is may


def test_the_report_says_what_was_spared_or_why_nothing_was() -> None:
    plan = _plan(3)
    rounds = recorded_rounds(plan, [(case, 10) for case in CASES], sentinel=True)
    plan = replace(plan, rounds=(*rounds, *plan.rounds), recorded_since="2026-05-01")
    told = recorded_told(plan, "")
    assert told is not None
    assert (told.slots, told.spared, told.run_because) == (10, 40, "")
    assert recorded_alert(told) == (
        "The base comes from recordings, 10 trials a case, the oldest of 2026-05-01: they spared 40 trials, and the head "
        "is compared with them. They can let a head pass and never fail it: what looks worse is run again on a live base "
        "first. To run the base whatever is recorded, give `--no-store`."
    )
    plan = replace(plan, rounds=(*plan.rounds, Round(2_000, (), "fresh_base")))
    told = recorded_told(plan, "other models answered")
    assert told is not None
    assert (told.spared, told.run_because) == (0, "other models answered")
    assert recorded_alert(told) == (
        "Recorded trials of the base could have spared running it, but it was run all the same, because other models "
        "answered. Only what was run decides; there is nothing to do."
    )
    told = recorded_told(plan, "")
    assert told is not None
    assert "because beside its recordings the head looked worse. Only" in recorded_alert(told)
    assert recorded_told(replace(plan, base_recorded=0), "") is None


def _fires(lost: float, count: int) -> float:
    fired = 0
    for number in range(count):
        generator = generator_of(number)
        rates = drawn_rates("mature", 20, generator)
        recorded = Arm({"pass_rate": drawn_passes(rates, 20, generator)})
        live = Arm({"pass_rate": drawn_passes(rates * (1.0 - lost), 1, generator)})
        fired += sentinel_fires(ArrayView(Arms(recorded, live)).sample("pass_rate"))
    return fired / count


def test_the_sentinel_throws_recordings_away_for_nothing_once_in_a_hundred() -> None:
    assert _fires(0.0, 400) <= 0.01 + 3 * (0.01 * 0.99 / 400) ** 0.5


def test_the_sentinel_sees_a_broken_provider() -> None:
    assert _fires(0.6, 100) > 0.9
