"""Has the world changed? Proven at half a per cent a direction, gone only when nothing points to it any more."""

from __future__ import annotations

import random

import pytest

from gatebot.core.course import course_of
from gatebot.core.decide import decide
from gatebot.core.decision import Decision
from gatebot.core.drift import GONE_ALPHA, drift_gate, drift_of
from gatebot.model.drift import PROVEN_ALPHA, Drift
from gatebot.model.gate import Gate, MetricGate
from gatebot.model.metric import USER_JUDGE_PREFIX
from tests.unit.core.grades import Trials, evidence_of, plan_of, suite_of


def drift(trials: Trials, gate: Gate | None = None) -> Drift:
    evidence = evidence_of(trials)

    def decided(alpha: float) -> Decision:
        judged = drift_gate(gate or Gate(), alpha)
        assert judged is not None
        return decide(evidence, judged, course_of(plan_of(10, sequential=False), judged))

    return drift_of(decided(PROVEN_ALPHA), decided(GONE_ALPHA))


GOOD, BAD = suite_of(8, "1111111111"), suite_of(8, "00000")


def test_all_that_broke_is_a_drift_for_the_worse() -> None:
    found = drift(Trials(GOOD, BAD))
    assert (found.kind, found.worse, found.better) == ("changed", ("pass_rate",), ())
    assert found.reason == "pass_rate got worse"


def test_all_that_healed_is_a_drift_for_the_better() -> None:
    found = drift(Trials(suite_of(8, "0000000000"), suite_of(8, "11111")))
    assert (found.kind, found.worse, found.better) == ("changed", (), ("pass_rate",))


def test_the_same_is_no_drift() -> None:
    assert drift(Trials(GOOD, suite_of(8, "11111"))).kind == "same"


def test_one_case_that_broke_among_many_is_a_drift_and_one_that_wavers_is_not() -> None:
    stored = suite_of(20, "1111111111")
    found = drift(Trials(stored, suite_of(20, "11111") | {"case-007": "00000"}))
    assert (found.kind, found.worse) == ("changed", ("pass_rate",))
    assert drift(Trials(stored, suite_of(20, "11111") | {"case-007": "11011"})).kind == "same"


def test_what_is_not_proven_and_not_excluded_is_unclear() -> None:
    stored = suite_of(8, "1111111111")
    names = sorted(stored)
    fresh = suite_of(8, "11111") | {names[0]: "00111", names[1]: "01111"}
    found = drift(Trials(stored, fresh))
    assert found.kind == "unclear"
    assert "may be chance" in found.reason


def test_too_much_lost_is_not_evaluated() -> None:
    found = drift(Trials(GOOD, suite_of(8, "!!!11")))
    assert found.kind == "not_evaluated"
    assert found.reason


def test_targets_and_observing_make_no_drift() -> None:
    """A target that the stored results miss as well is no change of the world."""
    strict = Gate(mode="observe", metrics={"pass_rate": MetricGate(target=1.0, inherited="fail")})
    low = suite_of(8, "1010101010")
    assert drift(Trials(low, suite_of(8, "10101")), strict).kind == "same"
    assert drift(Trials(GOOD, BAD), strict).kind == "changed"


def test_the_gate_of_a_drift_keeps_the_suite_s_metrics_and_nothing_that_is_judged() -> None:
    judged = f"{USER_JUDGE_PREFIX}tone"
    both = Gate().model_copy(
        update={
            "metrics": {
                "pass_rate": MetricGate(margin=0.2, target=0.9, min_effect=0.1),
                judged: MetricGate(),
            }
        }
    )
    found = drift_gate(both)
    assert found is not None
    assert found.metrics == {"pass_rate": MetricGate(margin=0.2, min_effect=0.1)}
    assert (found.alpha, found.mode) == (PROVEN_ALPHA, "detect")
    assert drift_gate(both.model_copy(update={"metrics": {judged: MetricGate()}})) is None


@pytest.mark.parametrize("rate", [0.5, 0.8])
def test_an_unchanged_world_hardly_ever_changes(rate: float) -> None:
    """Of a hundred scheduled runs one at most may prove a change; 120 are drawn here, with a bound that chance leaves."""
    drawn = random.Random(f"drift at {rate}")

    def suite(slots: int) -> dict[str, str]:
        return {case: "".join("01"[drawn.random() < rate] for _ in range(slots)) for case in suite_of(6, "")}

    changed = sum(drift(Trials(suite(10), suite(5))).kind == "changed" for _ in range(120))
    assert changed <= 5
