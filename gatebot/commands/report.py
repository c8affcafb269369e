"""`gatebot report`: grade and render saved trials again. Same directory, same bytes."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gatebot.commands.concluding import conclude, conclude_graded
from gatebot.commands.graded_trials import GradedTrials
from gatebot.commands.ruler import one_side_ruler
from gatebot.errors import InputFileError, ResultsError
from gatebot.model.plan import Plan, Round, SideInfo
from gatebot.model.report import Report
from gatebot.model.suite import Suite
from gatebot.model.trial import Trial, TrialKey
from gatebot.results.journal import TRIALS_FILE, read_trials
from gatebot.results.store import PLAN_FILE, ResultsDirectory, existing_results
from gatebot.suite.snapshot import digests
from gatebot.suite.source import DirectorySource


def report(directory: Path, config: str, today: datetime.date) -> Report:
    """Grade and render `directory` anew: a run's results, or a recorded suite (configuration, cases, trials.jsonl).

    Raises InputFileError when it is neither, ResultsError for a run that has not ended.
    """
    results = existing_results(directory)
    if results.has(PLAN_FILE):
        return _saved_run(results)
    if results.has(config) and results.has(TRIALS_FILE):
        return _recorded_suite(results, config, today)
    raise InputFileError(
        f"{directory} holds neither a run (plan.json) nor a recorded suite ({config} and {TRIALS_FILE})",
        "give the directory that --out named",
    )


def _saved_run(results: ResultsDirectory) -> Report:
    plan = results.read_plan()
    if plan.activity == "compare":
        raise ResultsError(
            "a comparison keeps no trials of its own", "run `gatebot compare` on the recordings again"
        )
    suite = results.read_suite()
    if digests(suite) != plan.digests:
        raise ResultsError(
            "suite.json is not the suite that plan.json was made for",
            "run the evaluation again, into an empty directory",
        )
    return conclude_graded(plan, suite, GradedTrials(suite, results.trial_file()), results)


def _recorded_suite(results: ResultsDirectory, config: str, today: datetime.date) -> Report:
    """One side alone: every recorded slot of every case."""
    ruler = one_side_ruler(DirectorySource(results.path), config, (), today)
    file = results.path / TRIALS_FILE
    plan = _plan_of(ruler.suite, file, ruler.notes)
    return conclude(plan, ruler.suite, lambda: _as_head(file), results)


def _plan_of(suite: Suite, file: Path, notes: tuple[str, ...]) -> Plan:
    known = {case.id for case in suite.cases}
    slots = sorted({trial.slot for trial in read_trials(file) if trial.case in known})
    if not slots:
        raise InputFileError(
            f"{TRIALS_FILE} holds no trial of a case of the suite", "import the recording again"
        )
    keys = tuple(TrialKey(case.id, "head", slot) for case in suite.cases for slot in slots)
    return Plan(
        activity="report",
        suite=suite.config.suite,
        digests=digests(suite),
        head=SideInfo(sha="", tree="", label="recorded"),
        seeds=len(slots),
        rounds=(Round(1, keys),),
        notes=notes,
        finished=True,
    )


def _as_head(file: Path) -> Iterator[Trial]:
    for trial in read_trials(file):
        yield trial if trial.side == "head" else replace(trial, side="head")
