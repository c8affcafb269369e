"""The run in a terminal, on one side alone, and as JUnit."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from gatebot.model.report import CaseResult, Failure, FailureShare, Report, SideCount
from gatebot.model.score import Divergence
from gatebot.render.junit import render_junit
from gatebot.render.metric_rows import metric_row
from gatebot.render.one_side import render_one_side
from gatebot.render.phrases import as_line, heading, label_of, step_of
from gatebot.render.summary import terminal_summary
from tests.unit.render import builders
from tests.unit.render.dom import OURS, page
from tests.unit.render.hostile import HOSTILE
from tests.unit.render.test_comment import REPORTS, poisoned


def test_the_red_summary_reads_like_this() -> None:
    assert terminal_summary(builders.red(), "gatebot-results/report.json") == (
        "gatebot · support-agent: blocked: 2 metrics and 1 case regressed",
        "pass_rate fell from 95.5% to 79.1%, tokens rose by 23%, and refund-07 passes 1 of 5 trials instead of 5.",
        "Fix refund-07; or, if the new behaviour is intended, have a maintainer accept it. To accept it: gatebot accept.",
        "",
        "note: The pull request changes gate.metrics in gatebot.yaml: it counts after the merge.",
        "",
        "  metric               base   head  change (90% interval)        threshold                    verdict",
        "  pass_rate ↑         95.5%  79.1%  −16.4 pts (−24 to −9)        margin 10 pts                REGRESSED",
        "  tokens ↓            1,240  1,525  ×1.23 (×1.12 to ×1.35)       margin ×1.25                 REGRESSED",
        "  convergence ↑         88%    79%  not significant (−19 to +1)  margin 10 pts, target ≥ 80%  not proven; misses target, may be chance",
        "  trajectory_match ↑    93%    91%  not significant (−7 to +3)   margin 10 pts                unchanged",
        "",
        "Cases that got worse",
        '  refund-07        5/5 → 1/5  regressed                                  step 2: refund(order="A-7", amount=125), golden refund(order="A-7", amount=12.5)',
        '  sla-status-page  5/5 → 3/5  dropped, too few trials to prove it alone  step 3: missing web_search(query="status page")',
        "  ambiguous-order  4/5 → 3/5  flaky",
        "",
        "head 9ab8c7d against base 5f0c1d2 · 22 cases × 5 trials per side · 1 of 215 trials lost to infrastructure · $0.47 · 290k tokens · 3 min 32 s of agent time",
        "report: gatebot-results/report.json",
    )


@pytest.mark.parametrize("name", REPORTS)
def test_every_summary_says_conclusion_cost_and_place(name: str) -> None:
    lines = terminal_summary(REPORTS[name], "out/report.json")
    assert lines[0].startswith("gatebot · support-agent: ")
    assert "$0.47" in lines[-2]
    assert lines[-1] == "report: out/report.json"
    assert "no regression" not in "\n".join(lines)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_terminal_and_a_runner_obey_nothing(text: str) -> None:
    report, _ = poisoned(text)
    for line in terminal_summary(report, f"out/{text}"):
        assert "\n" not in line
        line.encode("utf-8")
        assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for char in line)
        assert not re.search(r"^\s*::|##\[", line)


def test_one_side_shows_values_and_reliability() -> None:
    rendered = render_one_side(builders.first())
    assert "| `pass_rate` ↑ | 79.1% |" in rendered
    assert "| 2 | 93% (no interval) | 99% (no interval) |" in rendered
    assert "| `case-00` | **2/5** |" in rendered
    assert "| metric | value | target | verdict |" in rendered
    assert "not significant" not in rendered
    assert {tag.strip("/") for tag in page(rendered).tags} <= OURS


def alone(passed: int, **more: object) -> Report:
    """A run of one case on the head alone, of which so many of five trials passed."""
    case = CaseResult(
        "greet",
        "new",
        SideCount(0, 0),
        SideCount(passed, 5),
        failure=None if passed else Failure("agent_error", "can't open file 'agent.py'", 5),
    )
    report = replace(
        builders.first(),
        cases=(case,),
        failures=() if passed else (FailureShare("agent_error", 0, 5),),
        advice="Look at `greet`.",
        alerts=("5 of 5 trials of the head did not complete; most often: can't open file",),
    )
    return replace(report, base=None, base_sha=None, **more)


def test_one_side_alone_has_passed_only_where_all_passes_and_all_is_measured() -> None:
    assert heading(alone(5)) == "passed, nothing to compare with yet"
    assert heading(alone(0)) == "nothing to compare with yet: 0 of 1 case always passes"
    lacking = tuple(replace(metric, head=None) for metric in builders.first().metrics[:1])
    assert (
        heading(alone(5, metrics=lacking))
        == "nothing to compare with yet: 1 of 1 case always passes, 1 gating metric not measured"
    )
    red = builders.red()
    base_only = replace(red, head=None, head_sha=None, conclusion="pass")
    assert heading(base_only) == "one side alone: 18 of 22 cases always pass"


def test_the_page_of_one_side_says_what_the_terminal_says() -> None:
    report = alone(0)
    rendered = render_one_side(report)
    assert "## gatebot · support-agent: nothing to compare with yet: 0 of 1 case always passes" in rendered
    assert "**Next:** Look at `greet`." in rendered
    assert "> - 5 of 5 trials of the head did not complete; most often: can't open file." in rendered
    assert "| agent error | 0 | 5 | `can't open file 'agent.py'` |" in rendered
    assert any(
        "agent error in 5 of 5: can't open file 'agent.py'" in line for line in terminal_summary(report)
    )


def test_a_call_that_nobody_made_is_no_call_called_nothing() -> None:
    missing = Divergence(1, "missing", "`search_docs()`", "nothing", "no tool was called")
    assert as_line(step_of(missing)) == "step 1: missing search_docs(), there came no call"
    tool = replace(missing, actual="`nothing`")
    assert as_line(step_of(tool)) == "step 1: missing search_docs(), there came nothing"


def test_only_a_suspect_that_got_fresh_trials_is_said_to_be_unconfirmed() -> None:
    suspect = builders.case("sla", (5, 2), "suspect")
    assert label_of(suspect) == "dropped, too few trials to prove it alone"
    tried = replace(suspect, fresh_base=SideCount(5, 5), fresh_head=SideCount(4, 5))
    assert label_of(tried) == "suspect, not confirmed"


def test_a_case_that_lost_another_metric_is_not_called_stable() -> None:
    lost = builders.case("sla", (5, 5), reason="convergence 100% → 35%")
    assert label_of(lost) == "passes; convergence worse"
    assert label_of(replace(lost, reason="passes")) == "stable"


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ({"interval": (-0.749, -0.0)}, "−37.5 pts (−74.9 to below 0)"),
        ({"interval": (-0.749, -0.02)}, "−37.5 pts (−74.9 to −2)"),
        ({"interval": (-0.749, 0.0), "p_adjusted": 0.2}, "−37.5 pts (−74.9 to ±0)"),
        ({"interval": (0.0, 0.5), "delta": 0.2, "verdict": "improved"}, "+20 pts (above 0 to +50)"),
        (
            {"interval": (1.0, 1.5), "delta": 1.2, "scale": "ratio", "direction": "lower"},
            "×1.20 (above ×1 to ×1.50)",
        ),
    ],
)
def test_an_interval_beside_no_change_says_on_which_side_it_lies(told: dict[str, object], shown: str) -> None:
    built = builders.metric(delta=-0.375, p_value=0.01, p_adjusted=0.02, verdict="regressed")
    assert metric_row(replace(built, **told)).change == shown


def test_a_metric_that_only_informs_is_never_said_to_be_unchanged() -> None:
    assert metric_row(builders.metric(gating=False)).verdict == "no change shown"
    assert metric_row(builders.metric()).verdict == "unchanged"


def test_the_base_alone_is_a_side_too() -> None:
    red = builders.red()
    metrics = tuple(replace(metric, head=None, delta=None, interval=None) for metric in red.metrics)
    cases = tuple(replace(case, head=SideCount(0, 0)) for case in red.cases)
    base_only = replace(red, head=None, head_sha=None, metrics=metrics, cases=cases, conclusion="pass")
    rendered = render_one_side(base_only)
    assert "| `pass_rate` ↑ | 95.5% |" in rendered
    assert "`5f0c1d2`" in rendered
    assert any("pass_rate" in line and "95.5%" in line for line in terminal_summary(base_only))


def outcomes(report: Report) -> dict[str, str]:
    root = ElementTree.fromstring(render_junit(report))  # our own text, made a line above
    suite = root[0]
    tests = {f"{test.get('classname')}.{test.get('name')}": test for test in suite}
    assert suite.get("tests") == str(len(tests))
    kinds = {name: test[0].tag if len(test) else "passed" for name, test in tests.items()}
    for kind, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert suite.get(attribute) == str(list(kinds.values()).count(kind))
    return kinds


def test_junit_fails_what_closes_the_gate() -> None:
    kinds = outcomes(builders.red())
    assert [name for name, kind in kinds.items() if kind == "failure"] == [
        "gatebot.gate.conclusion",
        "gatebot.metric.pass_rate",
        "gatebot.metric.tokens",
        "gatebot.case.refund-07",
    ]
    assert kinds["gatebot.case.sla-status-page"] == "passed"
    assert set(outcomes(builders.green()).values()) == {"passed"}
    assert outcomes(builders.not_evaluated())["gatebot.gate.conclusion"] == "error"


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_junit_stays_one_document(text: str) -> None:
    report, _ = poisoned(text)
    root = ElementTree.fromstring(render_junit(report))
    assert len(root[0]) == 1 + 4 + len(report.cases)
    assert {child.tag for test in root[0] for child in test} <= {"failure", "skipped"}
