"""`gatebot power`: what a suite can see before it is run, or after a run that was inconclusive, and what more takes."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path

from gatebot.commands.ruler import one_side_ruler
from gatebot.core.looks import look_plan
from gatebot.core.outlook import Needed, Outlook, outlook, rates_seen, to_see
from gatebot.core.rounds import seed_plan
from gatebot.core.stats.power import assumed_rates
from gatebot.core.stats.strata import FloatArray
from gatebot.errors import InputFileError, UsageError
from gatebot.model.report import Report
from gatebot.results.store import REPORT_FILE, existing_results
from gatebot.suite.source import suite_directory


@dataclass(frozen=True, slots=True)
class PowerRequest:
    """The suite's directory and configuration; `results`: a run to learn pass rates from; `drop` in [0, 1] to be seen."""

    suite: Path
    config: str
    today: datetime.date
    results: Path | None = None
    seeds: int | None = None
    drop: float | None = None


@dataclass(frozen=True, slots=True)
class PowerTold:
    """The outlook; where its pass rates come from; what the drop that was asked for needs."""

    outlook: Outlook
    source: str
    drop: float | None = None
    needed: Needed | None = None


def power(request: PowerRequest) -> PowerTold:
    """Look ahead for a suite. Raises ConfigError, UsageError, InputFileError (no run in `results`)."""
    if request.drop is not None and not 0.0 < request.drop < 1.0:
        raise UsageError(f"a drop of {request.drop:g} cannot be", "0.05 is five points")
    ruler = one_side_ruler(suite_directory(request.suite), request.config, (), request.today)
    config = ruler.suite.config
    seeds = seed_plan(config.seeds, request.seeds, compared=True)
    rates, source = _rates(request, len(ruler.gating))
    found = outlook(rates, config.gate, seeds.count, sequential=seeds.sequential)
    if request.drop is None:
        return PowerTold(found, source)
    shared = look_plan(config.gate, seeds.count, sequential=seeds.sequential).case_level > 0.0
    return PowerTold(
        found, source, request.drop, to_see(rates, seeds.count, request.drop, shared_alpha=shared)
    )


def _rates(request: PowerRequest, cases: int) -> tuple[FloatArray, str]:
    if not cases:
        raise UsageError("no case of the suite gates", "add a case, or end a quarantine")
    if request.results is None:
        return assumed_rates(cases), "assumed: most cases pass nearly always, the mean is 91 %"
    results = existing_results(request.results)
    if not results.has(REPORT_FILE):
        raise InputFileError(
            f"{request.results} holds no {REPORT_FILE}", "give the directory that --out named"
        )
    return _seen(results.read_report()), "as that run saw them, base and head together"


def _seen(report: Report) -> FloatArray:
    counts = [
        (case.base.passed + case.head.passed, case.base.trials + case.head.trials)
        for case in report.cases
        if case.gating and case.base.trials + case.head.trials
    ]
    if not counts:
        raise InputFileError("that run has no trial of a gating case", "run the suite first")
    return rates_seen(counts)
