"""Verdicts and conclusions: what closes the gate, what never does, and what is missing."""

from __future__ import annotations

import orjson
import pytest

from gatebot.core.decision import target_missed
from gatebot.core.foregone import decided_without_trials
from gatebot.core.one_side import decide_one_side
from gatebot.model.config import Gate, MetricGate
from gatebot.model.plan import SideInfo
from gatebot.model.score import Score
from tests.unit.core.grades import (
    Trials,
    decided,
    evidence_of,
    gate_of,
    plan_of,
    reported,
    suite_of,
    verdict_of,
)


def test_a_broad_drop_regresses_and_fails() -> None:
    decision = decided(Trials(suite_of(20, "11111"), suite_of(20, "10110")))
    assert decision.conclusion == "fail"
    assert verdict_of(decision) == "regressed"
    assert decision.reason == "pass_rate regressed"


def test_equal_sides_with_enough_evidence_pass() -> None:
    decision = decided(Trials(suite_of(20, "11111"), suite_of(20, "11111")))
    assert (decision.conclusion, verdict_of(decision)) == ("pass", "unchanged")


def test_equal_sides_with_little_evidence_are_inconclusive_not_passed() -> None:
    decision = decided(Trials(suite_of(3, "111"), suite_of(3, "111")))
    assert (decision.conclusion, verdict_of(decision)) == ("inconclusive", "inconclusive")


def test_all_pass_ten_by_three_proves_ten_points_but_not_five() -> None:
    trials = Trials(suite_of(10, "111"), suite_of(10, "111"))
    five = Gate(metrics={"pass_rate": MetricGate(margin=0.05)})
    assert decided(trials).conclusion == "pass"
    assert decided(trials, five).conclusion == "inconclusive"


def test_an_improvement_never_fails() -> None:
    decision = decided(Trials(suite_of(20, "10110"), suite_of(20, "11111")))
    assert (decision.conclusion, verdict_of(decision)) == ("pass", "improved")


def test_one_broken_case_is_convicted_where_seeds_allow_it() -> None:
    base = suite_of(20, "1" * 10)
    head = {**base, "case-007": "0" * 10}
    decision = decided(Trials(base, head))
    assert decision.singles.regressed == {"case-007"}
    assert decision.conclusion == "fail"


def test_three_seeds_cannot_convict_a_single_case_and_give_its_alpha_to_the_mean() -> None:
    base = suite_of(20, "111")
    decision = decided(Trials(base, {**base, "case-007": "000"}))
    assert not decision.singles.regressed
    assert decision.looks[-1].look.level == pytest.approx(0.05)


def test_prove_mode_fails_what_it_cannot_show() -> None:
    trials = Trials(suite_of(3, "111"), suite_of(3, "111"))
    assert decided(trials, gate_of(mode="prove")).conclusion == "fail"
    assert (
        decided(Trials(suite_of(40, "1" * 10), suite_of(40, "1" * 10)), gate_of(mode="prove")).conclusion
        == "pass"
    )


def test_observe_mode_passes_and_says_what_it_would_have_done() -> None:
    decision = decided(Trials(suite_of(20, "11111"), suite_of(20, "00000")), gate_of(mode="observe"))
    assert (decision.conclusion, decision.would_have) == ("pass", "fail")


def test_min_effect_keeps_a_small_proven_drop_from_closing_the_gate() -> None:
    trials = Trials(suite_of(200, "1" * 10), {**suite_of(200, "1" * 10), **suite_of(30, "1111111110")})
    strict = Gate(metrics={"pass_rate": MetricGate(min_effect=0.05)})
    assert decided(trials).conclusion == "fail"
    assert decided(trials, strict).conclusion != "fail"


@pytest.mark.parametrize("mark", ["!", "."])
def test_too_much_missing_on_one_side_is_not_evaluated(mark: str) -> None:
    head = {**suite_of(20, "11111"), **suite_of(5, "1" + mark * 4)}
    decision = decided(Trials(suite_of(20, "11111"), head))
    assert decision.conclusion == ("pass" if 20 / 100 <= 0.20 else "not_evaluated")
    worse = {**head, "case-006": mark + "1111"}
    assert decided(Trials(suite_of(20, "11111"), worse)).conclusion == "not_evaluated"


