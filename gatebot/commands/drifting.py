"""Fresh trials of an agent against its stored results: the drift, the report behind it, the models that answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gatebot.commands.concluding import conclude
from gatebot.commands.graded_trials import TrialReader
from gatebot.commands.grading import Tally, graded
from gatebot.commands.ruler import gating_cases
from gatebot.core.course import course_of
from gatebot.core.decide import decide
from gatebot.core.drift import GONE_ALPHA, drift_gate, drift_of
from gatebot.core.evidence import gather
from gatebot.model.drift import Drift
from gatebot.model.plan import Plan, Round, SideInfo
from gatebot.model.report import Report
from gatebot.model.suite import Suite
from gatebot.model.trial import Trial, TrialKey
from gatebot.results.base_results import RecordedTrial
from gatebot.results.store import ResultsDirectory, open_results
from gatebot.suite.snapshot import digests

Recorded = Mapping[str, Mapping[int, RecordedTrial]]
"""Case → slot → a recorded trial."""


@dataclass(frozen=True, slots=True)
class Drifted:
    """What was found; `report` None when there was nothing to compare. Models: those named in responses, sorted."""

    drift: Drift
    report: Report | None = None
    recorded_models: tuple[str, ...] = ()
    fresh_models: tuple[str, ...] = ()
    since: str = ""


def drifted(recorded: Recorded, fresh: ResultsDirectory, out: Path, trouble: str = "") -> Drifted:
    """Compare the fresh trials of a run of one side with recorded ones, and write the comparison into `out`.

    `trouble` says why the run shows nothing, if it does not. Cases that are only on one of both are left out. Raises
    GatebotError.
    """
    if trouble:
        return Drifted(Drift("not_evaluated", trouble))
    plan, suite = fresh.read_plan(), fresh.read_suite()
    planned = plan.keys()
    there = {key.case for key in planned}
    cases = tuple(case for case in suite.cases if recorded.get(case.id) and case.id in there)
    gate = drift_gate(suite.config.gate)
    if not cases:
        return Drifted(Drift("not_evaluated", "there are no stored results of this agent to compare with"))
    if gate is None:
        return Drifted(Drift("not_evaluated", "only a judge's metrics gate, and no judge is asked here"))
    judged = replace(suite, cases=cases, config=suite.config.model_copy(update={"gate": gate}))
    comparison = _plan(plan, judged, recorded)

    def trials() -> Iterator[Trial]:
        for case in cases:
            for one in recorded[case.id].values():
                yield replace(one.trial, side="base", slot=one.origin.slot)
        yield from (trial for trial in fresh.trials() if trial.side == "head")

    results, _ = open_results(out, comparison, unfinished=True)
    results.write_suite(judged)
    report = conclude(comparison, judged, trials, results)
    results.write_plan(comparison)
    drift = _drift(comparison, judged, trials)
    oldest = min(one.recorded for case in cases for one in recorded[case.id].values())
    return Drifted(drift, report, *_models(trials), oldest.isoformat())


def _drift(plan: Plan, suite: Suite, trials: TrialReader) -> Drift:
    planned = frozenset(plan.keys())
    grades = graded(trials(), suite, Tally(plan.digests.grading), planned.__contains__)
    evidence = gather(grades, planned, gating_cases(suite, plan.case_notices))
    gate = suite.config.gate
    loose = gate.model_copy(update={"alpha": GONE_ALPHA})
    return drift_of(
        decide(evidence, gate, course_of(plan, gate)), decide(evidence, loose, course_of(plan, loose))
    )


def _plan(plan: Plan, suite: Suite, recorded: Recorded) -> Plan:
    keys = [TrialKey(case.id, "base", slot) for case in suite.cases for slot in sorted(recorded[case.id])]
    wanted = {case.id for case in suite.cases}
    fresh = plan.keys()
    keys += [key for key in fresh if key.case in wanted]
    most = max(len(recorded[case.id]) for case in suite.cases)
    tree = plan.head.tree if plan.head is not None else ""
    return Plan(
        activity="compare",
        suite=plan.suite,
        digests=digests(suite),
        base=SideInfo(sha="", tree=tree, label="stored results"),
        head=plan.head,
        seeds=max(most, plan.seeds),
        rounds=(Round(1, tuple(keys)),),
        notes=plan.notes,
        finished=True,
    )


def _models(trials: TrialReader) -> tuple[tuple[str, ...], tuple[str, ...]]:
    seen: dict[str, set[str]] = {"base": set(), "head": set()}
    for trial in trials():
        seen[trial.side].update(trial.trajectory.models)
    return tuple(sorted(seen["base"])), tuple(sorted(seen["head"]))
