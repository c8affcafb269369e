"""Recorded trials dealt to two sides at random, and regressions planted into one of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gatebot.core.stats.drawing import SOUND, generator_of
from gatebot.core.stats.strata import FloatArray

LOST = 0.15

Values = dict[str, FloatArray]
"""Metric -> cases x slots; NaN where a trial has no value or is missing."""


def dealt(
    recorded: Mapping[str, FloatArray], primary: str, slots: int, seed: tuple[int, ...]
) -> tuple[Values, Values]:
    """Every case's trials in random order, the first half to one side and as many to the other.

    A trial is there where it has a value of `primary`; it is dealt whole. What a case lacks is NaN at the end of a row.
    """
    generator = generator_of(*seed)
    there = ~np.isnan(recorded[primary])
    order = np.argsort(generator.random(there.shape) + ~there, axis=1)
    half = (np.sum(there, axis=1) // 2)[:, None]
    columns = np.arange(slots)[None, :]
    base: Values = {}
    head: Values = {}
    for name, values in recorded.items():
        shuffled = np.take_along_axis(values, order, axis=1)
        later = np.minimum(half + columns, shuffled.shape[1] - 1)
        base[name] = np.where(columns < half, shuffled[:, :slots], np.nan)
        head[name] = np.where(columns < half, np.take_along_axis(shuffled, later, axis=1), np.nan)
    return base, head


def one_broken(passes: FloatArray, seed: tuple[int, ...]) -> FloatArray:
    """The passes (cases x slots) with one case failing always: one that passed SOUND of the time, or the best ones."""
    there = ~np.isnan(passes)
    rates = np.nansum(passes, axis=1) / np.maximum(np.sum(there, axis=1), 1)
    broken = int(generator_of(*seed).choice(np.flatnonzero(rates >= min(SOUND, float(rates.max())))))
    changed = passes.copy()
    changed[broken] = np.where(there[broken], 0.0, np.nan)
    return changed


def passes_lost(passes: FloatArray, seed: tuple[int, ...]) -> FloatArray:
    """The passes with each of them lost by a chance of LOST."""
    lost = generator_of(*seed).random(passes.shape) < LOST
    return np.where((passes == 1.0) & lost, 0.0, passes)
