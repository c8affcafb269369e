"""The tests behind a comparison: raw and adjusted p-values for several metrics, by the scope that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gatebot.core.evidence import MetricSample
from gatebot.core.stats.exact import exact_tails
from gatebot.core.stats.generalize import joint_sign_flips
from gatebot.core.stats.multiplicity import holm
from gatebot.core.stats.permutation import joint_permutation, permutation_tails
from gatebot.core.stats.strata import FloatArray, Strata, Tails, case_differences, pass_counts
from gatebot.model.metric import Metric

Adjustment = Literal["none", "max-T", "Holm"]


@dataclass(frozen=True, slots=True)
class Tested:
    """Per metric, in the order given: p-values by themselves and adjusted over all, and which are exact."""

    raw: tuple[Tails, ...]
    adjusted: tuple[Tails, ...]
    exact: tuple[bool, ...]
    adjustment: Adjustment


@dataclass(frozen=True, slots=True)
class Draws:
    """How resampling is done: the seed, and how many labelings are drawn where not all can be gone through."""

    seed: int
    permutations: int


def within_cases(samples: Sequence[MetricSample], numbers: Sequence[Strata], draws: Draws) -> Tested:
    """Labels shuffled within cases: exact for binary metrics, joint step-down max-T over several metrics.

    Metrics that are ungraded on different trials cannot be shuffled jointly: Holm over their own tests then.
    """
    joint = _joint(samples, numbers, draws) if len(samples) > 1 else None
    raw: list[Tails] = []
    exact: list[bool] = []
    for index, (sample, values) in enumerate(zip(samples, numbers, strict=True)):
        if sample.metric.scale == "binary":
            raw.append(exact_tails(pass_counts(values)))
            exact.append(True)
        elif joint is not None:
            raw.append(joint.raw[index])
            exact.append(joint.exact[index])
        else:
            tails, whole = permutation_tails(values, seed=draws.seed, permutations=draws.permutations)
            raw.append(tails)
            exact.append(whole)
    if len(samples) == 1:
        return Tested(tuple(raw), tuple(raw), tuple(exact), "none")
    if joint is not None:
        return Tested(tuple(raw), joint.adjusted, tuple(exact), "max-T")
    return Tested(tuple(raw), _holm(samples, raw), tuple(exact), "Holm")


def over_cases(samples: Sequence[MetricSample], numbers: Sequence[Strata], draws: Draws) -> Tested:
    """Signs of case differences flipped, jointly for all metrics: cases are the sample (`scope: generalize`)."""
    cases = sorted({case for sample in samples for case in sample.cases})
    matrix = np.full((len(cases), len(samples)), np.nan)
    place = {case: row for row, case in enumerate(cases)}
    for column, (sample, values) in enumerate(zip(samples, numbers, strict=True)):
        rows = [place[case] for case in sample.cases]
        matrix[rows, column] = _sign(sample.metric) * case_differences(values)
    found = joint_sign_flips(matrix, seed=draws.seed, permutations=draws.permutations)
    raw = _turned_all(samples, found.raw)
    adjusted = raw if len(samples) == 1 else _turned_all(samples, found.adjusted)
    exact = (found.exact,) * len(samples)
    return Tested(raw, adjusted, exact, "none" if len(samples) == 1 else "max-T")


def _joint(samples: Sequence[MetricSample], numbers: Sequence[Strata], draws: Draws) -> Tested | None:
    """Joint permutation, or None when the metrics' trials differ."""
    arms = _aligned(samples, numbers)
    if arms is None:
        return None
    found = joint_permutation(arms[0], arms[1], seed=draws.seed, permutations=draws.permutations)
    return Tested(
        _turned_all(samples, found.raw),
        _turned_all(samples, found.adjusted),
        (found.exact,) * len(samples),
        "max-T",
    )


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
        for arm, sides in enumerate(([n.base for n in numbers], [n.head for n in numbers])):
            columns = [
                side[where[case]] if case in where else None for side, where in zip(sides, index, strict=True)
            ]
            sizes = {column.size for column in columns if column is not None}
            if len(sizes) != 1:
                return None
            matrix = np.full((sizes.pop(), len(samples)), np.nan)
            for j, column in enumerate(columns):
                if column is not None:
                    matrix[:, j] = _sign(samples[j].metric) * column
            arms[arm].append(matrix)
    return arms


def _sign(metric: Metric) -> float:
    """Metrics are turned so that lower always means worse."""
    return 1.0 if metric.direction == "higher" else -1.0


def _turned_all(samples: Sequence[MetricSample], tails: Sequence[Tails]) -> tuple[Tails, ...]:
    """Tails of turned columns, turned back to D = head − base."""
    return tuple(
        tail if sample.metric.direction == "higher" else Tails(lower=tail.upper, upper=tail.lower)
        for sample, tail in zip(samples, tails, strict=True)
    )


def _holm(samples: Sequence[MetricSample], raw: Sequence[Tails]) -> tuple[Tails, ...]:
    turned = _turned_all(samples, raw)
    worse = holm([tail.lower for tail in turned])
    better = holm([tail.upper for tail in turned])
    return _turned_all(samples, [Tails(lower=w, upper=b) for w, b in zip(worse, better, strict=True)])
