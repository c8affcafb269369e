"""What counts as evidence, and the effect it shows."""

import math

import numpy as np
import pytest

from gatebot.core.stats.strata import (
    Strata,
    Tails,
    counts_of,
    effect,
    fractional_counts,
    is_binary,
    is_constant,
    is_unit,
    log_strata,
    pass_counts,
    strata_of,
)


def test_every_case_weighs_the_same_however_many_trials_it_has() -> None:
    strata = strata_of([[1, 1, 1, 1], [0]], [[0], [0, 0, 1, 1]])
    assert effect(strata) == pytest.approx((-1.0 + 0.5) / 2)
    assert pass_counts(strata).effect == pytest.approx(-0.25)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ([], []),
        ([[1.0]], []),
        ([[1.0], []], [[1.0], [0.0]]),
        ([[math.nan]], [[1.0]]),
        ([[1.0]], [[math.inf]]),
    ],
    ids=["no case", "a side short of a case", "an empty side", "not a number", "infinite"],
)
def test_evidence_that_cannot_be_compared_is_refused(
    base: list[list[float]], head: list[list[float]]
) -> None:
    with pytest.raises(ValueError, match=r"case"):
        strata_of(base, head)


def test_a_table_is_not_a_list_of_values() -> None:
    with pytest.raises(ValueError, match="case 0"):
        Strata((np.zeros((2, 2)),), (np.zeros(2),))


@pytest.mark.parametrize(
    ("base", "head"),
    [([(4, 3)], [(0, 1)]), ([(0, 0)], [(0, 1)]), ([(0, 1.5)], [(0, 1)]), ([(-1, 2)], [(0, 1)]), ([], [])],
)
def test_impossible_counts_are_refused(
    base: list[tuple[float, float]], head: list[tuple[float, float]]
) -> None:
    with pytest.raises(ValueError, match=r"trial|case"):
        counts_of(base, head)


def test_kinds_of_values_are_told_apart() -> None:
    binary = strata_of([[1, 0]], [[1, 1]])
    unit = strata_of([[0.5, 0.5]], [[1.0]])
    free = strata_of([[0.5, 1.5]], [[1.0]])
    assert (is_binary(binary), is_unit(binary), is_constant(binary)) == (True, True, False)
    assert (is_binary(unit), is_unit(unit), is_constant(unit)) == (False, True, True)
    assert (is_binary(free), is_unit(free), is_constant(free)) == (False, False, False)


def test_only_zeros_and_ones_are_passes_and_only_the_unit_scale_has_fractions() -> None:
    with pytest.raises(ValueError, match="0 and 1"):
        pass_counts(strata_of([[0.5]], [[1]]))
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        fractional_counts(strata_of([[1.5]], [[1]]))


def test_fractions_add_up_without_drift() -> None:
    counts = fractional_counts(strata_of([[0.1] * 10], [[1.0] * 3]))
    assert counts.base_passes.tolist() == [1.0]
    assert counts.whole
    assert not fractional_counts(strata_of([[0.1]], [[1]])).whole


def test_logs_make_ratios_and_lift_zeros_to_the_floor() -> None:
    logs = log_strata(strata_of([[100, 100]], [[200, 0]]), floor=50)
    assert math.exp(effect(logs)) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="floor"):
        log_strata(logs, floor=0)


def test_worse_is_lower_where_higher_is_better() -> None:
    tails = Tails(lower=0.1, upper=0.95)
    assert (tails.worse(higher_is_better=True), tails.better(higher_is_better=True)) == (0.1, 0.95)
    assert (tails.worse(higher_is_better=False), tails.better(higher_is_better=False)) == (0.95, 0.1)
