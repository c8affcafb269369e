"""From finished trials to report, comment and files: grade, compare, decide, render. Shared by every story."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gatebot import __version__
from gatebot.commands.candidate import SomeTrials, golden_candidate
from gatebot.commands.graded_trials import GradedTrials, ReaderSource, TrialReader
from gatebot.commands.grading import Tally
from gatebot.commands.judged import read_record
from gatebot.commands.ruler import gating_cases
from gatebot.core.course import course_of
from gatebot.core.decide import Decision, decide, decided_without_trials, settled
from gatebot.core.evidence import Evidence
from gatebot.core.one_side import decide_one_side
from gatebot.core.recorded_base import why_doubtful, why_void
from gatebot.core.reporting import Context, build_report
from gatebot.graders.arguments import compile_rules
from gatebot.model.config import TrajectoryDefault
from gatebot.model.plan import Plan
from gatebot.model.report import CaseResult, Report
from gatebot.model.suite import Case, Suite
from gatebot.model.trajectory import Trajectory
from gatebot.model.trial import Side, TrialKey
from gatebot.render.alignment import Arguments
from gatebot.render.comment import CommentContext, render_comment
from gatebot.render.diff import CaseDiff, DiffRules, trajectory_diff
from gatebot.render.junit import render_junit
from gatebot.render.one_side import render_one_side
from gatebot.render.phrases import worse_cases
from gatebot.results.candidate import write_candidate
from gatebot.results.store import COMMENT_FILE, JUNIT_FILE, ResultsDirectory

_OFFERED = ("gate", "run")
"""Activities whose head may become the golden set."""


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
    record = None if suite.config.judge is None else read_record(results.path, suite.config.judge)
    if record is None:
        trials.gather(evidence, tally)
        results.write_scores(trials.lines(evidence))
    else:
        results.write_scores(trials.judged(evidence, tally, record.graded))
    _doubt(plan, suite, evidence, tally)
    report = _report(plan, suite, evidence, tally)
    if record is not None and not plan.same_agent:
        report = replace(record.explained(report), alerts=(*record.notes(), *report.alerts))
    diffs = case_diffs(report, suite, trials.some)
    results.write_report(report)
    results.write_text(COMMENT_FILE, _page(plan, report, diffs))
    results.write_text(JUNIT_FILE, render_junit(report))
    if plan.activity in _OFFERED:
        write_candidate(results.path, golden_candidate(plan, suite, report, trials.some))
    return report


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
    return build_report(evidence, _decision(plan, suite, evidence), context)


def _page(plan: Plan, report: Report, diffs: dict[str, CaseDiff]) -> str:
    """The comment; of one side alone a table, unless this is a pull request without a baseline."""
    alone = (plan.base is None or plan.head is None) and not plan.no_baseline
    return render_one_side(report) if alone else render_comment(report, diffs, CommentContext())


def case_diffs(report: Report, suite: Suite, some: SomeTrials) -> dict[str, CaseDiff]:
    """The trajectory diff of every case that fails somewhere at the head or got worse, from the trials its result names."""
    worse = {case.id for case in worse_cases(report)}
    shown = [
        case
        for case in report.cases
        if case.shown_slot is not None and (case.id in worse or case.head.passed < case.head.trials)
    ]
    wanted = {key for case in shown for key in _shown_keys(case)}
    if not wanted:
        return {}
    found = {trial.key: trial.trajectory for trial in some(wanted.__contains__)}
    cases = {case.id: case for case in suite.cases}
    return {
        case.id: trajectory_diff(
            cases[case.id].references[0] if cases[case.id].references else None,
            _trajectory(found, case.id, "base", case.shown_base_slot),
            _trajectory(found, case.id, "head", case.shown_slot),
            _rules(cases[case.id], suite.config.trajectory),
        )
        for case in shown
    }


def _shown_keys(case: CaseResult) -> Iterator[TrialKey]:
    if case.shown_slot is not None:
        yield TrialKey(case.id, "head", case.shown_slot)
    if case.shown_base_slot is not None:
        yield TrialKey(case.id, "base", case.shown_base_slot)


def _rules(case: Case, defaults: TrajectoryDefault) -> DiffRules:
    """What the case itself calls equal: arguments it ignores are no difference in its diff."""
    expected = case.expect.trajectory
    named, others = compile_rules(expected.args if expected is not None else {}, defaults.args)

    def same(name: str, golden: Arguments, actual: Arguments) -> bool:
        if golden is None or actual is None:
            return golden is None
        return named.get(name, others).matches(golden, actual)

    mode = expected.match if expected is not None and expected.match is not None else defaults.match
    return DiffRules(any_order=mode != "strict", same_arguments=same)


def _trajectory(
    found: dict[TrialKey, Trajectory], case: str, side: Side, slot: int | None
) -> Trajectory | None:
    return None if slot is None else found.get(TrialKey(case, side, slot))
