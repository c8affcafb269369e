"""Each line of the policy changes what it says and nothing else: margin, min_effect, direction, scale, quarantine, mode."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gatebot.core.course import course_of
from gatebot.core.decide import decide
from gatebot.core.decision import Decision
from gatebot.model.config import Gate, MetricGate
from gatebot.model.score import Score
from gatebot.model.trial import Side
from tests.unit.core.grades import Trials, decided, evidence_of, gate_of, plan_of, suite_of, verdict_of

CASES = 20
Numbers = Sequence[float | None]


def _scored(name: str, base: Numbers, head: Numbers, *, marks: str = "11111") -> Trials:
    """Every case with these values of one metric, slot by slot; None = ungraded."""
    patterns = suite_of(CASES, marks)
    scores: dict[tuple[str, Side], list[dict[str, Score]]] = {}
    for case in patterns:
        scores[case, "base"] = [{name: Score(value)} for value in base]
        scores[case, "head"] = [{name: Score(value)} for value in head]
    return Trials(patterns, patterns, scores)


def _gate(name: str, **metric: float) -> Gate:
    return Gate(metrics={name: MetricGate.model_validate(metric)})


def _verdict(trials: Trials, gate: Gate) -> str:
    (name,) = gate.metrics
    return verdict_of(decided(trials, gate), name)


LESS_TOKENS = _scored("tokens", [100, 110, 90, 105, 95], [80, 88, 72, 84, 76])
MORE_TOKENS = _scored("tokens", [100, 110, 90, 105, 95], [120, 132, 108, 126, 114])


def test_direction_is_the_metric_s_own() -> None:
    assert _verdict(MORE_TOKENS, _gate("tokens")) == "regressed"
    assert _verdict(LESS_TOKENS, _gate("tokens")) == "improved"
    sharper = _scored("param_accuracy", [0.5, 0.6, 0.5, 0.6, 0.5], [0.9, 0.8, 0.9, 0.8, 0.9])
    duller = _scored("param_accuracy", [0.9, 0.8, 0.9, 0.8, 0.9], [0.5, 0.6, 0.5, 0.6, 0.5])
    assert _verdict(sharper, _gate("param_accuracy")) == "improved"
    assert _verdict(duller, _gate("param_accuracy")) == "regressed"


def test_min_effect_of_a_ratio_is_a_share_of_it() -> None:
    assert _verdict(MORE_TOKENS, _gate("tokens", min_effect=0.15)) == "regressed"
    assert _verdict(MORE_TOKENS, _gate("tokens", min_effect=0.25)) != "regressed"


def test_margins_of_differences_and_of_ratios() -> None:
    even = _scored("param_accuracy", [0.8, 0.9, 0.7, 0.8, 0.8], [0.8, 0.7, 0.9, 0.8, 0.8])
    assert _verdict(even, _gate("param_accuracy", margin=0.05)) == "unchanged"
    assert _verdict(even, _gate("param_accuracy", margin=0.005)) == "inconclusive"
    steady = _scored("tokens", [100, 120, 90, 105, 95], [120, 100, 95, 105, 90])
    assert _verdict(steady, _gate("tokens", margin=1.10)) == "unchanged"
    assert _verdict(steady, _gate("tokens", margin=1.01)) == "inconclusive"


def test_timeouts_stay_out_of_a_ratio_and_in_the_pass_rate() -> None:
    """The tokens of a trial that timed out say nothing; that it timed out is a failure, which the pass rate tells."""
    some = _scored("tokens", [100, 110, 90, 105, 95], [100, 110, 90, 105, None], marks="11111")
    decision = decided(some, _gate("tokens"))
    metric = next(metric for metric in decision.metrics if metric.name == "tokens")
    assert metric.comparison is not None
    assert metric.comparison.head == pytest.approx(metric.comparison.base, rel=0.02)
    assert metric.sample.ungraded == {"base": 0, "head": CASES}
    assert metric.judged.verdict == "unchanged"


def test_a_ratio_without_variation_and_difference_is_unchanged_without_a_test() -> None:
    same = _scored("tokens", [100] * 5, [100] * 5)
    decision = decided(same, _gate("tokens"))
    metric = next(metric for metric in decision.metrics if metric.name == "tokens")
    assert (metric.judged.verdict, metric.judged.reason) == ("unchanged", "no variation and no difference")


def test_constant_differences_that_cancel_are_not_no_difference() -> None:
    patterns = suite_of(2, "11111")
    values = {"case-000": (100.0, 200.0), "case-001": (200.0, 100.0)}
    scores: dict[tuple[str, Side], list[dict[str, Score]]] = {}
    for case, (base, head) in values.items():
        scores[case, "base"] = [{"tokens": Score(base)}] * 5
        scores[case, "head"] = [{"tokens": Score(head)}] * 5
    decision = decided(Trials(patterns, patterns, scores), _gate("tokens"))
    metric = next(metric for metric in decision.metrics if metric.name == "tokens")
    assert metric.judged.reason != "no variation and no difference"


def test_a_case_in_quarantine_is_shown_and_does_not_count() -> None:
    base = suite_of(CASES, "1" * 10)
    head = {**base, "case-007": "0" * 10}
    gate = gate_of()
    course = course_of(plan_of(10), gate)

    def outcome(gating: list[str]) -> Decision:
        return decide(evidence_of(Trials(base, head), gating=gating), gate, course)

    assert outcome(list(base)).conclusion == "fail"
    assert outcome([case for case in base if case != "case-007"]).conclusion == "pass"


def test_a_second_gating_metric_is_adjusted_for() -> None:
    one = decided(MORE_TOKENS, _gate("tokens"))
    two = decided(MORE_TOKENS, Gate(metrics={"tokens": MetricGate(), "pass_rate": MetricGate()}))
    alone = next(m.comparison for m in one.metrics if m.name == "tokens")
    beside = next(m.comparison for m in two.metrics if m.name == "tokens")
    assert alone is not None
    assert beside is not None
    assert (alone.adjustment, beside.adjustment) == ("none", "max-T")
    assert verdict_of(two, "tokens") == "regressed"
    assert verdict_of(two, "pass_rate") == "unchanged"


def test_what_only_informs_closes_nothing() -> None:
    decision = decided(MORE_TOKENS)
    assert decision.conclusion == "pass"
    assert verdict_of(decision, "tokens") == "regressed"


@pytest.mark.parametrize(
    ("mode", "conclusion"), [("detect", "inconclusive"), ("prove", "fail"), ("observe", "pass")]
)
def test_modes_part_where_nothing_is_shown(mode: str, conclusion: str) -> None:
    thin = Trials(suite_of(4, "111"), suite_of(4, "110"))
    assert decided(thin, gate_of(mode=mode)).conclusion == conclusion


def test_a_larger_alpha_is_a_larger_level() -> None:
    looks = [decided(MORE_TOKENS, gate_of(alpha=alpha)).looks[-1].look.level for alpha in (0.01, 0.05, 0.10)]
    assert looks == sorted(looks)