def test_a_case_without_a_completed_trial_is_not_evaluated() -> None:
    base = suite_of(20, "11111")
    decision = decided(Trials(base, {**base, "case-003": "!!!!!"}))
    assert decision.conclusion == "not_evaluated"
    assert "case-003" in decision.reason


def test_a_regression_is_not_hidden_by_missing_trials() -> None:
    base = suite_of(20, "11111")
    head = {**suite_of(20, "00000"), "case-003": "!!!!!"}
    assert decided(Trials(base, head)).conclusion == "fail"


def test_a_stop_is_not_evaluated_unless_it_failed() -> None:
    even = Trials(suite_of(20, "11111"), suite_of(20, "11111"))
    assert decided(even, stopped="budget: 10 trials").conclusion == "not_evaluated"
    worse = Trials(suite_of(20, "11111"), suite_of(20, "00000"))
    assert decided(worse, stopped="budget: 10 trials").conclusion == "fail"


def test_a_gating_metric_nobody_graded_is_not_evaluated() -> None:
    decision = decided(Trials(suite_of(20, "11111"), suite_of(20, "11111")), gate_of("pass_rate", "tokens"))
    assert decision.conclusion == "not_evaluated"
    assert "tokens" in decision.reason


def _with_scores(ungraded: Score) -> Trials:
    base = suite_of(10, "11111")
    rows = [{"param_accuracy": Score(1.0)}] * 5
    bad = [{"param_accuracy": Score(1.0)}] * 2 + [{"param_accuracy": ungraded}] * 3
    scores = {(case, "base"): rows for case in base}
    return Trials(base, base, {**scores, **{(case, "head"): bad for case in base}})  # pyright: ignore[reportArgumentType]


def test_a_gating_metric_ungraded_in_more_than_a_fifth_is_not_evaluated() -> None:
    gate = gate_of("pass_rate", "param_accuracy")
    decision = decided(_with_scores(Score(None, "usage unknown")), gate)
    assert verdict_of(decision, "param_accuracy") == "not_evaluated"
    assert decision.conclusion == "not_evaluated"


def test_what_the_case_itself_rules_out_is_not_missing_evidence() -> None:
    gate = gate_of("pass_rate", "param_accuracy")
    decision = decided(_with_scores(Score(None, "nothing expected, nothing called", by_design=True)), gate)
    assert verdict_of(decision, "param_accuracy") != "not_evaluated"


def test_targets_fail_on_the_interval_and_warn_on_the_point() -> None:
    target = Gate(metrics={"pass_rate": MetricGate(target=0.9)})
    base = suite_of(20, "11111")
    missed = decided(Trials(base, suite_of(20, "11000")), target)
    assert "target of pass_rate is missed" in missed.reason
    near = {**base, **suite_of(12, "11110")}
    below = decided(Trials(near, near), target)
    metric = next(m for m in below.metrics if m.name == "pass_rate")
    assert metric.target is not None
    assert metric.target.verdict == "below"
    assert below.conclusion != "fail"


def test_a_target_the_base_misses_too_warns_unless_told_to_fail() -> None:
    poor = Trials(suite_of(20, "11000"), suite_of(20, "11000"))
    warn = Gate(metrics={"pass_rate": MetricGate(target=0.9)})
    fail = Gate(metrics={"pass_rate": MetricGate(target=0.9, inherited="fail")})
    assert decided(poor, warn).conclusion != "fail"
    assert decided(poor, fail).conclusion == "fail"
    assert any("and so did the base" in alert for alert in reported(poor, warn).alerts)


def test_setup_failures_decide_without_trials() -> None:
    ok, bad = (
        SideInfo("a", "t", "x", setup="ok"),
        SideInfo("b", "u", "y", setup="failed", setup_reason="no pip"),
    )
    plan = plan_of(5)

    def outcome(base: SideInfo, head: SideInfo) -> str:
        from dataclasses import replace

        found = decided_without_trials(replace(plan, base=base, head=head))
        assert found is not None
        return found[0]

    assert outcome(ok, bad) == "fail"
    assert outcome(bad, ok) == "not_evaluated"
    assert outcome(bad, bad) == "not_evaluated"


