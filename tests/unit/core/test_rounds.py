"""The gate round by round: when it looks, stops, confirms, goes on, and what it refuses to conclude."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatebot.core.course import course_of
from gatebot.core.decide import decide
from gatebot.core.decision import Decision
from gatebot.core.looks import look_plan
from gatebot.core.rounds import CONFIRM_OFFSET, first_rounds, next_rounds, seed_plan
from gatebot.model.config import Gate, Seeds
from gatebot.model.plan import Plan, Round
from tests.unit.core.grades import Trials, evidence_of, gate_of, plan_of, suite_of, verdict_of

NEW: frozenset[str] = frozenset()


def _plan(rounds: int) -> Plan:
    return plan_of(10, sequential=True, rounds=rounds)


def _decide(
    trials: Trials, rounds: int, *, confirming: Trials | None = None, gate: Gate | None = None
) -> Decision:
    gate = gate or gate_of()
    return decide(evidence_of(trials, confirming=confirming), gate, course_of(_plan(rounds), gate))


def test_the_shipped_levels() -> None:
    looks = look_plan(gate_of(), 10, sequential=True).looks
    assert [(look.rounds, look.level, look.futility) for look in looks] == [
        (3, 0.0032, 0.5),
        (5, 0.0070, 0.4),
        (7, 0.0127, 0.3),
        (10, 0.0270, None),
    ]


def test_without_single_cases_the_mean_has_the_whole_alpha() -> None:
    plan = look_plan(gate_of("trajectory_match"), 10, sequential=True)
    assert plan.case_level == 0
    assert plan.looks[-1].level > 0.0270


def test_seeds() -> None:
    assert seed_plan(Seeds(max=10), None, compared=True) == seed_plan(Seeds(max=10), None, compared=True)
    assert seed_plan(Seeds(max=10), None, compared=True).sequential
    assert not seed_plan(Seeds(max=6), None, compared=True).sequential
    assert not seed_plan(Seeds(max=10), 5, compared=True).sequential
    assert seed_plan(Seeds(max=10), None, compared=False).count == 5
    assert seed_plan(Seeds(fixed=7), None, compared=False).count == 7


def test_the_first_rounds_reach_the_first_look() -> None:
    rounds = first_rounds(replace(_plan(0), rounds=()), ["b", "a"], frozenset({"b"}))
    assert [round_.number for round_ in rounds] == [1, 2, 3]
    assert [(key.case, key.side, key.slot) for key in rounds[1].trials] == [
        ("a", "base", 2),
        ("a", "head", 2),
        ("b", "head", 2),
    ]


def _with_keys(plan: Plan, cases: list[str]) -> Plan:
    rounds = first_rounds(replace(plan, rounds=()), cases, NEW)
    return replace(plan, rounds=rounds)


def test_no_sign_of_a_drop_stops_after_three_rounds() -> None:
    trials = Trials(suite_of(20, "110"), suite_of(20, "110"))
    assert next_rounds(_plan(3), evidence_of(trials), gate_of(), NEW) == ()


def test_running_an_inconclusive_evaluation_again_goes_on() -> None:
    trials = Trials(suite_of(20, "110"), suite_of(20, "110"))
    plan = _with_keys(_plan(3), list(trials.base))
    more = next_rounds(plan, evidence_of(trials), gate_of(), NEW, beyond_no_sign=True)
    assert [round_.number for round_ in more] == [4, 5]


def test_a_hint_of_a_drop_goes_on_to_the_next_look() -> None:
    trials = Trials(suite_of(20, "111"), {**suite_of(20, "111"), "case-001": "110", "case-002": "110"})
    plan = _with_keys(_plan(3), list(trials.base))
    more = next_rounds(plan, evidence_of(trials), gate_of(), NEW)
    assert [round_.number for round_ in more] == [4, 5]


def test_a_suspect_gets_seven_fresh_trials_a_side_even_when_the_rest_has_stopped() -> None:
    head = {**suite_of(20, "110"), "case-001": "000", **{f"case-{n:03}": "111" for n in range(2, 8)}}
    trials = Trials({**suite_of(20, "110"), "case-001": "111"}, head)
    plan = _with_keys(_plan(3), list(trials.base))
    more = next_rounds(plan, evidence_of(trials), gate_of(), NEW)
    (confirm,) = [round_ for round_ in more if round_.kind == "confirm"]
    assert {key.case for key in confirm.trials} == {"case-001"}
    assert {key.slot for key in confirm.trials} == set(range(CONFIRM_OFFSET + 1, CONFIRM_OFFSET + 8))
    assert len(confirm.trials) == 14


def _suspect(fresh_head: str, rounds: str = "111") -> Decision:
    base = suite_of(20, rounds)
    confirming = Trials({"case-001": "1" * 7}, {"case-001": fresh_head}, first=CONFIRM_OFFSET + 1)
    return _decide(Trials(base, {**base, "case-001": "0" * len(rounds)}), len(rounds), confirming=confirming)


@pytest.mark.parametrize(("fresh", "convicted"), [("0000000", True), ("1110000", True), ("1111000", False)])
def test_fresh_trials_convict_from_seven_against_three_on(fresh: str, convicted: bool) -> None:
    assert bool(_suspect(fresh).singles.regressed) is convicted


def test_a_convicted_case_fails_the_gate_through_the_primary_metric() -> None:
    decision = _suspect("0000000")
    assert (decision.conclusion, verdict_of(decision)) == ("fail", "regressed")


def test_a_suspect_without_its_fresh_trials_is_not_evaluated() -> None:
    base = suite_of(40, "1110000000")
    head = {**base, "case-001": "0001111111"}
    decision = _decide(Trials(base, head), 10)
    assert decision.conclusion == "not_evaluated"
    assert "suspect" in decision.reason


def test_a_stop_the_data_do_not_justify_is_refused() -> None:
    trials = Trials(suite_of(20, "111"), {**suite_of(20, "111"), "case-001": "110", "case-002": "110"})
    decision = _decide(trials, 3)
    assert decision.conclusion == "not_evaluated"
    assert "asked for more" in decision.reason


def test_a_stop_before_the_first_look_is_refused() -> None:
    decision = _decide(Trials(suite_of(20, "11"), suite_of(20, "11")), 2)
    assert decision.conclusion == "not_evaluated"


def test_the_first_red_look_decides_whatever_came_after() -> None:
    trials = Trials(suite_of(20, "11111"), suite_of(20, "00011"))
    decision = _decide(trials, 5)
    assert decision.conclusion == "fail"
    assert len(decision.looks) == 1
    comparison = next(m.comparison for m in decision.metrics if m.name == "pass_rate")
    assert comparison is not None
    assert comparison.head == 0


def test_a_large_drop_stops_at_the_first_look() -> None:
    trials = Trials(suite_of(20, "111"), suite_of(20, "000"))
    plan = _with_keys(_plan(3), list(trials.base))
    more = next_rounds(plan, evidence_of(trials), gate_of(), NEW)
    assert [round_.kind for round_ in more] == ["confirm"]


def test_confirming_trials_do_not_enter_the_mean() -> None:
    base = suite_of(20, "111")
    confirming = Trials({"case-001": "1" * 7}, {"case-001": "1" * 7}, first=CONFIRM_OFFSET + 1)
    with_fresh = _decide(Trials(base, {**base, "case-001": "000"}), 3, confirming=confirming)
    without = _decide(Trials(base, {**base, "case-001": "000"}), 3)
    assert _delta(with_fresh) == _delta(without)


def _delta(decision: Decision) -> float:
    return next(m.comparison.delta for m in decision.metrics if m.name == "pass_rate" and m.comparison)


def test_prove_mode_stops_when_every_metric_is_shown() -> None:
    gate = gate_of(mode="prove")
    trials = Trials(suite_of(200, "111"), suite_of(200, "111"))
    plan = _with_keys(_plan(3), list(trials.base))
    assert next_rounds(plan, evidence_of(trials), gate, NEW) == ()
    few = Trials(suite_of(8, "111"), suite_of(8, "111"))
    assert next_rounds(_with_keys(_plan(3), list(few.base)), evidence_of(few), gate, NEW)


def test_fixed_seeds_never_ask_for_more() -> None:
    plan = plan_of(5)
    assert (
        next_rounds(plan, evidence_of(Trials(suite_of(3, "111"), suite_of(3, "110"))), gate_of(), NEW) == ()
    )


def test_generalize_needs_ten_cases() -> None:
    gate = gate_of(scope="generalize")
    few = decide(
        evidence_of(Trials(suite_of(9, "11111"), suite_of(9, "11111"))), gate, course_of(plan_of(5), gate)
    )
    assert few.conclusion == "not_evaluated"
    worse = decide(
        evidence_of(Trials(suite_of(12, "11111"), suite_of(12, "11000"))), gate, course_of(plan_of(5), gate)
    )
    assert worse.conclusion == "fail"


def test_rounds_hold_their_number() -> None:
    assert Round(1, ()).kind == "regular"
