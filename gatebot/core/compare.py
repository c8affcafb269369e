"""Base against head, metric by metric: difference, interval, p-values. Numbers only; no verdict yet."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gatebot.core.evidence import MetricSample
from gatebot.core.stats.exact import exact_tails
from gatebot.core.stats.interval import Limits, effect_interval, extended_to_zero
from gatebot.core.stats.multiplicity import holm
from gatebot.core.stats.permutation import PERMUTATIONS, joint_permutation, permutation_tails
from gatebot.core.stats.strata import (
    FloatArray,
    Strata,
    Tails,
    effect,
    log_strata,
    pass_counts,
    strata_of,
)
from gatebot.model.metric import Metric

INFORMING_PERMUTATIONS = 1_999
MARGIN_CONFIDENCE = 0.90
ZERO_FLOOR = 0.5
"""What a zero counts as on the log scale of a ratio metric (half a call, half a token): its ratio stays finite."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric, base against head.

    `base`, `head`: means over cases (geometric for ratio metrics). `delta`: head − base, on the log scale for ratio
    metrics. `interval`: two-sided at `confidence`, on the same scale; `margin_interval` at 90 %, for the margin.
    `worse`, `better`: one-sided p-values by themselves; `adjusted_*` after max-T over the gating metrics.
    """

    sample: MetricSample
    base: float
    head: float
    delta: float
    interval: Limits
    confidence: float
    margin_interval: Limits
    worse: float
    better: float
    exact: bool
    adjusted_worse: float
    adjusted_better: float

    @property
    def metric(self) -> Metric:
        """The metric compared."""
        return self.sample.metric

    @property
    def loss(self) -> float:
        """How much worse the head is, positive = worse, on the comparison's scale."""
        return -self.delta if self.metric.direction == "higher" else self.delta

    @property
    def worst_loss(self) -> float:
        """The largest loss the 90 % interval leaves open."""
        low, high = self.margin_interval
        return -low if self.metric.direction == "higher" else high


def strata(sample: MetricSample) -> Strata:
    """A sample as numbers, logged for ratio metrics. Raises ValueError for a sample without cases."""
    plain = strata_of(sample.base, sample.head)
    return log_strata(plain, floor=ZERO_FLOOR) if sample.metric.scale == "ratio" else plain


def compare(samples: Sequence[MetricSample], *, confidence: float, gating: bool) -> list[Comparison]:
    """Compare each sample (all with at least one case), in the order given.

    With `gating`, several metrics are adjusted together by step-down max-T; a single one needs no adjustment.
    `confidence` is that of the two-sided interval shown, 1 − 2·level.
    """
    if not samples:
        return []
    seed = seed_of(samples)
    numbers = [strata(sample) for sample in samples]
    permutations = PERMUTATIONS if gating else INFORMING_PERMUTATIONS
    raw, adjusted, exact = _p_values(samples, numbers, seed=seed, permutations=permutations)
    return [
        _comparison(sample, values, (raw[i], adjusted[i], exact[i]), confidence)
        for i, (sample, values) in enumerate(zip(samples, numbers, strict=True))
    ]


def agreeing(comparison: Comparison, *, rejected: bool) -> Comparison:
    """The comparison with its interval stretched to include 0 when the test did not reject (statistics §3)."""
    return replace(comparison, interval=extended_to_zero(comparison.interval, rejected=rejected))


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


def _p_values(
    samples: Sequence[MetricSample], numbers: Sequence[Strata], *, seed: int, permutations: int
) -> tuple[list[Tails], list[Tails], list[bool]]:
    """Raw tails (exact for binary metrics), tails adjusted over all samples, and which raw ones are exact."""
    raw: list[Tails] = []
    exact: list[bool] = []
    joint = _joint(samples, numbers, seed, permutations) if len(samples) > 1 else None
    for index, (sample, values) in enumerate(zip(samples, numbers, strict=True)):
        if sample.metric.scale == "binary":
            raw.append(exact_tails(pass_counts(values)))
            exact.append(True)
        elif joint is not None:
            raw.append(joint[0][index])
            exact.append(joint[2])
        else:
            tails, whole = permutation_tails(values, seed=seed, permutations=permutations)
            raw.append(tails)
            exact.append(whole)
    if len(samples) == 1:
        return raw, raw, exact
    if joint is not None:
        return raw, joint[1], exact
    return _holm_adjusted(samples, numbers, raw, exact, seed, permutations)


