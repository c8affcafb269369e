"""The comment of base against head, with a trajectory diff of every case that fails or got worse."""

from __future__ import annotations

from collections.abc import Iterator

from gatebot.commands.candidate import SomeTrials
from gatebot.graders.arguments import compile_rules
from gatebot.model.config import TrajectoryDefault
from gatebot.model.report import CaseResult, Report
from gatebot.model.suite import Case, Suite
from gatebot.model.trajectory import Trajectory
from gatebot.model.trial import Side, TrialKey
from gatebot.render.alignment import Arguments
from gatebot.render.comment import CommentContext, render_comment
from gatebot.render.diff import CaseDiff, DiffRules, trajectory_diff
from gatebot.render.phrases import worse_cases


def comment_of(report: Report, suite: Suite, some: SomeTrials) -> str:
    """The comment on a report; `some` hands out the trials whose trajectories it shows."""
    return render_comment(report, case_diffs(report, suite, some), CommentContext())


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
