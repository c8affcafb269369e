"""Several metrics at once: whole trials are shuffled, whatever is ungraded on them."""

from __future__ import annotations

import numpy as np
import pytest

from gatebot.core.compare import compare, strata
from gatebot.core.significance import Draws, within_cases
from gatebot.core.stats.permutation import joint_permutation
from gatebot.core.view import MetricSample
from gatebot.model.metric import METRICS

Slots = tuple[tuple[int, ...], ...]
Values = tuple[tuple[float, ...], ...]


def _sample(name: str, base: Values, head: Values, base_slots: Slots, head_slots: Slots) -> MetricSample:
    return MetricSample(
        metric=METRICS[name],
        cases=tuple(f"c{number}" for number in range(len(base))),
        base=base,
        head=head,
        base_slots=base_slots,
        head_slots=head_slots,
        ungraded={"base": 0, "head": 0},
        unexplained={"base": 0, "head": 0},
    )


PASSED = _sample("pass_rate", ((1, 1, 1),), ((1, 0, 0),), ((1, 2, 3),), ((1, 2, 3),))
# As many values as there are passes, but on other trials.
SHARP = _sample("param_accuracy", ((1.0, 0.5, 0.75),), ((0.5, 0.25, 0.0),), ((2, 3, 4),), ((2, 3, 4),))


def test_trials_are_lined_up_by_slot_not_by_their_number() -> None:
    samples = [PASSED, SHARP]
    tested = within_cases(samples, [strata(s) for s in samples], Draws(1, 999))
    nan = float("nan")
    base = [np.array([[1, nan], [1, 1.0], [1, 0.5], [nan, 0.75]])]
    head = [np.array([[1, nan], [0, 0.5], [0, 0.25], [nan, 0.0]])]
    expected = joint_permutation(base, head, seed=1, permutations=999)
    assert tested.adjustment == "max-T"
    assert tested.adjusted == expected.adjusted


def test_one_pass_fail_metric_is_tested_exactly_and_needs_no_adjustment() -> None:
    (comparison,) = compare([PASSED], confidence=0.9)
    assert (comparison.exact, comparison.adjustment) == (True, "none")
    assert comparison.worse == pytest.approx(0.2)
    assert comparison.adjusted_worse == comparison.worse


def test_a_metric_where_lower_is_better_is_turned() -> None:
    tokens = _sample("tokens", ((100.0, 110.0, 105.0),), ((210.0, 220.0, 205.0),), ((1, 2, 3),), ((1, 2, 3),))
    samples = [PASSED, tokens]
    found = compare(samples, confidence=0.9)
    assert found[1].worse == pytest.approx(1 / 20)
    assert found[1].loss > 0
    assert found[1].adjusted_worse <= found[1].adjusted_better