def test_one_side_alone_passes_without_targets_and_fails_a_missed_one() -> None:
    trials = Trials({}, suite_of(10, "11000"))
    evidence = evidence_of(trials, gating=list(trials.head))
    assert decide_one_side(evidence, gate_of(), side="head").conclusion == "pass"
    target = Gate(metrics={"pass_rate": MetricGate(target=0.9)})
    assert decide_one_side(evidence, target, side="head").conclusion == "fail"
    first = decide_one_side(evidence, target, side="head", no_baseline="no baseline yet")
    assert first.conclusion == "pass"


def test_several_missed_targets_are_targets() -> None:
    assert target_missed(["a"]) == "the target of a is missed"
    assert target_missed(["a", "b"]) == "the targets of a, b are missed"


def test_case_labels() -> None:
    base = {
        **suite_of(20, "1" * 10),
        "dropped": "1" * 10,
        "shaky": "1110111111",
        "rose": "0" * 10,
        "fell": "1111111110",
    }
    head = {**base, "dropped": "0" * 10, "rose": "1" * 10, "fell": "1010000100"}
    labels = {case.id: case.label for case in reported(Trials(base, head)).cases}
    assert labels["dropped"] == "regressed"
    assert labels["fell"] in ("regressed", "suspect")
    assert labels["shaky"] == "flaky"
    assert labels["rose"] == "improved"
    assert labels["case-000"] == "stable"


def test_two_trials_make_no_suspect() -> None:
    base = suite_of(20, "11")
    labels = {case.id: case.label for case in reported(Trials(base, {**base, "case-001": "10"})).cases}
    assert labels["case-001"] == "stable" or labels["case-001"] == "flaky"
    assert "suspect" not in labels.values()


def test_the_report_holds_no_number_that_json_lacks() -> None:
    report = reported(Trials(suite_of(5, "111"), suite_of(5, "000")), gate_of("pass_rate", "tokens"))
    text = orjson.dumps(report).decode()
    assert "NaN" not in text
    assert "Infinity" not in text


def test_the_order_of_arrival_does_not_matter() -> None:
    trials = Trials(suite_of(12, "11010"), suite_of(12, "10010"))
    evidence, reversed_ = evidence_of(trials), evidence_of(trials)
    reversed_.rows.clear()
    for grade in reversed(trials.grades()):
        reversed_.add(grade)
    from gatebot.core.course import course_of
    from gatebot.core.decide import decide

    gate = gate_of()
    course = course_of(plan_of(5), gate)
    assert decide(evidence, gate, course) == decide(reversed_, gate, course)


def test_pass_hat_k_has_an_interval_where_two_trials_are_to_spare() -> None:
    found = reported(Trials(suite_of(10, "11011"), suite_of(10, "11111"))).pass_hat_k
    assert found.base is not None
    assert found.base["1"] == pytest.approx(0.8)
    assert list(found.base) == ["1", "2", "3", "4", "5"]
    assert list(found.base_intervals) == list(found.head_intervals) == ["1", "2", "3"]
    low, high = found.base_intervals["1"]
    assert low < 0.8 < high


@pytest.mark.parametrize(("name", "base", "head"), [("cost_usd", 0.01, 0.40), ("latency_s", 0.05, 0.35)])
def test_cents_and_milliseconds_are_seen(name: str, base: float, head: float) -> None:
    passes = suite_of(12, "11111")
    scores = {
        (case, side): [{name: Score(value)}] * 5
        for case in passes
        for side, value in (("base", base), ("head", head))
    }
    trials = Trials(passes, passes, scores)  # pyright: ignore[reportArgumentType]
    metric = next(m for m in reported(trials, gate_of("pass_rate", name)).metrics if m.name == name)
    assert metric.verdict == "regressed"
    assert metric.base == pytest.approx(base)
    assert metric.delta == pytest.approx(head / base)
