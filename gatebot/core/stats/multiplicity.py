"""Several p-values at once: Holm for what gates, Benjamini-Hochberg for what only informs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gatebot.core.stats.strata import FloatArray


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm-adjusted p-values, in the order given (Holm, Scand. J. Statist. 1979).

    Rejecting whatever is <= alpha keeps the chance of any false rejection at or below alpha,
    however the p-values depend on each other. An empty list gives an empty list.
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    factors = np.arange(p.size, 0, -1, dtype=np.float64)
    stepped = np.minimum(np.maximum.accumulate(p[order] * factors), 1.0)
    return _restore(stepped, order)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """BH-adjusted p-values, in the order given (Benjamini and Hochberg, JRSS B 1995).

    Controls the expected share of false findings among the findings, under independence or
    positive dependence. Never for the gate: the chance of *any* false finding is not held.
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    ranks = np.arange(1, p.size + 1, dtype=np.float64)
    scaled = p[order] * p.size / ranks
    stepped = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return _restore(stepped, order)


def _checked(p_values: Sequence[float]) -> FloatArray:
    p = np.asarray(p_values, dtype=np.float64)
    if not bool(((p >= 0.0) & (p <= 1.0)).all()):
        raise ValueError("p-values lie between 0 and 1")
    return p


def _restore(stepped: FloatArray, order: np.ndarray[tuple[int], np.dtype[np.intp]]) -> list[float]:
    restored = np.empty_like(stepped)
    restored[order] = stepped
    return restored.tolist()
