"""Boschloo's exact test of two pass counts, as a table per pair of trial counts."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from gatebot.core.stats.exact import hypergeometric_law
from gatebot.core.stats.strata import FloatArray

_GRID = 1000
_FINE = 40
_SAME = 1e-10


def fisher_p(base: tuple[int, int], head: tuple[int, int]) -> float:
    """Fisher's one-sided p-value that the head passes less often; (passes, trials) per side.

    The chance, with pooled passes fixed, of so few passes at the head (Fisher 1935). Raises
    ValueError if there are more passes than trials or no trial.
    """
    (base_passes, base_trials), (head_passes, head_trials) = base, head
    _check(base_passes, base_trials)
    _check(head_passes, head_trials)
    total = base_passes + head_passes
    law = hypergeometric_law(base_trials, head_trials, total)
    return min(float(np.sum(law[: head_passes - max(0, total - base_trials) + 1])), 1.0)


def boschloo_p(base: tuple[int, int], head: tuple[int, int]) -> float:
    """Boschloo's one-sided p-value that the head passes less often; (passes, trials) per side.

    For the opposite question swap the sides. Raises ValueError as `fisher_p` does.
    """
    (base_passes, base_trials), (head_passes, head_trials) = base, head
    _check(base_passes, base_trials)
    _check(head_passes, head_trials)
    return float(boschloo_table(base_trials, head_trials)[base_passes, head_passes])


@lru_cache(maxsize=64)
def boschloo_table(base_trials: int, head_trials: int) -> FloatArray:
    """p-values of all outcomes, (base_trials + 1) x (head_trials + 1), indexed by passes. Read-only.

    Boschloo (Statist. Neerl. 1970): an outcome is as extreme as its Fisher p-value is small, and p
    is the largest chance, over the common pass rate, of an outcome at least as extreme. The
    largest value is looked for on a grid of rates and then on a finer one around the best point.
    """
    fisher = _fisher_table(base_trials, head_trials)
    order = np.argsort(fisher, axis=None, kind="stable")
    ranked = fisher.ravel()[order]
    # The last outcome of each run of equal Fisher p-values; ties count as equally extreme.
    ends = np.flatnonzero(np.append(ranked[1:] > ranked[:-1] * (1.0 + _SAME), True))
    rates = np.linspace(0.0, 1.0, _GRID + 1)
    chances = _cumulated(base_trials, head_trials, order, rates)[ends]
    best = rates[np.argmax(chances, axis=1)]
    largest: FloatArray = chances.max(axis=1)
    outcome_level = np.searchsorted(ends, np.arange(order.size))
    offsets = np.linspace(-1.0 / _GRID, 1.0 / _GRID, 2 * _FINE + 1)
    for peak in np.unique(best):
        near = np.clip(peak + offsets, 0.0, 1.0)
        fine = _cumulated(base_trials, head_trials, order, near)[ends].max(axis=1)
        here = best == peak
        largest[here] = np.maximum(largest[here], fine[here])
    table = np.empty(order.size)
    table[order] = np.minimum(np.maximum.accumulate(largest), 1.0)[outcome_level]
    table = table.reshape(fisher.shape)
    table.setflags(write=False)
    return table


def _fisher_table(base_trials: int, head_trials: int) -> FloatArray:
    table = np.empty((base_trials + 1, head_trials + 1))
    for total in range(base_trials + head_trials + 1):
        low = max(0, total - base_trials)
        tail = np.cumsum(hypergeometric_law(base_trials, head_trials, total))
        heads = np.arange(low, low + tail.size)
        table[total - heads, heads] = tail
    return table


def _cumulated(
    base_trials: int, head_trials: int, order: np.ndarray[tuple[int], np.dtype[np.intp]], rates: FloatArray
) -> FloatArray:
    """Chance of the outcomes up to each rank, ranks x rates."""
    base = _binomial(base_trials, rates)
    head = _binomial(head_trials, rates)
    joint = (base[:, None, :] * head[None, :, :]).reshape(-1, rates.size)
    return np.cumsum(joint[order], axis=0)


def _binomial(trials: int, rates: FloatArray) -> FloatArray:
    passes = np.arange(trials + 1, dtype=np.float64)[:, None]
    ways = np.array([float(math.comb(trials, x)) for x in range(trials + 1)])[:, None]
    return ways * rates**passes * (1.0 - rates) ** (trials - passes)


def _check(passes: int, trials: int) -> None:
    if trials < 1 or not 0 <= passes <= trials:
        raise ValueError(f"{passes} passes of {trials} trials cannot be")
