"""Convicting single cases: suspects confirmed on fresh trials, or the exact min-P over all cases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gatebot.core.stats.boschloo import boschloo_p
from gatebot.core.stats.exact import hypergeometric_law
from gatebot.core.stats.multiplicity import holm
from gatebot.core.stats.strata import FloatArray, PassCounts

SUSPECT_DROP = 0.5
CONFIRM_TRIALS = 7
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class MinP:
    """Per case, in the order given: Fisher's p and the p adjusted over all cases.

    `smallest` is the smallest adjusted p that any outcome with the same pooled passes could have
    given: it does not depend on which trials were base and which head. `reachable` tells whether
    that is within the level.
    """

    raw: tuple[float, ...]
    adjusted: tuple[float, ...]
    smallest: float
    reachable: bool


def suspects(counts: PassCounts) -> tuple[int, ...]:
    """The cases, by position, whose pass rate fell by at least one half."""
    drop = counts.base_passes / counts.base_trials - counts.head_passes / counts.head_trials
    return tuple(int(i) for i in np.flatnonzero(drop >= SUSPECT_DROP - _ROUNDING))


def confirmed_p(fresh: PassCounts) -> tuple[float, ...]:
    """Holm-adjusted one-sided Boschloo p per suspect, on trials that did not choose the suspects.

    Raises ValueError for fractional passes.
    """
    if not fresh.whole:
        raise ValueError("a test of single cases needs whole passes")
    rows = zip(fresh.base_passes, fresh.base_trials, fresh.head_passes, fresh.head_trials, strict=True)
    return tuple(holm([boschloo_p((int(xb), int(kb)), (int(xh), int(kh))) for xb, kb, xh, kh in rows]))


def min_p(counts: PassCounts, *, level: float) -> MinP:
    """The exact step-down min-P test of "no case passes less often at the head", to be held at `level`.

    Adjusted p of a case = chance that any of the cases not yet rejected shows a Fisher p so small.
    As cases are independent given their pooled passes, that is 1 - prod(1 - F_j(p)), F_j(p) being
    the largest p-value <= p that case j can attain: a discrete form of Sidak's correction (Sidak
    1967; Westfall and Young 1993; that cases which cannot attain p drop out is Tarone's point,
    Biometrics 1990). Raises ValueError for fractional passes.
    """
    if not counts.whole:
        raise ValueError("a test of single cases needs whole passes")
    shapes, index = _shapes(counts)
    tails = [np.minimum(np.cumsum(hypergeometric_law(*shape)), 1.0) for shape in shapes]
    least = np.array([max(0, total - bases) for bases, _, total in shapes])
    place = counts.head_passes.astype(np.int64) - least[index]
    raw = np.array([tails[shape][x] for shape, x in zip(index, place, strict=True)])
    order = np.argsort(raw, kind="stable")
    # remaining[r, s]: cases of shape s that rank r-th or later.
    one_hot = (index[order][:, None] == np.arange(len(shapes))).astype(np.float64)
    remaining = np.cumsum(one_hot[::-1], axis=0)[::-1]
    stepped = np.maximum.accumulate(_any_case(tails, raw[order], remaining))
    adjusted = np.empty_like(stepped)
    adjusted[order] = stepped
    attainable = np.array([min(float(tail[0]) for tail in tails)])
    smallest = float(_any_case(tails, attainable, remaining[:1])[0])
    return MinP(tuple(raw.tolist()), tuple(adjusted.tolist()), smallest, smallest <= level)


def _shapes(
    counts: PassCounts,
) -> tuple[list[tuple[int, int, int]], np.ndarray[tuple[int], np.dtype[np.intp]]]:
    """The distinct (base trials, head trials, pooled passes) and each case's place among them."""
    rows = np.stack(
        (counts.base_trials, counts.head_trials, counts.base_passes + counts.head_passes), axis=1
    ).astype(np.int64)
    unique, index = np.unique(rows, axis=0, return_inverse=True)
    return [(int(a), int(b), int(c)) for a, b, c in unique], index.ravel()


def _any_case(tails: list[FloatArray], levels: FloatArray, cases: FloatArray) -> FloatArray:
    """P(some case attains a p-value <= level), per level; `cases` is levels x shapes of counts."""
    log_none = np.zeros(levels.size)
    for shape, tail in enumerate(tails):
        attained = np.concatenate((np.zeros(1), tail))
        reach = attained[np.searchsorted(tail, levels * (1.0 + _ROUNDING), side="right")]
        with np.errstate(divide="ignore"):
            term = np.log1p(-reach)
        present = cases[:, shape] > 0.0
        log_none[present] += cases[present, shape] * term[present]
    return -np.expm1(log_none)
