"""The within-case permutation test of several metrics at once, with step-down max-T."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gatebot.core.stats.labelings import drawn_sums, labelings, rankable, ranked_sums
from gatebot.core.stats.resampling import PERMUTATIONS
from gatebot.core.stats.shuffled import ShuffledCase, prepared
from gatebot.core.stats.strata import FloatArray, Strata, Tails

# With no more labelings than this, all of them are gone through and p is exact.
ENUMERATION_LIMIT = 50_000
# Statistics have variance one; two closer than this are the same number, rounded differently.
TIE = 1e-9


@dataclass(frozen=True, slots=True)
class JointTails:
    """What a joint permutation test found, one entry per metric and in the order given.

    `raw` are the p-values of each metric by itself, `adjusted` those of the step-down max-T
    procedure, each for both directions of D. `exact` tells whether all `labelings` were gone
    through; otherwise so many were drawn.
    """

    raw: tuple[Tails, ...]
    adjusted: tuple[Tails, ...]
    exact: bool
    labelings: int


def permutation_tails(strata: Strata, *, seed: int, permutations: int = PERMUTATIONS) -> tuple[Tails, bool]:
    """One metric by itself: both p-values of D, and whether they are exact (all labelings)."""
    base = [values.reshape(-1, 1) for values in strata.base]
    head = [values.reshape(-1, 1) for values in strata.head]
    joint = joint_permutation(base, head, seed=seed, permutations=permutations)
    return joint.raw[0], joint.exact


def joint_permutation(
    base: Sequence[FloatArray],
    head: Sequence[FloatArray],
    *,
    seed: int,
    permutations: int = PERMUTATIONS,
) -> JointTails:
    """Shuffle base/head labels within cases, jointly for all metrics, and adjust by max-T.

    `base[i]` and `head[i]` are trials x metrics for case i; NaN = the trial has no value for that
    metric. A label moves with its whole trial, what is missing included, so that shuffling stays
    exact where metrics are missing on different trials: a metric's part of D from a case is then the
    difference of the means of what is there under that labeling, and 0 where one side has nothing.

    The statistic is D divided by its standard deviation over labelings: in closed form (sampling
    without replacement), or over the labelings gone through for a metric missing on some trials of a
    case. A metric that cannot vary has T = 0 and p = 1. Adjusted p-values are the free step-down
    max-T of Westfall and Young (1993), in each direction by itself; p is (1 + exceedances) /
    (1 + draws), Phipson and Smyth (2010), or the plain share where all labelings can be enumerated.
    Same arguments, same result: draws come from PCG64(seed). Raises ValueError for infinite values,
    a side without a trial, or a metric without any value.
    """
    cases, observed = prepared(base, head)
    total = math.prod(labelings(case.trials, case.heads) for case in cases)
    exact = total <= ENUMERATION_LIMIT and all(rankable(case.trials) for case in cases)
    shuffled = (
        _all_statistics(cases, total, observed.size)
        if exact
        else _drawn_statistics(cases, permutations, observed.size, seed)
    )
    partial = sorted({metric for case in cases for metric in case.partial})
    if partial:
        scale = _spread(shuffled[:, partial], None if exact else observed[partial])
        shuffled[:, partial] *= scale
        observed[partial] *= scale
    upper = step_down(observed, shuffled, exact=exact)
    lower = step_down(-observed, -shuffled, exact=exact)
    return JointTails(
        raw=tuple(Tails(low, up) for low, up in zip(lower[0], upper[0], strict=True)),
        adjusted=tuple(Tails(low, up) for low, up in zip(lower[1], upper[1], strict=True)),
        exact=exact,
        labelings=total if exact else permutations,
    )


def step_down(observed: FloatArray, shuffled: FloatArray, *, exact: bool) -> tuple[list[float], list[float]]:
    """Raw and max-T adjusted upper-tail p-values of several studentised statistics.

    `observed` has one number per metric, `shuffled` is draws x metrics under the hypothesis.
    With `exact`, the draws are all possibilities and include the observed one; otherwise the
    observed one is added to them.
    """
    extra = 0 if exact else 1
    draws = shuffled.shape[0] + extra
    raw = (np.count_nonzero(shuffled >= observed - TIE, axis=0) + extra) / draws
    order = np.argsort(-observed, kind="stable")
    # Column j: the largest statistic among the metrics that rank j-th or lower.
    largest = np.maximum.accumulate(shuffled[:, order[::-1]], axis=1)[:, ::-1]
    stepped = (np.count_nonzero(largest >= observed[order] - TIE, axis=0) + extra) / draws
    adjusted = np.empty_like(stepped)
    adjusted[order] = np.maximum.accumulate(stepped)
    return raw.tolist(), adjusted.tolist()


def _spread(shuffled: FloatArray, observed: FloatArray | None) -> FloatArray:
    """One over the standard deviation (about 0) per column, the observed labeling included; 0 without any.

    As it is the same whichever of the labelings was the observed one, the p-values stay exact.
    """
    squares = np.sum(shuffled**2, axis=0) + (0.0 if observed is None else observed**2)
    deviation = np.sqrt(squares / (shuffled.shape[0] + (0 if observed is None else 1)))
    return np.where(deviation > TIE, 1.0 / np.where(deviation > TIE, deviation, 1.0), 0.0)


def _drawn_statistics(cases: list[ShuffledCase], permutations: int, metrics: int, seed: int) -> FloatArray:
    generator = np.random.Generator(np.random.PCG64(seed))
    statistics = np.zeros((permutations, metrics))
    for case in cases:
        if case.partial:
            statistics += case.of_sums(_total(drawn_sums(case.values, case.heads, permutations, generator)))
            continue
        for part in drawn_sums(case.values, case.heads, permutations, generator):
            statistics += part
    return statistics


def _total(parts: Iterator[FloatArray]) -> FloatArray:
    total = next(parts)
    for part in parts:
        total += part
    return total


def _all_statistics(cases: list[ShuffledCase], total: int, metrics: int) -> FloatArray:
    ranks = np.arange(total, dtype=np.int64)
    statistics = np.zeros((total, metrics))
    for case in cases:
        ways = labelings(case.trials, case.heads)
        if case.partial:
            statistics += case.of_sums(_total(ranked_sums(case.values, case.heads, ranks % ways)))
        else:
            for part in ranked_sums(case.values, case.heads, ranks % ways):
                statistics += part
        ranks //= ways
    return statistics
