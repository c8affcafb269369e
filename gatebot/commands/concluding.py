"""From finished trials to report, comment and files: grade, compare, decide, render. Shared by every story."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from gatebot import __version__
from gatebot.commands.candidate import SomeTrials, golden_candidate
from gatebot.commands.graded_trials import GradedTrials, ReaderSource, TrialReader
from gatebot.commands.grading import Tally
from gatebot.commands.ruler import gating_cases
from gatebot.core.evidence import Evidence
from gatebot.core.foregone import decided_without_trials, settled, unless_emptied
from gatebot.core.one_side import decide_one_side
from gatebot.core.reporting import Context, build_report
from gatebot.model.config import Gate
from gatebot.model.plan import Plan
from gatebot.model.report import Report
from gatebot.model.suite import Suite
from gatebot.model.trial import Side
from gatebot.render.junit import render_junit
from gatebot.render.one_side import render_one_side
from gatebot.results.candidate import write_candidate
from gatebot.results.store import COMMENT_FILE, JUNIT_FILE, ResultsDirectory

if TYPE_CHECKING:
    from gatebot.commands.judged import JudgeRecord
    from gatebot.core.decision import Decision

_OFFERED = ("gate", "run")
"""Activities whose head may become the golden set."""
_ALWAYS = ("gatebot.render.summary",)
_FOR_A_COMPARISON = (
    "gatebot.core.course",
    "gatebot.core.decide",
    "gatebot.core.compared",
    "gatebot.commands.commenting",
    "numpy.random",
    "scipy.special",  # for the t interval of how long trials took, which differs in every run
    "jinja2.sandbox",
)
_FOR_A_TARGET = ("gatebot.core.stats.targets",)


def load_ahead(gate: Gate, *, compared: bool) -> None:
    """Load what concluding imports late: for a comparison, and for a target where one is set."""
    targets = any(metric.target is not None for metric in gate.metrics.values())
    wanted = (*_ALWAYS, *(_FOR_A_COMPARISON if compared else ()), *(_FOR_A_TARGET if targets else ()))
    for name in wanted:
        import_module(name)


def conclude(plan: Plan, suite: Suite, read: TrialReader, results: ResultsDirectory) -> Report:
    """As `conclude_graded`, of trials that `read` hands out anew each time it is called."""
    return conclude_graded(plan, suite, GradedTrials(suite, ReaderSource(read)), results)


def conclude_graded(plan: Plan, suite: Suite, trials: GradedTrials, results: ResultsDirectory) -> Report:
    """Grade every planned trial, decide, and write scores.jsonl, report.json, comment.md and junit.xml into `results`.

    Of a gate and a run also golden-candidate/: what accepting the head's behaviour would write. What was graded at a
    look is not graded again. What the judge said is taken from judge.jsonl in `results`; nobody is asked here.
    """
    evidence = _empty_evidence(plan, suite)
    tally = Tally(plan.digests.grading)
    record = _record(suite, results)
    if record is None:
        trials.gather(evidence, tally)
        results.write_scores(trials.lines(evidence))
    else:
        results.write_scores(trials.judged(evidence, tally, record.graded))
    _doubt(plan, suite, evidence, tally)
    report = _report(plan, suite, evidence, tally)
    if record is not None and not plan.same_agent:
        report = replace(record.explained(report), alerts=(*record.notes(), *report.alerts))
    results.write_report(report)
    results.write_text(COMMENT_FILE, _page(plan, suite, report, trials.some))
    results.write_text(JUNIT_FILE, render_junit(report))
    if plan.activity in _OFFERED:
        write_candidate(results.path, golden_candidate(plan, suite, report, trials.some))
    return report


def _record(suite: Suite, results: ResultsDirectory) -> JudgeRecord | None:
    if suite.config.judge is None:
        return None
    from gatebot.commands.judged import read_record

    return read_record(results.path, suite.config.judge)


def gather_evidence(plan: Plan, suite: Suite, trials: GradedTrials) -> Evidence:
    """Grade every planned trial that is not graded yet, and collect what a look needs."""
    evidence = _empty_evidence(plan, suite)
    tally = Tally(plan.digests.grading)
    trials.gather(evidence, tally)
    _doubt(plan, suite, evidence, tally)
    return evidence


def _doubt(plan: Plan, suite: Suite, evidence: Evidence, tally: Tally) -> None:
    """Doubt a recorded base where what was run gives reason to."""
    if plan.base_recorded:
        from gatebot.core.recorded_base import why_doubtful, why_void

        recorded, base = frozenset(tally.recorded_models), tally.live_on("base")
        live = base | tally.live_on("head")
        evidence.doubt = why_doubtful(evidence, suite.config.gate, recorded=recorded, live=live)
        evidence.void = why_void(evidence, recorded=recorded, live=base)


def _empty_evidence(plan: Plan, suite: Suite) -> Evidence:
    return Evidence(
        planned=frozenset(plan.keys()),
        gating_cases=gating_cases(suite, plan.case_notices),
        confirming=frozenset(plan.confirming()),
        recordings=frozenset(plan.keys_of("recorded")),
        sentinel=frozenset(plan.keys_of("sentinel")),
    )


def _decision(plan: Plan, suite: Suite, evidence: Evidence) -> Decision:
    gate = suite.config.gate
    foregone = decided_without_trials(plan)
    if foregone is not None:
        return settled(*foregone, gate)
    if plan.base is not None and plan.head is not None:
        from gatebot.core.course import course_of
        from gatebot.core.decide import decide

        return decide(evidence, gate, course_of(plan, gate), stopped=plan.stopped)
    side: Side = "head" if plan.head is not None else "base"
    return decide_one_side(
        evidence,
        gate,
        side=side,
        no_baseline=plan.no_baseline,
        on_missing_base=suite.config.on_missing_base,
        stopped=plan.stopped,
    )


def _report(plan: Plan, suite: Suite, evidence: Evidence, tally: Tally) -> Report:
    context = Context(
        plan=plan,
        gate=suite.config.gate,
        version=__version__,
        tags={case.id: case.tags for case in suite.cases},
        cost=tally.usage,
        wall_s=tally.wall_s,
        result_digest=tally.result_digest(),
    )
    decision = unless_emptied(_decision(plan, suite, evidence), plan, suite.config.gate)
    return build_report(evidence, decision, context)


def _page(plan: Plan, suite: Suite, report: Report, some: SomeTrials) -> str:
    """The comment; of one side alone a table, unless this is a pull request without a baseline."""
    alone = (plan.base is None or plan.head is None) and not plan.no_baseline
    if alone:
        return render_one_side(report)
    from gatebot.commands.commenting import comment_of

    return comment_of(report, suite, some)
