"""`gatebot power`: what a suite can see before it is run, or after a run that was inconclusive, and what more takes."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path

from gatebot.commands.ruler import one_side_ruler
from gatebot.core.outlook import Needed, Outlook, outlook, rates_seen, spread_seen, to_see, usd_per_trial
from gatebot.core.rounds import seed_plan
from gatebot.core.stats.power import assumed_rates
from gatebot.core.stats.strata import FloatArray
from gatebot.errors import InputFileError, UsageError
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
    """The outlook; where its pass rates come from; what the drop that was asked for needs; what a trial costs, if known."""

    outlook: Outlook
    source: str
    drop: float | None = None
    needed: Needed | None = None
    usd_per_trial: float | None = None


def power(request: PowerRequest) -> PowerTold:
    """Look ahead for a suite. Raises ConfigError, UsageError, InputFileError (no run in `results`)."""
    if request.drop is not None and not 0.0 < request.drop < 1.0:
        raise UsageError(f"a drop of {request.drop:g} cannot be", "0.05 is five points")
    ruler = one_side_ruler(suite_directory(request.suite), request.config, (), request.today)
    config = ruler.suite.config
    seeds = seed_plan(config.seeds, request.seeds, compared=True)
    seen = _seen(request, len(ruler.gating))
    gate, between = config.gate, seen.between
    found = outlook(seen.rates, gate, seeds.count, sequential=seeds.sequential, between=between)
    needed = (
        None if request.drop is None else to_see(seen.rates, gate, seeds.count, request.drop, between=between)
    )
    return PowerTold(found, seen.source, request.drop, needed, seen.usd_per_trial)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What to plan with: pass rates per case and where they are from, their spread over cases, a trial's price."""

    rates: FloatArray
    source: str
    between: float = 0.0
    usd_per_trial: float | None = None


def _seen(request: PowerRequest, cases: int) -> _Seen:
    if not cases:
        raise UsageError("no case of the suite gates", "add a case, or end a quarantine")
    if request.results is None:
        return _Seen(assumed_rates(cases), "assumed: most cases pass nearly always, the mean is 91 %")
    results = existing_results(request.results)
    if not results.has(REPORT_FILE):
        raise InputFileError(
            f"{request.results} holds no {REPORT_FILE}", "give the directory that --out named"
        )
    report = results.read_report()
    gating = [case for case in report.cases if case.gating and case.base.trials + case.head.trials]
    if not gating:
        raise InputFileError("that run has no trial of a gating case", "run the suite first")
    rates = rates_seen(
        [(case.base.passed + case.head.passed, case.base.trials + case.head.trials) for case in gating]
    )
    both = [case for case in gating if case.base.trials and case.head.trials]
    between = spread_seen([(case.base, case.head) for case in both]) if len(both) > 1 else 0.0
    return _Seen(rates, "as that run saw them, base and head together", between, usd_per_trial(report))
