"""Playing on arrays is the gate itself: rounds, trials and verdict equal those of the gate fed with grades."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from gatebot.core.course import course_of
from gatebot.core.decide import decide
from gatebot.core.decision import Decision
from gatebot.core.evidence import Evidence
from gatebot.core.playing import Arms, play
from gatebot.core.rounds import CONFIRM_OFFSET, first_rounds, next_rounds
from gatebot.core.stats.drawing import Planted
from gatebot.model.config import Gate
from gatebot.model.plan import Plan
from gatebot.model.score import Grade, Score
from gatebot.model.trial import TrialKey
from tests.calibration.pull_requests import GATE, ROUNDS, THREE_METRICS, gated, pull_request, several_metrics
from tests.unit.core.grades import plan_of

NEW: frozenset[str] = frozenset()
CASES = 8


def _grade(arms: Arms, key: TrialKey) -> Grade:
    arm = arms.of(key.side)
    case = int(key.case)
    if key.slot > CONFIRM_OFFSET:
        assert arm.fresh is not None
        passed = bool(arm.fresh[case, key.slot - CONFIRM_OFFSET - 1])
        return Grade(key.case, key.side, key.slot, "completed", passed)
    scores: dict[str, Score] = {}
    for name, values in arm.values.items():
        value = float(values[case, key.slot - 1])
        scores[name] = Score(None, by_design=True) if math.isnan(value) else Score(value)
    return Grade(key.case, key.side, key.slot, "completed", scores["pass_rate"].value == 1.0, scores=scores)


def _recorded(arms: Arms) -> list[Grade]:
    if arms.recorded is None:
        return []
    passes = arms.recorded.values["pass_rate"]
    return [
        Grade(f"{case:06}", "base", slot + 1, "completed", bool(passes[case, slot]), cached=True)
        for case in range(CASES)
        for slot in range(passes.shape[1])
    ]


def _by_grades(arms: Arms, gate: Gate) -> tuple[Decision, int, int]:
    """Round after round as a command does it; the decision, the regular rounds, the trials run."""
    recorded = 0 if arms.recorded is None else arms.recorded.values["pass_rate"].shape[1]
    plan: Plan = replace(plan_of(ROUNDS, sequential=True), rounds=(), base_recorded=recorded)
    more = first_rounds(plan, [f"{case:06}" for case in range(CASES)], NEW)
    while more:
        plan = replace(plan, rounds=(*plan.rounds, *more))
        keys = plan.keys()
        evidence = Evidence(
            frozenset(keys),
            frozenset(f"{case:06}" for case in range(CASES)),
            frozenset(plan.confirming()),
        )
        for grade in (*_recorded(arms), *(_grade(arms, key) for key in keys)):
            evidence.add(grade)
        more = next_rounds(plan, evidence, gate, NEW)
    return decide(evidence, gate, course_of(plan, gate)), plan.regular_rounds(), len(plan.keys())  # pyright: ignore[reportPossiblyUnboundVariable]


@pytest.mark.parametrize("planted", ["none", "one broken", "15 % less"])
@pytest.mark.parametrize("recorded", [0, 10])
def test_the_same_rounds_trials_and_verdict(planted: Planted, recorded: int) -> None:
    reds = 0
    for number in range(20):
        arms = pull_request(CASES, "mature", number, planted, recorded=recorded)
        decision, rounds, trials = _by_grades(arms, GATE)
        played = gated(arms)
        assert (played.rounds, played.trials) == (rounds, trials)
        assert played.red == (decision.conclusion == "fail")
        assert decision.conclusion != "not_evaluated"
        reds += played.red
    assert reds > 5 or planted != "one broken"


def test_the_same_with_several_metrics() -> None:
    for number in range(3):
        arms = several_metrics(CASES, "U", number, 0.5)
        decision, rounds, trials = _by_grades(arms, THREE_METRICS)
        played = play(arms, THREE_METRICS, rounds=ROUNDS, sequential=True)
        assert (played.rounds, played.trials) == (rounds, trials)
        assert [look.smallest_p for look in played.state.results] == [
            look.smallest_p for look in decision.looks
        ]
