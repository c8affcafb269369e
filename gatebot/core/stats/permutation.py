"""The within-case permutation test of several metrics at once, with step-down max-T."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gatebot.core.stats.labelings import drawn_sums, labelings, rankable, ranked_sums
from gatebot.core.stats.strata import FloatArray, Strata, Tails

PERMUTATIONS = 9_999
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


@dataclass(frozen=True, slots=True)
class _Case:
    """Trials x metrics, scaled so that sums over head trials add up to the studentised D."""

    values: FloatArray
    heads: int


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

    `base[i]` and `head[i]` are trials x metrics for case i. A column that is NaN on every trial of
    a case takes no part in that case, which then carries no weight in that metric; any other NaN
    raises ValueError, as joint labels would mean different things to different metrics.

    The statistic is D divided by its standard deviation over all labelings (known in closed form:
    sampling without replacement). A metric that cannot vary has T = 0 and p = 1. Adjusted p-values
    are the free step-down max-T of Westfall and Young (1993), in each direction by itself; p is
    (1 + exceedances) / (1 + draws), Phipson and Smyth (2010), or the plain share where all
    labelings can be enumerated. Same arguments, same result: draws come from PCG64(seed).
    """
    cases, observed = _prepared(base, head)
    total = math.prod(labelings(case.values.shape[0], case.heads) for case in cases)
    exact = total <= ENUMERATION_LIMIT and all(rankable(case.values.shape[0]) for case in cases)
    shuffled = (
        _all_statistics(cases, total, observed.size)
        if exact
        else _drawn_statistics(cases, permutations, observed.size, seed)
    )
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


def _prepared(base: Sequence[FloatArray], head: Sequence[FloatArray]) -> tuple[list[_Case], FloatArray]:
    """Scale every case's values; return the cases that can move, and the observed statistics."""
    if not base or len(base) != len(head):
        raise ValueError("a permutation test needs the same cases on both sides, at least one")
    pooled = [np.concatenate((first, second), axis=0) for first, second in zip(base, head, strict=True)]
    for index, values in enumerate(pooled):
        _check_case(values, index, base[index].shape[0], head[index].shape[0])
    present = np.array([~np.isnan(values[0]) for values in pooled])
    weights = present.sum(axis=0)
    if not bool(weights.all()):
        raise ValueError("a metric has no value on any case")
    variance = np.zeros(weights.size)
    cases: list[tuple[FloatArray, int]] = []
    for index, values in enumerate(pooled):
        heads = head[index].shape[0]
        bases = base[index].shape[0]
        # Centred on the first trial first: a constant column becomes exactly zero.
        centred = np.where(np.isnan(values), 0.0, values - values[0])
        centred -= np.mean(centred, axis=0)
        centred *= np.any(values != values[0], axis=0) & present[index]
        centred *= (1.0 / heads + 1.0 / bases) / weights
        # Variance of the sum of `heads` of N numbers with mean 0, drawn without replacement.
        trials = heads + bases
        variance += np.sum(centred**2, axis=0) * heads * bases / (trials * (trials - 1))
        if bool(centred.any()):
            cases.append((centred, heads))
    scale = np.where(variance > 0.0, 1.0 / np.sqrt(np.where(variance > 0.0, variance, 1.0)), 0.0)
    scaled = [_Case(np.ascontiguousarray(values * scale), heads) for values, heads in cases]
    observed = np.zeros(weights.size)
    for case in scaled:
        observed += np.sum(case.values[-case.heads :], axis=0)
    return scaled, observed


def _check_case(values: FloatArray, index: int, bases: int, heads: int) -> None:
    if not bases or not heads:
        raise ValueError(f"case {index} has no trial on one side")
    missing = np.isnan(values)
    if bool((missing.any(axis=0) & ~missing.all(axis=0)).any()):
        raise ValueError(f"case {index} has metrics missing on some of its trials only")
    if bool(np.isinf(values).any()):
        raise ValueError(f"case {index} has an infinite value")


def _drawn_statistics(cases: list[_Case], permutations: int, metrics: int, seed: int) -> FloatArray:
    generator = np.random.Generator(np.random.PCG64(seed))
    statistics = np.zeros((permutations, metrics))
    for case in cases:
        for part in drawn_sums(case.values, case.heads, permutations, generator):
            statistics += part
    return statistics


def _all_statistics(cases: list[_Case], total: int, metrics: int) -> FloatArray:
    ranks = np.arange(total, dtype=np.int64)
    statistics = np.zeros((total, metrics))
    for case in cases:
        ways = labelings(case.values.shape[0], case.heads)
        for part in ranked_sums(case.values, case.heads, ranks % ways):
            statistics += part
        ranks //= ways
    return statistics
