"""The words of a result, once for every sink: phrases of our own words and quoted, untrusted pieces."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gatebot.model.metric import METRICS
from gatebot.model.report import CaseResult, Failure, Report
from gatebot.model.score import Divergence
from gatebot.render.markdown import Html, Markdown, code, html_code, html_text, text
from gatebot.render.numbers import count, value_of
from gatebot.render.visible import visible
from gatebot.render.wrong_path import OF_THE_GOAL, forbidden_call, right_answer

QUOTE_LIMIT = 110
_NO_OTHER = "nothing to compare with yet"
_WORD = re.compile(r"[A-Za-z0-9]+(?:[._-]+[A-Za-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Quoted:
    """Untrusted words inside a phrase: code in Markdown, made visible in a terminal."""

    words: str


Phrase: TypeAlias = Sequence[str | Quoted]


def as_markdown(phrase: Phrase) -> Markdown:
    """The phrase for the Markdown sink; the pieces are separated by single blanks."""
    pieces = [code(part.words, QUOTE_LIMIT) if isinstance(part, Quoted) else text(part) for part in phrase]
    return Markdown(_spaced(pieces))


def as_html(phrase: Phrase) -> Html:
    """The phrase for a `<summary>`."""
    return Html(
        _spaced(
            [
                html_code(part.words, QUOTE_LIMIT) if isinstance(part, Quoted) else html_text(part)
                for part in phrase
            ]
        )
    )


def as_line(phrase: Phrase) -> str:
    """The phrase for a terminal, on one line, with nothing hidden in it."""
    return _spaced(
        [visible(part.words if isinstance(part, Quoted) else part, QUOTE_LIMIT) for part in phrase]
    )


def _spaced(pieces: Sequence[str]) -> str:
    """Single blanks between pieces, none before a comma, a colon or a semicolon."""
    line = ""
    for piece in pieces:
        line += piece if not line or piece[:1] in (",", ":", ";") else f" {piece}"
    return line


def one_sided(report: Report) -> bool:
    """Whether there is nothing to compare: the first pull request, or a run of one side."""
    no_base = report.base is None and report.base_sha is None
    return no_base or (report.head is None and report.head_sha is None)


def sentence(report: Report, words: str, *, starts: bool = True) -> str:
    """A reason as a sentence: a capital, a full stop, names of the report's metrics and cases between backticks.

    Names without a hyphen, an underscore or a digit stay words, unless they gate: "order" is a metric and a word.
    `starts` False: the sentence goes on after a colon and gets no capital.
    """
    told = words.strip()
    if not told:
        return ""
    if "`" not in told:
        told = _WORD.sub(_marking(report, told), told)
    if starts and re.match(r"[a-z]+[ ,:]", told):
        told = told[0].upper() + told[1:]
    return told if told.endswith((".", "!", "?", "…")) else f"{told}."


def _marking(report: Report, told: str) -> Callable[[re.Match[str]], str]:
    """Puts the names among the words between backticks. One pass over the cases, however many there are."""
    every = frozenset(_WORD.findall(told))
    words = {word for word in every if re.search(r"[0-9_-]", word)}
    known = {metric.name for metric in report.metrics if metric.name in (every if metric.gating else words)}
    known |= {case.id for case in report.cases if case.id in words}
    return lambda found: f"`{found.group(0)}`" if found.group(0) in known else found.group(0)


def heading(report: Report) -> str:
    """The conclusion in a few words, never by colour alone."""
    if report.would_have is not None and report.would_have != "pass":
        return f"observed only, would be {_conclusion_words(report, report.would_have)}"
    return _conclusion_words(report, report.conclusion)


def _conclusion_words(report: Report, conclusion: str) -> str:
    if conclusion == "fail":
        return f"blocked: {_what_failed(report)}"
    if conclusion == "inconclusive":
        return "not proven"
    if conclusion == "not_evaluated":
        return "not evaluated"
    return _alone_words(report) if one_sided(report) else "passed"


def _alone_words(report: Report) -> str:
    """One side alone closes no gate, so it has passed only where every case always passes and all that gates is measured."""
    first = report.base is None and report.base_sha is None
    shares = [rate for case in report.cases if (rate := pass_rate_alone(case)) is not None]
    steady = sum(rate == 1 for rate in shares)
    lacking = [m.name for m in report.metrics if m.gating and m.base is None and m.head is None]
    if shares and steady == len(shares) and not lacking:
        return f"passed, {_NO_OTHER}"
    lead = _NO_OTHER if first else "one side alone"
    always = "passes" if len(shares) == 1 else "pass"
    unmeasured = f", {count(len(lacking), 'gating metric')} not measured" if lacking else ""
    return f"{lead}: {steady:,} of {count(len(shares), 'case')} always {always}{unmeasured}"


def pass_rate_alone(case: CaseResult) -> float | None:
    """The share of passed trials of the only side that has trials (the head, if both have); None without a trial."""
    side = case.head if case.head.trials else case.base
    return side.passed / side.trials if side.trials else None


def _what_failed(report: Report) -> str:
    gating = [metric for metric in report.metrics if metric.gating]
    metrics = sum(metric.verdict == "regressed" for metric in gating)
    cases = sum(case.label == "regressed" and case.gating for case in report.cases)
    missed = sum(
        metric.target_result is not None and metric.target_result.verdict == "missed" for metric in gating
    )
    said: list[str] = []
    if metrics or cases:
        counted = [count(n, word) for n, word in ((metrics, "metric"), (cases, "case")) if n]
        said.append(f"{' and '.join(counted)} regressed")
    if missed:
        said.append(f"{count(missed, 'target')} missed")
    if said:
        return ", ".join(said)
    if report.head is not None and report.head.setup == "failed":
        return "the head does not install"
    return "no baseline yet" if one_sided(report) else "not shown to be as good as the base"


def acceptable(report: Report) -> bool:
    """Whether the gate is closed by what a maintainer may accept: a metric or a case that regressed."""
    gated = any(metric.gating and metric.verdict == "regressed" for metric in report.metrics)
    cases = any(case.gating and case.label == "regressed" for case in report.cases)
    return report.conclusion == "fail" and (gated or cases)


def step_of(divergence: Divergence) -> Phrase:
    """Where and how the shown trial first leaves the golden, in one line."""
    made, golden = Quoted(divergence.actual.strip("`")), Quoted(divergence.expected.strip("`"))
    at = f"step {divergence.step}"
    if divergence.kind == "unmet":
        return [
            f"after step {divergence.step - 1}:" if divergence.step > 1 else "without a call:",
            Quoted(divergence.detail),
        ]
    if divergence.kind == "missing":
        # A call stands between backticks: the bare word says that there was none.
        came = {"": [], "nothing": [", there came no call"]}.get(divergence.actual, [", there came", made])
        return [f"{at}: missing", golden, *came]
    if divergence.kind == "extra":
        return [f"{at}:", made, "is not in the golden"]
    if divergence.kind == "wrong_args":
        why = [":", Quoted(divergence.detail)] if divergence.detail else [", golden", golden]
        return [f"{at}:", made, *why]
    if divergence.kind == "out_of_order":
        return [f"{at}: out of order", made, ", golden has", golden]
    return [f"{at}:", made, "instead of", golden]


def failure_of(failure: Failure, trials: int) -> Phrase:
    """The most frequent failure of a case, and in how many of its head trials."""
    category = failure.category.replace("_", " ")
    share = f"in {failure.trials} of {trials}" if trials else ""
    lead = f"{category} {share}".strip()
    return [f"{lead}:", Quoted(failure.reason)] if failure.reason else [lead]


def others_of(failure: Failure) -> Phrase:
    """The other categories of the trial that is shown, each with the first step that shows it; nothing without one."""
    named = [
        other.category.replace("_", " ") + (f" (step {other.steps[0]})" if other.steps else "")
        for other in failure.others
    ]
    return [f"Also: {', '.join(named)}."] if named else []


def what_happened(case: CaseResult) -> Phrase:
    """One line for a case: a forbidden call, else the first divergence, else the failure, else the case's reason.

    A right answer on a wrong path is said first. Where no call shows the divergence, the failure says the same and in
    how many trials. Where the goal is what fails, the calls satisfy the case: what a stricter reader would find in them
    is not why the trial failed.
    """
    right = right_answer(case)
    called = forbidden_call(case.failure) if case.failure is not None else None
    if called is None:
        return [*(["right answer, wrong path:"] if right else []), *_difference(case)]
    name, where = called
    lead = "right answer, forbidden tool" if right else "forbidden tool"
    told: Phrase = [lead, *([Quoted(name)] if name else []), where]
    if case.failure is None or case.failure.category == "forbidden_tool":
        return told
    return [*told, ";", *_difference(case)]


def _difference(case: CaseResult) -> Phrase:
    shown, failure = case.first_divergence, case.failure
    aside = failure is not None and (
        failure.category in OF_THE_GOAL or (shown is not None and shown.kind == "unmet")
    )
    if shown is not None and not aside:
        return step_of(shown)
    if case.failure is not None:
        return failure_of(case.failure, case.head.trials)
    return [case.reason] if case.reason else []


def passes(case: CaseResult) -> str:
    """Passed of trials on both sides: 5/5 → 1/5; one side alone when the other has no trial."""
    base = f"{case.base.passed}/{case.base.trials}"
    head = f"{case.head.passed}/{case.head.trials}"
    if not case.base.trials:
        return head if case.head.trials else "–"
    return f"{base} → {head}" if case.head.trials else f"{base} → –"


def label_of(case: CaseResult) -> str:
    """The case's label as a reader's word."""
    fresh = case.fresh_base is not None and case.fresh_head is not None
    suspect = "suspect, not confirmed" if fresh else "dropped, too few trials to prove it alone"
    word = {"suspect": suspect, "not_evaluated": "not evaluated"}.get(case.label, case.label)
    lost = case.reason.partition(" ")[0]
    if case.label in ("stable", "flaky") and lost in METRICS:
        word = f"{'passes' if case.label == 'stable' else 'flaky'}; {lost} worse"
    if case.label == "stable" and rate_drop(case) > 0:
        word = "too few trials to tell"
    if case.label == "regressed" and case.fresh_base is not None and case.fresh_head is not None:
        base, head = case.fresh_base, case.fresh_head
        word += f": {base.passed}/{base.trials} → {head.passed}/{head.trials} on fresh trials"
    return word if case.gating or case.label in ("new", "removed") else f"{word}, not gating"


def rate_drop(case: CaseResult) -> float:
    """How much the share of passed trials fell, in [−1, 1]; 0 when a side has no trials."""
    if not case.base.trials or not case.head.trials:
        return 0.0
    return case.base.passed / case.base.trials - case.head.passed / case.head.trials


def worse_cases(report: Report) -> tuple[CaseResult, ...]:
    """Cases worth a look, worst first: regressed, then suspect, then the report's worst cases that lost passes.

    Where a metric regressed and no case lost a pass, the cases that lost most of that metric.
    """
    order = {"regressed": 0, "suspect": 1}
    worst = frozenset(report.worst_cases)
    chosen = [
        case for case in report.cases if case.label in order or (case.id in worst and rate_drop(case) > 0)
    ]
    if not chosen:
        return _lost_most(report)
    return tuple(sorted(chosen, key=lambda case: (order.get(case.label, 2), -rate_drop(case), case.id)))


def _lost_most(report: Report, limit: int = 5) -> tuple[CaseResult, ...]:
    """The cases that lost most of the first gating metric that regressed, with both values as what happened."""
    metric = next((m for m in report.metrics if m.gating and m.verdict == "regressed"), None)
    if metric is None:
        return ()
    sign = 1.0 if metric.direction == "higher" else -1.0
    losses: list[tuple[float, CaseResult]] = []
    for case in report.cases:
        seen = case.metrics.get(metric.name)
        if seen is None or seen.base is None or seen.head is None or sign * (seen.base - seen.head) <= 0:
            continue
        told = f"{metric.name} {value_of(metric.name, metric.scale, seen.base)} → {value_of(metric.name, metric.scale, seen.head)}"
        losses.append(
            (sign * (seen.base - seen.head), replace(case, reason=told, first_divergence=None, failure=None))
        )
    return tuple(case for _, case in sorted(losses, key=lambda loss: (-loss[0], loss[1].id))[:limit])


def labelled(report: Report, label: str) -> tuple[CaseResult, ...]:
    """Cases of one label, by id."""
    return tuple(sorted((case for case in report.cases if case.label == label), key=lambda case: case.id))