def _joint(
    samples: Sequence[MetricSample], numbers: Sequence[Strata], seed: int, permutations: int
) -> tuple[list[Tails], list[Tails], bool] | None:
    """Joint permutation, tails oriented so that `lower` means worse for every metric; None when trials differ."""
    arms = _aligned(samples, numbers)
    if arms is None:
        return None
    found = joint_permutation(arms[0], arms[1], seed=seed, permutations=permutations)
    turned = [_turned(tails, sample.metric) for tails, sample in zip(found.raw, samples, strict=True)]
    adjusted = [_turned(tails, sample.metric) for tails, sample in zip(found.adjusted, samples, strict=True)]
    return turned, adjusted, found.exact


def _aligned(
    samples: Sequence[MetricSample], numbers: Sequence[Strata]
) -> tuple[list[FloatArray], list[FloatArray]] | None:
    """Per case, trials × metrics for both arms, losses negative for every metric; NaN columns for absent cases.

    None when a metric is ungraded on some trials of a case only: joint labels would then mean different things.
    """
    cases = sorted({case for sample in samples for case in sample.cases})
    arms: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    index = [{case: i for i, case in enumerate(sample.cases)} for sample in samples]
    for case in cases:
        for arm, side in ((0, "base"), (1, "head")):
            columns = [
                getattr(values, side)[where[case]] if case in where else None
                for values, where in zip(numbers, index, strict=True)
            ]
            sizes = {column.size for column in columns if column is not None}
            if len(sizes) != 1:
                return None
            rows = sizes.pop()
            matrix = np.full((rows, len(samples)), np.nan)
            for j, column in enumerate(columns):
                if column is not None:
                    sign = 1.0 if samples[j].metric.direction == "higher" else -1.0
                    matrix[:, j] = sign * column
            arms[arm].append(matrix)
    return arms


def _turned(tails: Tails, metric: Metric) -> Tails:
    """Tails of a sign-flipped column, turned back to D = head − base."""
    return tails if metric.direction == "higher" else Tails(lower=tails.upper, upper=tails.lower)


def _holm_adjusted(
    samples: Sequence[MetricSample],
    numbers: Sequence[Strata],
    raw: list[Tails],
    exact: list[bool],
    seed: int,
    permutations: int,
) -> tuple[list[Tails], list[Tails], list[bool]]:
    """Holm over per-metric tests, for metrics that are missing on different trials (statistics §4)."""
    for index, (sample, values) in enumerate(zip(samples, numbers, strict=True)):
        if sample.metric.scale != "binary":
            raw[index], exact[index] = permutation_tails(values, seed=seed, permutations=permutations)
    higher = [sample.metric.direction == "higher" for sample in samples]
    worse = holm([t.worse(higher_is_better=up) for t, up in zip(raw, higher, strict=True)])
    better = holm([t.better(higher_is_better=up) for t, up in zip(raw, higher, strict=True)])
    adjusted = [
        Tails(lower=w, upper=b) if up else Tails(lower=b, upper=w)
        for w, b, up in zip(worse, better, higher, strict=True)
    ]
    return raw, adjusted, exact


def _comparison(
    sample: MetricSample, values: Strata, tests: tuple[Tails, Tails, bool], confidence: float
) -> Comparison:
    raw, adjusted, exact = tests
    up = sample.metric.direction == "higher"
    base, head = (_mean(arm) for arm in (values.base, values.head))
    ratio = sample.metric.scale == "ratio"
    return Comparison(
        sample=sample,
        base=math.exp(base) if ratio else base,
        head=math.exp(head) if ratio else head,
        delta=effect(values),
        interval=effect_interval(values, confidence),
        confidence=confidence,
        margin_interval=effect_interval(values, MARGIN_CONFIDENCE),
        worse=raw.worse(higher_is_better=up),
        better=raw.better(higher_is_better=up),
        exact=exact,
        adjusted_worse=adjusted.worse(higher_is_better=up),
        adjusted_better=adjusted.better(higher_is_better=up),
    )


def _mean(arms: Sequence[FloatArray]) -> float:
    return float(np.mean([float(np.mean(values)) for values in arms]))
