"""The comment: its order, its words, its ladder, and what no hostile text can do to it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from gatebot.model.config import Accept
from gatebot.model.report import CaseResult, Failure, FailureShare, Report
from gatebot.model.score import Divergence
from gatebot.render.comment import MAX_BYTES, CommentContext, comment_at_step, render_comment
from gatebot.render.diff import CaseDiff, DiffLine, trajectory_diff
from gatebot.render.state import CommentState, decode_state
from gatebot.render.summary import terminal_summary
from tests.unit.render import builders, trajectories
from tests.unit.render.dom import OURS, page
from tests.unit.render.hostile import HOSTILE

CONTEXT = CommentContext(report_place="gatebot-results/report.json", accept=Accept())
REPORTS = {
    "red": builders.red(),
    "green": builders.green(),
    "inconclusive": builders.inconclusive(),
    "not_evaluated": builders.not_evaluated(),
    "first": builders.first(),
}


class MarkdownFile(SingleFileSnapshotExtension):
    """One readable file per comment."""

    _write_mode = WriteMode.TEXT
    file_extension = "md"


@pytest.mark.parametrize("name", REPORTS)
def test_the_comment_looks_like_this(name: str, snapshot: SnapshotAssertion) -> None:
    rendered = render_comment(REPORTS[name], trajectories.red_diffs(), CONTEXT)
    assert rendered == snapshot(extension_class=MarkdownFile)


@pytest.mark.parametrize("name", REPORTS)
def test_rendering_twice_gives_the_same_bytes_and_only_our_tags(name: str) -> None:
    one = render_comment(REPORTS[name], trajectories.red_diffs(), CONTEXT)
    other = render_comment(REPORTS[name], dict(reversed(trajectories.red_diffs().items())), CONTEXT)
    assert one.encode() == other.encode()
    shown = page(one)
    assert {tag.strip("/") for tag in shown.tags} <= OURS
    assert len(shown.comments) == 2


def position(rendered: str, *words: str) -> list[int]:
    found = [rendered.find(word) for word in words]
    assert -1 not in found, [word for word, at in zip(words, found, strict=True) if at == -1]
    return found


def test_the_comment_says_how_to_accept_what_may_be_accepted() -> None:
    red = builders.red()
    policy = replace(CONTEXT, accept=Accept(label="fine-by-us"))
    assert "To accept it: a maintainer sets the label `fine-by-us`." in render_comment(red, {}, policy)
    assert "To accept it: `gatebot accept`." in render_comment(red, {})
    assert any(line.endswith("To accept it: gatebot accept.") for line in terminal_summary(red))
    unset = replace(red, metrics=(), cases=())
    for report in (unset, builders.not_evaluated(), builders.green(), builders.first()):
        assert "To accept it" not in render_comment(report, {}, policy)
        assert not any("To accept it" in line for line in terminal_summary(report))
    assert not any("To accept it" in line for line in terminal_summary(replace(red, advice="")))


def test_what_matters_comes_first() -> None:
    rendered = render_comment(builders.red(), trajectories.red_diffs(), CONTEXT)
    order = position(
        rendered,
        "<!-- gatebot:v1 suite=support-agent -->",
        "<!-- gatebot:state ",
        "blocked: 2 metrics and 1 case regressed",
        "`pass_rate` fell",
        "**Next:** Fix `refund-07`",
        "`9ab8c7d` against base `5f0c1d2`",
        "[!NOTE]",
        "| `pass_rate` ↑",
        "| `tokens` ↓",
        "| `convergence` ↑",
        "| `refund-07` | **5/5 → 1/5** | regressed |",
        "<summary><code>refund-07</code>",
        "Other metrics",
        "Method",
        "How to accept",
        "gatebot 0.1.0",
    )
    assert order == sorted(order)
    assert order[0] == 0


def test_green_shows_one_line_of_metrics_and_opens_no_table() -> None:
    rendered = render_comment(builders.green(), {}, CONTEXT)
    opened = rendered.partition("<details>")[0]
    assert "| metric |" not in opened
    assert "`pass_rate` 95% → 94% (unchanged)" in opened
    assert "How to accept" not in rendered


@pytest.mark.parametrize("name", REPORTS)
def test_not_significant_is_never_called_no_regression(name: str) -> None:
    rendered = render_comment(replace(REPORTS[name], reason="", advice=""), {}, CONTEXT)
    assert "no regression" not in rendered.lower()


def test_a_change_within_chance_says_so_in_place_of_a_number() -> None:
    rendered = render_comment(builders.inconclusive(), {}, CONTEXT)
    row = next(line for line in rendered.splitlines() if line.startswith("| `pass_rate`"))
    assert "not significant (−14 to +4)" in row
    assert "−5 pts" not in row


def test_observe_mode_says_what_it_would_have_done() -> None:
    observed = replace(builders.red(), conclusion="pass", mode="observe", would_have="fail")
    rendered = render_comment(observed, {}, CONTEXT)
    assert "observed only, would be blocked: 2 metrics and 1 case regressed" in rendered
    assert "| metric |" in rendered.partition("<details>")[0]


def test_the_state_can_be_read_back() -> None:
    context = CommentContext(run_id="123456", attempt=2)
    state = decode_state(render_comment(builders.red(), {}, context))
    assert state == CommentState(
        builders.HEAD.sha, builders.BASE.sha, "fail", "c" * 64, run_id="123456", attempt=2
    )


def poisoned(text: str) -> tuple[Report, dict[str, CaseDiff]]:
    """A red report with the text wherever an agent, a tool or a file of the pull request can put it."""
    divergence = Divergence(1, "wrong_args", expected=text, actual=text, explanation=text)
    tool = replace(
        trajectories.call("x"), name=text, arguments={text or "k": text}, is_error=True, result=text
    )
    bad = trajectories.trajectory(tool, answer=text)
    cases = (
        builders.case(text, (5, 0), "regressed", first_divergence=divergence),
        builders.case(f"b{text}", (5, 0), "suspect", failure=Failure(text, text, 5)),
        builders.case(f"c{text}", (4, 3), "flaky"),
        builders.case(f"d{text}", (1, 5), "improved"),
    )
    report = replace(
        builders.red(),
        reason=f"reason {text}",
        advice=f"advice {text}",
        cases=cases,
        worst_cases=(text,),
        alerts=(f"alert {text}",),
        isolation=f"none {text}",
        failures=(FailureShare(f"f{text}", 1, 2),),
        suite=f"s{text}",
        metrics=tuple(replace(metric, reason=f"r {text}") for metric in builders.red_metrics()),
    )
    golden = trajectories.golden(
        trajectories.call("lookup", key=text), trajectories.call(text, key="v"), answer=text
    )
    diff = trajectory_diff(golden, trajectories.trajectory(trajectories.call("lookup", key=text)), bad)
    return report, {text: diff, f"b{text}": diff}


def skeleton(rendered: str) -> list[str]:
    """Tags without those that inline code and "(empty)" bring: an unpaired backtick may make words of code."""
    inline = {"code", "em", "i"}
    return [tag for tag in page(rendered).tags if tag.strip("/") not in inline]


def check_poisoned(text: str, benign: list[str]) -> None:
    report, diffs = poisoned(text)
    rendered = render_comment(report, diffs, CONTEXT)
    rendered.encode("utf-8")
    assert re.match(
        r"<!-- gatebot:v1 suite=[\w.-]{1,100} -->\n<!-- gatebot:state [A-Za-z0-9+/=]+ -->\n", rendered
    )
    assert skeleton(rendered) == benign
    shown = page(rendered)
    assert len(shown.comments) == 2
    assert {name for name, _ in shown.attributes} <= {"align", "class"}
    words = "".join(shown.words)
    assert not re.search(r"@\w|#\d|gh-\d|://|www\.|[0-9a-f]{7}", words, re.IGNORECASE)
    assert not re.search(r"@[A-Za-z0-9]|#[0-9]", rendered)
    assert not re.search(r"^\s*::", rendered, re.MULTILINE)


@pytest.fixture(scope="module")
def benign() -> list[str]:
    report, diffs = poisoned("benign")
    return skeleton(render_comment(report, diffs, CONTEXT))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_text_does_not_change_the_shape_of_the_comment(text: str, benign: list[str]) -> None:
    check_poisoned(text, benign)


FRAGMENTS = st.sampled_from([*HOSTILE, "`", "|", "\\", "<", "@", "#", "\n", "\r"])


@given(
    st.one_of(st.text(st.characters(codec=None), max_size=30), st.lists(FRAGMENTS, max_size=4).map("".join))
)
@settings(max_examples=100, deadline=None)
def test_no_text_changes_the_shape_of_the_comment(text: str) -> None:
    report, diffs = poisoned("benign")
    check_poisoned(text, skeleton(render_comment(report, diffs, CONTEXT)))


def failing(number: int, lines: int = 30, width: int = 60) -> tuple[Report, dict[str, CaseDiff]]:
    cases = tuple(builders.case(f"case-{n:04}", (5, 0), "regressed") for n in range(number))
    diff = CaseDiff(tuple(DiffLine("extra", "x" * width) for _ in range(lines)))
    return replace(builders.red(), cases=cases, worst_cases=("case-0000",)), {case.id: diff for case in cases}


def whole(rendered: str) -> bool:
    """Every block that was opened is closed, and the footer is there."""
    shown = page(rendered)
    fences = len(re.findall(r"^```[^`]*$", rendered, re.MULTILINE))
    return (
        shown.tags.count("details") == shown.tags.count("/details")
        and fences % 2 == 0
        and rendered.rstrip().endswith("<sub>gatebot 0.1.0</sub>")
    )


def test_three_hundred_failing_cases_fit_with_marker_and_verdict() -> None:
    report, diffs = failing(300)
    rendered = render_comment(report, diffs, CONTEXT)
    assert len(rendered.encode()) <= MAX_BYTES
    assert rendered.startswith("<!-- gatebot:v1 suite=support-agent -->\n")
    assert "blocked: 2 metrics and 300 cases regressed" in rendered
    assert "and 290 more cases." in rendered
    assert (
        "Left out for length: diffs beyond the first 20 cases. They are in `gatebot-results/report.json`"
        in rendered
    )
    assert whole(rendered)


@pytest.mark.parametrize(
    ("number", "lines", "width", "left_out"),
    [
        (5, 30, 60, None),
        (60, 30, 60, "diffs beyond the first 20 cases"),
        (60, 120, 60, "beyond 40 lines"),
        (60, 200, 600, "all trajectory diffs"),
    ],
)
def test_each_step_says_what_it_left_out(number: int, lines: int, width: int, left_out: str | None) -> None:
    rendered = render_comment(*failing(number, lines, width), CONTEXT)
    assert len(rendered.encode()) <= MAX_BYTES
    assert whole(rendered)
    assert ("Left out for length" in rendered) == (left_out is not None)
    assert (left_out or "") in rendered


def test_a_step_down_is_never_longer() -> None:
    report, diffs = failing(40)
    sizes = [len(comment_at_step(report, diffs, CONTEXT, step)) for step in range(6)]
    assert sizes == sorted(sizes, reverse=True)
    assert comment_at_step(report, diffs, CONTEXT, 99) == comment_at_step(report, diffs, CONTEXT, 5)


WIDE = st.sampled_from(["x", "é", "漢", "😀", "\u202e", "`", "|", "&", "\U0010ffff", "@1"])


@given(
    char=WIDE,
    cases=st.integers(0, 400),
    lines=st.integers(0, 300),
    length=st.integers(0, 3000),
    metrics=st.integers(0, 300),
)
@settings(max_examples=25, deadline=None)
def test_whatever_its_size_the_comment_fits_and_is_whole(
    char: str, cases: int, lines: int, length: int, metrics: int
) -> None:
    text = char * length
    report, _ = failing(cases)
    report = replace(
        report,
        reason=text,
        advice=text,
        alerts=(text,) * 50,
        isolation=text,
        metrics=tuple(
            replace(builders.metric(f"m{n}{text}"), verdict="inconclusive", reason=text)
            for n in range(metrics)
        ),
        cases=tuple(_named(case, f"{case.id}{text}") for case in report.cases),
    )
    diff = CaseDiff(tuple(DiffLine("note", text[:600]) for _ in range(lines)))
    rendered = render_comment(report, {case.id: diff for case in report.cases}, CONTEXT)
    assert len(rendered.encode("utf-8")) <= MAX_BYTES
    assert rendered.startswith("<!-- gatebot:v1 suite=support-agent -->\n<!-- gatebot:state ")
    assert whole(rendered)


def _named(case: CaseResult, case_id: str) -> CaseResult:
    divergence = Divergence(1, "extra", "", case_id, "")
    return replace(case, id=case_id, first_divergence=divergence)
