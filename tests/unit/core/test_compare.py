"""The interval that is shown and the test agree, whatever the values (statistics §3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.core.compare import agreeing, compare
from gatebot.core.view import MetricSample
from gatebot.model.metric import METRICS
from gatebot.model.trial import SIDES

LEVEL = 0.035


def sample_of(name: str, base: list[list[float]], head: list[list[float]]) -> MetricSample:
    return MetricSample(
        metric=METRICS[name],
        cases=tuple(f"c{case:02}" for case in range(len(base))),
        base=tuple(map(tuple, base)),
        head=tuple(map(tuple, head)),
        base_slots=tuple(tuple(range(len(values))) for values in base),
        head_slots=tuple(tuple(range(len(values))) for values in head),
        ungraded=dict.fromkeys(SIDES, 0),
        unexplained=dict.fromkeys(SIDES, 0),
    )


@pytest.mark.parametrize("trials", [1, 3, 5])
def test_scores_that_hardly_vary_are_rejected_and_their_interval_excludes_no_drop(trials: int) -> None:
    """Every case lost a tenth: the test cannot miss it, and the wide interval of so few trials must not deny it."""
    sample = sample_of("param_accuracy", [[0.8] * trials] * 12, [[0.7] * trials] * 12)
    (found,) = compare([sample], confidence=0.9, permutations=999)
    assert found.worse <= LEVEL
    assert found.interval[1] > 0
    low, high = agreeing(found, LEVEL).interval
    assert low <= found.delta <= high < 0


def arms(values: st.SearchStrategy[float]) -> st.SearchStrategy[list[list[float]]]:
    return st.lists(st.lists(values, min_size=2, max_size=3), min_size=4, max_size=4)


@given(
    st.sampled_from(["pass_rate", "param_accuracy", "tokens", "tool_calls"]),
    arms(st.sampled_from([0.0, 0.5, 1.0])),
    arms(st.sampled_from([0.0, 0.5, 1.0])),
)
def test_the_interval_excludes_no_change_exactly_where_the_test_does(
    name: str, base: list[list[float]], head: list[list[float]]
) -> None:
    metric = METRICS[name]
    if metric.scale == "binary":
        base, head = ([[float(v > 0) for v in values] for values in arm] for arm in (base, head))
    (found,) = compare([sample_of(name, base, head)], confidence=0.93, permutations=199)
    low, high = agreeing(found, LEVEL).interval
    p = found.adjusted_worse if found.loss > 0 else found.adjusted_better
    assert (low > 0 or high < 0) == (p <= LEVEL and found.delta != 0)
    assert low <= found.delta <= high or not (low <= 0 <= high)


def test_a_single_case_that_regressed_says_nothing_of_the_mean() -> None:
    base = [[1.0] * 10, *[[0.0, 1.0] * 5] * 9]
    head = [[0.0] * 10, *[[1.0] * 10] * 9]
    (found,) = compare([sample_of("pass_rate", base, head)], confidence=0.9)
    assert found.delta > 0
    assert agreeing(found, 0.0).interval[0] <= 0
    assert agreeing(found, LEVEL).interval[0] > 0
