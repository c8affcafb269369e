"""Which golden a finished evaluation offers for acceptance: the behaviour most head trials showed, tried out at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import cast

from gatebot.core.consensus import Behaviour, Consensus, Golden, behaviour_of, consensus
from gatebot.core.number_forms import as_written, whole_floats
from gatebot.graders.grade import grade_trial
from gatebot.model.acceptance import CaseCandidate, GoldenCandidate, Undecided
from gatebot.model.golden import Golden as WrittenGolden
from gatebot.model.json_value import JsonValue
from gatebot.model.plan import Plan
from gatebot.model.report import CaseMetric, CaseResult, Report
from gatebot.model.suite import Case, Reference, Suite
from gatebot.model.trial import Trial, TrialKey
from gatebot.suite.lint_case import CaseLint, lint_case
from gatebot.suite.normalize import expected_calls, node_path
from gatebot.suite.snapshot import case_grading_digest, golden_digest
from gatebot.suite.yaml_reader import read_yaml

SomeTrials = Callable[[Callable[[TrialKey], bool]], Iterator[Trial]]
"""Reads the trials whose keys are wanted, anew each time it is called."""
_LOOKS_AT_NOTHING = "the case looks at nothing that a golden could hold"
_IDLE = (
    "the head calls no tool, and in mode superset no golden can ask for that: "
    "write `expect.trajectory: {match: strict}` if it is right, or take the calls out by hand"
)


def golden_candidate(plan: Plan, suite: Suite, report: Report, some: SomeTrials) -> GoldenCandidate:
    """The candidate of an evaluation: every case whose head behaves worse than its base (or has none and fails)."""
    wanted = frozenset(case.id for case in report.cases if _worse(case, report))
    agreed = agreements(suite, some, wanted)
    found: list[CaseCandidate] = []
    undecided: list[Undecided] = []
    for case in suite.cases:
        if case.id not in wanted:
            continue
        outcome = candidate_of(case, suite, *agreed[case.id])
        if isinstance(outcome, CaseCandidate):
            found.append(outcome)
        else:
            undecided.append(outcome)
    return GoldenCandidate(
        suite=plan.suite,
        head_sha=plan.head.sha if plan.head is not None else "",
        result_digest=report.result_digest,
        policy_digest=plan.digests.policy,
        cases=tuple(found),
        undecided=tuple(undecided),
        metrics=tuple(
            metric.name for metric in report.metrics if metric.gating and metric.verdict == "regressed"
        ),
    )


def agreements(
    suite: Suite, some: SomeTrials, wanted: Collection[str]
) -> dict[str, tuple[Consensus, Trial | None]]:
    """Case id → what its head trials agree on, and one trial that took it (the lowest slot)."""
    cases = {case.id: case for case in suite.cases if case.id in wanted}
    if not cases:
        return {}
    seen: dict[str, list[Behaviour]] = {name: [] for name in cases}
    for trial in some(lambda key: key.side == "head" and key.case in cases):
        if trial.status != "infra_error":
            seen[trial.case].append(behaviour_of(cases[trial.case], suite.config.trajectory.args, trial))
    agreed = {name: consensus(behaviours) for name, behaviours in seen.items()}
    shown = {TrialKey(name, "head", outcome.slots[0]) for name, outcome in agreed.items() if outcome.slots}
    examples = {trial.case: trial for trial in some(shown.__contains__)}
    return {name: (outcome, examples.get(name)) for name, outcome in agreed.items()}


def candidate_of(
    case: Case, suite: Suite, agreed: Consensus, example: Trial | None, *, despite_split: bool = False
) -> CaseCandidate | Undecided:
    """The golden a case would get, graded with it at once; or why it can get none.

    `despite_split`: take the most frequent behaviour even where it has no majority.
    """
    split = agreed.agreement == "split" and not despite_split
    if agreed.golden is None or example is None or split:
        return Undecided(case.id, agreed.reason)
    floats = whole_floats(case)
    golden = {
        key: as_written(value, floats)
        for key, value in _without_idle_calls(case, agreed.golden, suite).items()
    }
    if not golden:
        return Undecided(case.id, _IDLE if agreed.golden else _LOOKS_AT_NOTHING)
    changed = with_golden(case, golden)
    if fault := _fault(changed, suite):
        return Undecided(case.id, f"a suite with its golden would not load: {fault}")
    grade = grade_trial(changed, example, suite.config.trajectory)
    failing = [check.name for check in grade.checks if check.passed is not True]
    return CaseCandidate(
        case=case.id,
        path=case.path,
        golden=golden,
        golden_digest=golden_digest(changed),
        grading_digest=case_grading_digest(changed, suite.config.trajectory),
        took=agreed.took,
        of=agreed.of,
        still_fails=", ".join(failing)[:300] if grade.passed is not True else "",
    )


def _without_idle_calls(case: Case, golden: Golden, suite: Suite) -> Golden:
    """The golden without an empty list of calls where it would ask for nothing: every call would match it."""
    mode = suite.config.trajectory.match
    idle = golden.get("calls") == [] and mode == "superset" and case.expect.trajectory is None
    return {key: value for key, value in golden.items() if key != "calls"} if idle else golden


def _fault(case: Case, suite: Suite) -> str:
    """What would keep a suite that holds this case from loading; "" when nothing would."""
    subject = CaseLint(case, read_yaml(case.path, b"{}"), suite.config.trajectory.match)
    return next((finding.message for finding in lint_case(subject) if finding.level == "error"), "")


def with_golden(case: Case, golden: Golden) -> Case:
    """The case as it would be loaded with this golden in its file."""
    written = WrittenGolden.model_validate(golden)
    calls = None if written.calls is None else expected_calls(written.calls)
    state = cast("JsonValue", written.state)
    reference = Reference(calls, written.answer, state, node_path(written.graph))
    return replace(case, references=(reference,))


def _worse(case: CaseResult, report: Report) -> bool:
    """Whether the case's head did worse than its base, in passing or in a gating metric that regressed."""
    if case.label == "removed" or not case.head.trials:
        return False
    if not case.base.trials:
        return case.head.passed < case.head.trials
    if case.head.passed * case.base.trials < case.base.passed * case.head.trials:
        return True
    return any(
        _is_worse(case.metrics.get(metric.name), 1 if metric.direction == "higher" else -1)
        for metric in report.metrics
        if metric.gating and metric.verdict == "regressed"
    )


def _is_worse(values: CaseMetric | None, sign: int) -> bool:
    if values is None or values.base is None or values.head is None:
        return False
    return sign * values.head < sign * values.base
