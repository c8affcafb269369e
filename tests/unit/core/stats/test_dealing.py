"""Dealing recorded trials to two sides: nothing is lost, nothing twice, and a trial stays whole."""

from __future__ import annotations

import numpy as np
import pytest

from gatebot.core.stats.dealing import dealt, one_broken, passes_lost
from gatebot.core.stats.drawing import drawn_passes, generator_of, planted_rates


def _numbered(cases: int, slots: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.arange(cases * slots, dtype=np.float64).reshape(cases, slots)


def test_every_trial_goes_to_one_side_whole() -> None:
    values = _numbered(5, 8)
    base, head = dealt({"a": values, "b": values + 100.0}, "a", 4, (1,))
    for case in range(5):
        assert sorted([*base["a"][case], *head["a"][case]]) == sorted(values[case])
    assert np.array_equal(base["b"], base["a"] + 100.0)
    assert np.array_equal(head["b"], head["a"] + 100.0)


def test_another_seed_deals_otherwise() -> None:
    values = {"a": _numbered(5, 8)}
    assert np.array_equal(dealt(values, "a", 4, (1,))[0]["a"], dealt(values, "a", 4, (1,))[0]["a"])
    assert not np.array_equal(dealt(values, "a", 4, (1,))[0]["a"], dealt(values, "a", 4, (2,))[0]["a"])


def test_what_is_missing_is_dealt_to_nobody() -> None:
    values = _numbered(2, 6)
    values[0, 1] = values[0, 4] = values[0, 5] = np.nan
    base, head = dealt({"a": values}, "a", 3, (1,))
    assert [int(np.sum(~np.isnan(side["a"][0]))) for side in (base, head)] == [1, 1]
    assert not np.isnan(base["a"][1]).any()


def test_one_case_is_broken_and_it_was_a_sound_one() -> None:
    passes = np.array([[1.0, 1.0, 1.0, np.nan], [0.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 1.0]])
    for number in range(20):
        changed = one_broken(passes, (number,))
        (broken,) = np.flatnonzero(np.nansum(changed, axis=1) < np.nansum(passes, axis=1))
        assert broken in (0, 2)
        assert np.nansum(changed[broken]) == 0
        assert np.array_equal(np.isnan(changed), np.isnan(passes))


def test_about_a_seventh_of_the_passes_is_lost() -> None:
    passes = np.ones((100, 20))
    assert float(np.mean(passes_lost(passes, (1,)))) == pytest.approx(0.85, abs=0.03)


@pytest.mark.parametrize(
    ("planted", "changed"), [("one broken", 1), ("three broken", 3), ("fifth broken", 4)]
)
def test_planted_rates_break_so_many(planted: str, changed: int) -> None:
    rates = np.full(20, 0.9)
    found = planted_rates(rates, planted, generator_of(1))  # pyright: ignore[reportArgumentType]
    assert int(np.sum(found == 0.0)) == changed
    assert float(np.mean(drawn_passes(found, 50, generator_of(2)))) < 0.9
