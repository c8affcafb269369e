"""Base against head, metric by metric: difference, interval, p-values. Numbers only; no verdict yet."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from gatebot.core.significance import Adjustment, Draws, Tested, over_cases, within_cases
from gatebot.core.stats.generalize import paired_t_interval
from gatebot.core.stats.interval import Beyond, Limits, agreeing_with, effect_interval
from gatebot.core.stats.resampling import PERMUTATIONS
from gatebot.core.stats.strata import Strata, case_differences, case_means, log_strata, strata_of
from gatebot.core.view import MetricSample
from gatebot.model.metric import Metric

MARGIN_CONFIDENCE = 0.90


Scope = Literal["suite", "generalize"]


@dataclass(frozen=True)
class Comparison:
    """One metric, base against head.

    `base`, `head`: means over cases (geometric for ratio metrics). `delta`: head − base, on the log scale for ratio
    metrics. `worse`, `better`: one-sided p-values by themselves; `adjusted_*` after max-T over the gating metrics.
    `told`: what the test said of 0 at the level it was held against, None while it was held against none. Intervals
    are worked out when asked for.
    """

    sample: MetricSample
    base: float
    head: float
    delta: float
    confidence: float
    worse: float
    better: float
    exact: bool
    adjusted_worse: float
    adjusted_better: float
    adjustment: Adjustment = "none"
    scope: Scope = "suite"
    told: Beyond | None = None

    @property
    def metric(self) -> Metric:
        """The metric compared."""
        return self.sample.metric

    @property
    def loss(self) -> float:
        """How much worse the head is, positive = worse, on the comparison's scale."""
        return -self.delta if self.metric.direction == "higher" else self.delta

    @cached_property
    def interval(self) -> Limits:
        """The two-sided interval at `confidence`, made to agree with the test of 0 (statistics §3)."""
        limits = interval_of(self.sample, self.confidence, self.scope)
        return limits if self.told is None else agreeing_with(limits, self.told)

    @cached_property
    def margin_interval(self) -> Limits:
        """The interval at 90 %, by which the margin is judged whatever look this is."""
        return interval_of(self.sample, MARGIN_CONFIDENCE, self.scope)

    @property
    def worst_loss(self) -> float:
        """The largest loss the 90 % interval leaves open."""
        return self._worst(self.margin_interval)

    def worst_loss_at(self, confidence: float) -> float:
        """The largest loss an interval of that confidence leaves open."""
        return self._worst(interval_of(self.sample, confidence, self.scope))

    def _worst(self, limits: Limits) -> float:
        low, high = limits
        return -low if self.metric.direction == "higher" else high


def strata(sample: MetricSample) -> Strata:
    """A sample as numbers, logged for ratio metrics. Raises ValueError for a sample without cases."""
    plain = strata_of(sample.base, sample.head)
    return log_strata(plain, floor=sample.metric.floor) if sample.metric.scale == "ratio" else plain


def compare(
    samples: Sequence[MetricSample],
    *,
    confidence: float,
    permutations: int = PERMUTATIONS,
    scope: Scope = "suite",
) -> list[Comparison]:
    """Compare each sample (all with at least one case), in the order given.

    Several metrics are adjusted together (step-down max-T); a single one needs no adjustment. `confidence` is that of
    the two-sided interval shown, 1 − 2·level.
    """
    if not samples:
        return []
    numbers = [strata(sample) for sample in samples]
    alone = scope == "suite" and len(samples) == 1 and samples[0].metric.scale == "binary"
    # The exact test of one pass/fail metric draws nothing.
    draws = Draws(0 if alone else seed_of(samples), permutations)
    tested = (within_cases if scope == "suite" else over_cases)(samples, numbers, draws)
    return [
        _comparison(sample, values, tested, index, (confidence, scope))
        for index, (sample, values) in enumerate(zip(samples, numbers, strict=True))
    ]


def interval_of(sample: MetricSample, confidence: float, scope: Scope) -> Limits:
    """The two-sided interval of the difference, on the comparison's scale (statistics §3)."""
    values = strata(sample)
    if scope == "suite" or values.cases < 2:
        return effect_interval(values, confidence)
    return paired_t_interval(case_differences(values), confidence)


def agreeing(comparison: Comparison, level: float) -> Comparison:
    """The comparison whose interval includes 0 unless the test rejects it at `level` (statistics §3).

    It is the test of the mean that counts: a single case may have regressed while the mean did not move.
    """
    told: Beyond = "neither"
    p = comparison.adjusted_worse if comparison.loss > 0 else comparison.adjusted_better
    if comparison.delta and p <= level:
        told = "below" if comparison.delta < 0 else "above"
    return replace(comparison, told=told)


def seed_of(samples: Sequence[MetricSample]) -> int:
    """A seed digested from the samples themselves: same evidence, same resampling, on any machine."""
    digest = hashlib.sha256()
    for sample in samples:
        digest.update(sample.metric.name.encode())
        for case, base, head in zip(sample.cases, sample.base, sample.head, strict=True):
            digest.update(case.encode() + b"\0")
            for values in (base, head):
                digest.update(struct.pack(f"<q{len(values)}d", len(values), *values))
    return int.from_bytes(digest.digest()[:8], "big") >> 1


def _comparison(
    sample: MetricSample, values: Strata, tested: Tested, index: int, shown: tuple[float, Scope]
) -> Comparison:
    confidence, scope = shown
    raw, adjusted = tested.raw[index], tested.adjusted[index]
    up = sample.metric.direction == "higher"
    base, head = (math.fsum(case_means(arm).tolist()) / values.cases for arm in (values.base, values.head))
    ratio = sample.metric.scale == "ratio"
    return Comparison(
        sample=sample,
        base=math.exp(base) if ratio else base,
        head=math.exp(head) if ratio else head,
        delta=math.fsum(case_differences(values).tolist()) / values.cases,
        confidence=confidence,
        worse=raw.worse(higher_is_better=up),
        better=raw.better(higher_is_better=up),
        exact=tested.exact[index],
        adjusted_worse=adjusted.worse(higher_is_better=up),
        adjusted_better=adjusted.better(higher_is_better=up),
        adjustment=tested.adjustment,
        scope=scope,
    )
