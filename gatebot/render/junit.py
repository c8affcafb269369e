"""junit.xml: one test for the gate, one per gating metric, one per case, for the many tools that read nothing else."""

from __future__ import annotations

from html import escape

from gatebot.model.report import CaseResult, MetricResult, Report
from gatebot.render.metric_rows import gating_metrics, metric_row
from gatebot.render.phrases import as_line, heading, label_of, passes, what_happened
from gatebot.render.visible import visible


def render_junit(report: Report) -> str:
    """The report as JUnit XML. A failure is what closes the gate; a conclusion `not_evaluated` is an error."""
    tests = [
        _gate(report),
        *(_metric(metric) for metric in gating_metrics(report)),
        *(_case(case) for case in report.cases),
    ]
    failed = sum("<failure" in test for test in tests)
    skipped = sum("<skipped" in test for test in tests)
    errors = sum("<error" in test for test in tests)
    totals = f'tests="{len(tests)}" failures="{failed}" errors="{errors}" skipped="{skipped}"'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="gatebot" {totals}>\n'
        f'  <testsuite name="{_attribute(report.suite)}" {totals}>\n'
        + "".join(tests)
        + "  </testsuite>\n</testsuites>\n"
    )


def _gate(report: Report) -> str:
    """The conclusion itself, for what no single metric or case shows (a head that does not install)."""
    told = _attribute(f"{heading(report)}. {report.reason}")
    if report.conclusion == "fail":
        return _test("gate", "conclusion", f'<failure type="fail" message="{told}"/>')
    if report.conclusion == "not_evaluated":
        return _test("gate", "conclusion", f'<error type="not_evaluated" message="{told}"/>')
    return _test("gate", "conclusion", "")


def _case(case: CaseResult) -> str:
    told = f"{passes(case)}, {label_of(case)}. {as_line(what_happened(case))}".strip()
    if case.label == "regressed" and case.gating:
        return _test("case", case.id, f'<failure type="regressed" message="{_attribute(told)}"/>')
    if case.label in ("not_evaluated", "removed"):
        return _test("case", case.id, f'<skipped message="{_attribute(told)}"/>')
    return _test("case", case.id, "")


def _metric(metric: MetricResult) -> str:
    row = metric_row(metric)
    told = f"{row.verdict}: {row.base} to {row.head}, change {row.change}, {row.threshold}. {metric.reason}".strip()
    if row.loud:
        kind = "regressed" if metric.verdict == "regressed" else "target"
        return _test("metric", metric.name, f'<failure type="{kind}" message="{_attribute(told)}"/>')
    if metric.verdict == "not_evaluated" and metric.target_result is None:
        return _test("metric", metric.name, f'<skipped message="{_attribute(told)}"/>')
    return _test("metric", metric.name, "")


def _test(kind: str, name: str, outcome: str) -> str:
    head = f'    <testcase classname="gatebot.{kind}" name="{_attribute(name)}"'
    return f"{head}>{outcome}</testcase>\n" if outcome else f"{head}/>\n"


def _attribute(untrusted: str) -> str:
    return escape(visible(untrusted, 500), quote=True)
