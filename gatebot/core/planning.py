"""What this run could have seen, and what another one like it sees and takes: planned with the pass rates of this one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gatebot.core.compare import strata
from gatebot.core.decision import MetricDecision
from gatebot.core.outlook import outlook, seen_drop
from gatebot.core.stats.generalize_power import between_variance
from gatebot.core.stats.power import Seeds, estimated_rates, smallest_shift, within_variance
from gatebot.core.stats.strata import FloatArray, Strata, pass_counts
from gatebot.model.config import Gate
from gatebot.model.metric import METRICS, PRIMARY_METRIC
from gatebot.model.plan import Plan
from gatebot.model.report import NextRun, SmallestDrop


def smallest_drop(decision: MetricDecision, gate: Gate) -> SmallestDrop | None:
    """The worsening a run of this size finds with probability .8 (statistics §7); None for what does not gate.

    Of pass or fail by the shipped solver, at the base's rates; of scores by the spread seen within cases; of ratios as
    a factor above 1.
    """
    if decision.comparison is None or not decision.gating:
        return None
    metric = METRICS[decision.name]
    values = strata(decision.sample)
    seeds = Seeds(min(map(len, decision.sample.base)), min(map(len, decision.sample.head)))
    if metric.scale == "binary":
        counts = pass_counts(values)
        rates = estimated_rates(counts.base_passes, counts.base_trials)
        return SmallestDrop(drop=seen_drop(rates, gate, seeds, between=_spread(values, gate)))
    shift = smallest_shift(within_variance(values), values.cases, seeds, alpha=gate.alpha)
    return SmallestDrop(drop=math.exp(shift) if metric.scale == "ratio" else shift) if shift else None


def next_run(decisions: Sequence[MetricDecision], gate: Gate, plan: Plan) -> NextRun | None:
    """What a run of this suite with the seeds of this plan sees and takes; None where pass_rate does not gate."""
    primary = next((d for d in decisions if d.name == PRIMARY_METRIC and d.gating), None)
    if primary is None or primary.comparison is None or plan.shard or plan.activity == "compare":
        return None
    values = strata(primary.sample)
    rates = _rates(values)
    found = outlook(rates, gate, plan.seeds, sequential=plan.sequential, between=_spread(values, gate))
    return NextRun(
        drop=found.drop,
        trials=found.rounds,
        unchanged=found.unchanged,
        dropped=found.dropped,
    )


def _rates(values: Strata) -> FloatArray:
    counts = pass_counts(values)
    return estimated_rates(counts.base_passes + counts.head_passes, counts.base_trials + counts.head_trials)


def _spread(values: Strata, gate: Gate) -> float:
    return between_variance(values) if gate.scope == "generalize" and values.cases > 1 else 0.0
