"""What a suite can see before it is run, what it costs, and what an inconclusive run asks for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gatebot.core.compare import Comparison, strata
from gatebot.core.looks import look_plan, single_cases_gate
from gatebot.core.margin import margin_of, margin_on_scale
from gatebot.core.stats.generalize_power import (
    between_variance,
    general_cases_needed,
    smallest_general_drop,
)
from gatebot.core.stats.power import (
    POWER,
    RESERVE,
    Seeds,
    cases_needed,
    confirm_power,
    estimated_rates,
    quoted_drop,
    seeds_needed,
    suspect_chance,
    within_variance,
)
from gatebot.core.stats.quantiles import normal_quantile
from gatebot.core.stats.sequential import ALPHA, course, information_fractions
from gatebot.core.stats.single_case import CONFIRM_TRIALS
from gatebot.core.stats.strata import (
    FloatArray,
    Strata,
    fractional_counts,
    is_constant,
    is_unit,
    strata_of,
)
from gatebot.model.config import Gate, MetricGate
from gatebot.model.plan import MOST_SEEDS
from gatebot.model.report import Report, SideCount

_MOST = 2_000


@dataclass(frozen=True, slots=True)
class Outlook:
    """What an evaluation of `cases` cases and at most `seeds` slots a side can see.

    `drop`: of the mean pass rate, found with probability .8 (None: not even the loss of all passes would be).
    `single`: the chance to convict one case that passed always (first) or nine times of ten (second) and now never
    passes; 0 where that leg is off. `rounds`: trials if every round is run; suspects take `confirming` more each.
    `unchanged`, `dropped`: expected trials, with early stops and suspects, if nothing changed, and if the pass rate
    fell by `drop`.
    """

    cases: int
    seeds: int
    sequential: bool
    rate: float
    drop: float | None
    single: tuple[float, float]
    rounds: int
    confirming: int
    unchanged: float
    dropped: float | None


@dataclass(frozen=True, slots=True)
class Needed:
    """What it takes: `seeds` a side at the cases there are, or `cases` at the seeds there are. None: more than 2,000."""

    seeds: int | None
    cases: int | None


def outlook(rates: FloatArray, gate: Gate, seeds: int, *, sequential: bool, between: float = 0.0) -> Outlook:
    """Look ahead with these pass rates per case (known, or assumed), in [0, 1].

    `between`: how much true differences vary over cases (`between_variance`), for `scope: generalize` alone; 0 while
    nothing is known of it, which promises the most that can be.
    """
    plan = look_plan(gate, seeds, sequential=sequential)
    drop = seen_drop(rates, gate, Seeds(seeds, seeds), between=between)
    whole = 2 * rates.size * seeds
    single = (0.0, 0.0)
    unchanged, dropped = float(whole), None if drop is None else float(whole)
    if sequential:
        first = plan.looks[0].rounds
        if plan.case_level:
            chances = [confirm_power(p, 0.0, rounds=first, level=plan.case_level) for p in (1.0, 0.9)]
            single = chances[0], chances[1]
        unchanged = _expected(rates, rates, gate, seeds, 0.0)
        if drop is not None:
            fallen = rates * (1.0 - drop / float(np.mean(rates)))
            drift = normal_quantile(1.0 - ALPHA) + normal_quantile(POWER)
            dropped = _expected(rates, fallen, gate, seeds, drift)
    return Outlook(
        cases=rates.size,
        seeds=seeds,
        sequential=sequential,
        rate=float(np.mean(rates)),
        drop=drop,
        single=single,
        rounds=whole,
        confirming=2 * CONFIRM_TRIALS if sequential and plan.case_level else 0,
        unchanged=unchanged,
        dropped=dropped,
    )


def rates_seen(cases: Sequence[tuple[int, int]]) -> FloatArray:
    """Pass rates to plan with, from (passes, trials) per case, at least one trial each."""
    passes, trials = np.array(cases, dtype=np.float64).T
    return estimated_rates(passes, trials)


def spread_seen(cases: Sequence[tuple[SideCount, SideCount]]) -> float:
    """How much true differences of the pass rate vary over cases (at least two), from base's and head's counts."""

    def values(counts: SideCount) -> list[float]:
        return [1.0] * counts.passed + [0.0] * (counts.trials - counts.passed)

    return between_variance(strata_of([values(b) for b, _ in cases], [values(h) for _, h in cases]))


def usd_per_trial(report: Report) -> float | None:
    """What a trial of that run has cost in US dollars; None where it is not known."""
    costs = [usage.cost_usd for usage in report.cost.values() if usage.cost_usd is not None]
    trials = report.trials.completed + report.trials.agent_error + report.trials.timeout
    return sum(costs) / trials if costs and trials else None


def seen_drop(rates: FloatArray, gate: Gate, seeds: Seeds, *, between: float = 0.0) -> float | None:
    """The drop of the mean pass rate that is found with probability .8; None where there is not so much to lose.

    By the solver of statistics §7 for these cases, by Miller's formula where cases are the sample.
    """
    if gate.scope == "suite":
        return quoted_drop(rates, seeds, shared_alpha=single_cases_gate(gate))
    within = float(np.mean(rates * (1.0 - rates)))
    drop = smallest_general_drop(between, within, rates.size, seeds, alpha=gate.alpha)
    return drop if drop <= float(np.mean(rates)) else None


def to_see(rates: FloatArray, gate: Gate, seeds: int, drop: float, *, between: float = 0.0) -> Needed:
    """Seeds or cases to find a drop of the mean pass rate with probability .8, by the solver that `outlook` quotes."""

    def sees(cases: FloatArray, count: int) -> bool:
        found = seen_drop(cases, gate, Seeds(count, count), between=between)
        return found is not None and found <= drop

    wanted_seeds = _first(lambda count: sees(rates, count))
    wanted_cases = _first(lambda count: sees(_resized(rates, count), seeds))
    return Needed(wanted_seeds, wanted_cases)


def to_exclude(comparison: Comparison, gate: MetricGate | None) -> Needed:
    """Seeds or cases to exclude a loss of the margin with probability .8 if nothing changed.

    The two-sample formula at the spread that was seen, and at least so many trials that the interval of a suite that
    always passes becomes as narrow as the margin.
    """
    margin = margin_on_scale(comparison.metric, margin_of(comparison.metric, gate))
    sample = comparison.sample
    values = strata(sample)
    seeds = Seeds(min(map(len, sample.base)), min(map(len, sample.head)))
    count = len(sample.cases)
    least = 0.0
    # What never varied in [0, 1] gets the interval of pass rates as well: a spread of 0 was merely observed.
    if comparison.metric.scale == "binary" or (is_unit(values) and is_constant(values)):
        counts = fractional_counts(values)
        passes, trials = counts.base_passes + counts.head_passes, counts.base_trials + counts.head_trials
        rates = estimated_rates(passes, trials)
        variance = float(np.mean(rates * (1.0 - rates)))
        least = RESERVE * normal_quantile(1.0 - ALPHA) ** 2 * (1.0 - margin) / margin
    else:
        variance = within_variance(values)
    if comparison.scope == "generalize":
        return _general(variance, seeds, values, margin)
    wanted_seeds = max(seeds_needed(variance, count, margin), math.ceil(least / count))
    wanted_cases = max(cases_needed(variance, seeds, margin), math.ceil(least / min(seeds.base, seeds.head)))
    return Needed(_within(wanted_seeds), _within(wanted_cases))


def more_needed(needed: Needed, *, seeds: int, cases: int) -> str:
    """What to run to exclude the margin, after `seeds` a side of `cases` cases: never less than was run.

    An estimate may ask for no more than there was, where the interval came out wider than expected or a metric is
    graded for some of the trials only; then half as many seeds again are named.
    """
    ways: list[str] = []
    if needed.seeds is None:
        ways.append(f"more than {_MOST:,} seeds a side")
    elif needed.seeds > seeds:
        option = f" (`--seeds {needed.seeds}`)" if needed.seeds <= MOST_SEEDS else ""
        ways.append(f"about {needed.seeds} seeds a side{option}")
    if needed.cases is None:
        ways.append(f"more than {_MOST:,} cases")
    elif needed.cases > cases:
        ways.append(f"{needed.cases} cases")
    if ways:
        return f"To exclude the margin takes {', or '.join(ways)}; or widen the margin."
    more = min(MOST_SEEDS, seeds + max(1, math.ceil(seeds / 2)))
    how = f"with more seeds (`--seeds {more}`)" if more > seeds else "with more cases"
    return f"The margin is just not excluded: run {how}, or widen the margin."


def _general(within: float, seeds: Seeds, values: Strata, margin: float) -> Needed:
    """Where cases are the sample: seeds help only while trials vary more than cases do."""
    between = between_variance(values)

    def sees(count: int) -> bool:
        return smallest_general_drop(between, within, values.cases, Seeds(count, count)) <= margin

    return Needed(_first(sees), _within(general_cases_needed(between, within, seeds, margin)))


def _expected(base: FloatArray, head: FloatArray, gate: Gate, seeds: int, drift: float) -> float:
    """Expected trials of the sequential gate: rounds by the Brownian course of its looks, and confirming trials."""
    plan = look_plan(gate, seeds, sequential=True)
    at = [look.rounds for look in plan.looks]
    stops = course(
        information_fractions(at, at),
        [look.level for look in plan.looks],
        [look.futility for look in plan.looks if look.futility is not None],
        drift,
    )
    rounds = stops.expected(at)
    suspects = 0.0
    if plan.case_level:
        suspects = math.fsum(
            suspect_chance(b, h, at[0]) for b, h in zip(base.tolist(), head.tolist(), strict=True)
        )
    return 2.0 * (base.size * rounds + CONFIRM_TRIALS * suspects)


def _resized(rates: FloatArray, cases: int) -> FloatArray:
    """A suite of another size with the same spread of pass rates."""
    places = (np.arange(cases) + 0.5) / cases * rates.size - 0.5
    return np.interp(places, np.arange(rates.size), np.sort(rates))


def _within(wanted: int) -> int | None:
    return wanted if wanted <= _MOST else None


def _first(holds: Callable[[int], bool]) -> int | None:
    """The smallest number up to 2,000 from which on it holds: doubled, then halved in between."""
    high = 1
    while not holds(high):
        high *= 2
        if high > _MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
