"""The tests behind a comparison: raw and adjusted p-values for several metrics, by the scope that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gatebot.core.stats.exact import exact_tails
from gatebot.core.stats.generalize import joint_sign_flips
from gatebot.core.stats.permutation import joint_permutation, permutation_tails
from gatebot.core.stats.strata import FloatArray, Strata, Tails, case_differences, pass_counts
from gatebot.core.view import MetricSample
from gatebot.model.metric import Metric

Adjustment = Literal["none", "max-T"]


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
    """Labels shuffled within cases: exact for binary metrics, joint step-down max-T over several metrics."""
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
    if joint is None:
        return Tested(tuple(raw), tuple(raw), tuple(exact), "none")
    return Tested(tuple(raw), joint.adjusted, tuple(exact), "max-T")


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


def _joint(samples: Sequence[MetricSample], numbers: Sequence[Strata], draws: Draws) -> Tested:
    """Whole trials shuffled: what is ungraded moves with its trial, so metrics may miss different trials."""
    cases = sorted({case for sample in samples for case in sample.cases})
    columns = [
        _Column.of(sample, values, _sign(sample.metric))
        for sample, values in zip(samples, numbers, strict=True)
    ]
    base = [_trials([column.base.get(case) for column in columns]) for case in cases]
    head = [_trials([column.head.get(case) for column in columns]) for case in cases]
    found = joint_permutation(base, head, seed=draws.seed, permutations=draws.permutations)
    return Tested(
        _turned_all(samples, found.raw),
        _turned_all(samples, found.adjusted),
        (found.exact,) * len(samples),
        "max-T",
    )


@dataclass(frozen=True, slots=True)
class _Column:
    """One metric: case → (slots, values turned so that lower means worse), per side."""

    base: dict[str, tuple[tuple[int, ...], FloatArray]]
    head: dict[str, tuple[tuple[int, ...], FloatArray]]

    @classmethod
    def of(cls, sample: MetricSample, values: Strata, sign: float) -> _Column:
        return cls(
            {
                case: (slots, sign * numbers)
                for case, slots, numbers in zip(sample.cases, sample.base_slots, values.base, strict=True)
            },
            {
                case: (slots, sign * numbers)
                for case, slots, numbers in zip(sample.cases, sample.head_slots, values.head, strict=True)
            },
        )


def _trials(columns: Sequence[tuple[tuple[int, ...], FloatArray] | None]) -> FloatArray:
    """The trials of one case and side as trials x metrics: a row per slot, NaN where a metric has no value."""
    found = [column for column in columns if column is not None]
    if len(found) == len(columns) and all(slots == found[0][0] for slots, _ in found):
        return np.stack([values for _, values in found], axis=1)
    place = {slot: row for row, slot in enumerate(sorted({slot for slots, _ in found for slot in slots}))}
    matrix = np.full((len(place), len(columns)), np.nan)
    for metric, column in enumerate(columns):
        if column is not None:
            matrix[[place[slot] for slot in column[0]], metric] = column[1]
    return matrix


def _sign(metric: Metric) -> float:
    """Metrics are turned so that lower always means worse."""
    return 1.0 if metric.direction == "higher" else -1.0


def _turned_all(samples: Sequence[MetricSample], tails: Sequence[Tails]) -> tuple[Tails, ...]:
    """Tails of turned columns, turned back to D = head − base."""
    return tuple(
        tail if sample.metric.direction == "higher" else Tails(lower=tail.upper, upper=tail.lower)
        for sample, tail in zip(samples, tails, strict=True)
    )
