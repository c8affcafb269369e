"""What label shuffles need of every case: values centred and scaled, so that sums over head trials add up to T."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gatebot.core.stats.strata import FloatArray


@dataclass(frozen=True, slots=True)
class ShuffledCase:
    """One case whose labels move: `values` is trials x metrics, scaled; sums over head trials add up to T.

    `partial` are the metrics missing on some of its trials. Their columns hold centred values with 0
    where missing, and for each of them one more column counts the trials that have a value.
    """

    values: FloatArray
    heads: int
    partial: tuple[int, ...] = ()
    weights: tuple[float, ...] = ()

    @property
    def trials(self) -> int:
        """Trials of both sides."""
        return self.values.shape[0]

    def of_sums(self, sums: FloatArray) -> FloatArray:
        """Sums over head trials (labelings x columns) as this case's part of every metric's statistic."""
        metrics = self.values.shape[1] - len(self.partial)
        parts = sums[:, :metrics]
        for place, metric in enumerate(self.partial):
            there = float(np.sum(self.values[:, metrics + place]))
            heads = np.rint(sums[:, metrics + place])
            both = (heads > 0.0) & (heads < there)
            with np.errstate(divide="ignore"):
                factor = np.where(both, 1.0 / heads + 1.0 / (there - heads), 0.0)
            parts[:, metric] *= factor * self.weights[place]
        return parts


def prepared(base: Sequence[FloatArray], head: Sequence[FloatArray]) -> tuple[list[ShuffledCase], FloatArray]:
    """Scale every case's values; return the cases that can move, and the observed statistics.

    Metrics complete within every case are divided by their standard deviation over all labelings;
    those missing on some trials of a case are left unscaled. Raises ValueError as `joint_permutation`.
    """
    if not base or len(base) != len(head):
        raise ValueError("a permutation test needs the same cases on both sides, at least one")
    pooled = [np.concatenate((first, second), axis=0) for first, second in zip(base, head, strict=True)]
    present = [~np.isnan(values) for values in pooled]
    for index, values in enumerate(pooled):
        if not base[index].shape[0] or not head[index].shape[0]:
            raise ValueError(f"case {index} has no trial on one side")
        if bool(np.isinf(values).any()):
            raise ValueError(f"case {index} has an infinite value")
    weights = np.sum([there.any(axis=0) for there in present], axis=0).astype(np.float64)
    if not bool(weights.all()):
        raise ValueError("a metric has no value on any case")
    variance = np.zeros(weights.size)
    unscaled = np.zeros(weights.size, dtype=np.bool_)
    moving: list[tuple[FloatArray, FloatArray, int]] = []
    for index, (values, there) in enumerate(zip(pooled, present, strict=True)):
        heads, bases = head[index].shape[0], base[index].shape[0]
        partial = there.any(axis=0) & ~there.all(axis=0)
        unscaled |= partial
        centred = _centred(values, there)
        factor = (1.0 / heads + 1.0 / bases) / weights
        whole = centred * np.where(partial, 1.0, factor)
        # Variance of the sum of `heads` of N numbers with mean 0, drawn without replacement.
        trials = heads + bases
        variance += np.sum(whole**2, axis=0) * heads * bases / (trials * (trials - 1))
        if bool(whole.any()):
            moving.append((whole, there.astype(np.float64), heads))
    scale = np.where(variance > 0.0, 1.0 / np.sqrt(np.where(variance > 0.0, variance, 1.0)), 0.0)
    scale = np.where(unscaled, 1.0, scale)
    cases = [_case(whole * scale, there, heads, weights) for whole, there, heads in moving]
    observed = np.zeros(weights.size)
    for case in cases:
        sums = np.sum(case.values[-case.heads :], axis=0)
        observed += case.of_sums(sums[None, :])[0] if case.partial else sums
    return cases, observed


def _case(whole: FloatArray, there: FloatArray, heads: int, weights: FloatArray) -> ShuffledCase:
    """`there`: 1 where a value is, trials x metrics; a column that is neither all 1 nor all 0 is partial."""
    partial = np.flatnonzero(there.any(axis=0) & ~there.all(axis=0))
    if not partial.size:
        return ShuffledCase(np.ascontiguousarray(whole), heads)
    return ShuffledCase(
        np.concatenate((whole, there[:, partial]), axis=1),
        heads,
        tuple(partial.tolist()),
        tuple((1.0 / weights[partial]).tolist()),
    )


def _centred(values: FloatArray, there: FloatArray) -> FloatArray:
    """Each column less its mean over what is there, and 0 where nothing is.

    Centred on the first value first: a constant column becomes exactly zero.
    """
    first = np.take_along_axis(values, np.argmax(there, axis=0)[None, :], axis=0)
    moved = np.where(there, values - first, 0.0)
    count = np.maximum(np.sum(there, axis=0), 1)
    return np.where(there & np.any(moved != 0.0, axis=0), moved - np.sum(moved, axis=0) / count, 0.0)
