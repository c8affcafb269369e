"""A metric that regressed without costing a pass names the cases that lost most of it."""

from __future__ import annotations

from gatebot.model.score import Score
from gatebot.model.trial import Side
from gatebot.render.phrases import label_of, worse_cases
from tests.unit.core.grades import Trials, gate_of, reported, suite_of


def test_cases_that_lost_most_of_a_metric_are_named() -> None:
    passes = suite_of(12, "11111")
    scores: dict[tuple[str, Side], list[dict[str, Score]]] = {}
    for number, case in enumerate(passes):
        scores[case, "base"] = [{"convergence": Score(1.0)}] * 5
        scores[case, "head"] = [{"convergence": Score(1.0 if number < 6 else 0.9 - 0.05 * number)}] * 5
    report = reported(Trials(passes, passes, scores), gate_of("pass_rate", "convergence"))
    assert report.conclusion == "fail"
    chosen = worse_cases(report)
    assert [case.id for case in chosen] == [f"case-{number:03}" for number in (11, 10, 9, 8, 7)]
    assert chosen[0].reason == "convergence 100% → 35%"
    assert label_of(chosen[0]) == "passes; convergence worse"
