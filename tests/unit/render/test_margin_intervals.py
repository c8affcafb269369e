"""A verdict that rests on the margin shows the interval it rests on, where the row shows that of a look."""

from __future__ import annotations

from dataclasses import replace

from gatebot.core.course import course_of
from gatebot.core.decide import decide
from gatebot.core.reporting import Context, build_report
from gatebot.model.report import Report
from gatebot.render.comment import render_comment
from gatebot.render.summary import terminal_summary
from tests.unit.core.grades import Trials, evidence_of, gate_of, plan_of, suite_of

LEAD = "The margin is judged by the 90% interval:"


def _report(*, sequential: bool) -> Report:
    plan, gate = plan_of(10, sequential=sequential), gate_of()
    suite = suite_of(12, "1" * 10)
    evidence = evidence_of(Trials(suite, suite))
    return build_report(evidence, decide(evidence, gate, course_of(plan, gate)), Context(plan, gate, "0"))


def test_a_look_shows_beside_its_own_interval_the_one_of_the_margin() -> None:
    report = _report(sequential=True)
    (metric,) = (metric for metric in report.metrics if metric.gating)
    assert metric.verdict == "unchanged"
    assert metric.margin is not None
    assert metric.interval is not None
    assert metric.margin_interval is not None
    assert metric.confidence is not None
    assert metric.confidence > 0.9
    assert metric.interval[0] < metric.margin_interval[0]
    assert metric.margin_interval[0] > -metric.margin
    reach = f"{abs(metric.margin_interval[0]) * 100:.1f}"
    (line,) = (line for line in render_comment(report, {}).splitlines() if LEAD in line)
    assert f"`pass_rate` −{reach} to +{reach}." in line
    (told,) = (line for line in terminal_summary(report) if LEAD in line)
    assert told == f"{LEAD} pass_rate −{reach} to +{reach}."


def test_with_one_look_the_row_shows_it_already() -> None:
    report = _report(sequential=False)
    assert all(metric.margin_interval is None for metric in report.metrics)
    assert LEAD not in render_comment(report, {})


def test_a_metric_that_informs_has_no_margin_to_judge() -> None:
    report = _report(sequential=True)
    informing = tuple(replace(metric, gating=False) for metric in report.metrics)
    assert LEAD not in render_comment(replace(report, metrics=informing), {})
