"""Which slots of the base are run next: what is missing, no more than is worth it, never beyond the budget."""

from __future__ import annotations

import pytest

from gatebot.core.base_slots import SlotOrder, fresh_slots, slots_to_run
from gatebot.model.config import Budget, Seeds

CASES = ("a", "b")
TEN, FIXED = Seeds(max=10), Seeds(fixed=3)


def held(*slots: int) -> dict[str, frozenset[int]]:
    return dict.fromkeys(CASES, frozenset(slots))


@pytest.mark.parametrize(
    ("slots", "seeds", "order"),
    [
        ((), TEN, SlotOrder(1, 10, CASES)),
        ((), FIXED, SlotOrder(1, 10, CASES)),
        ((), Seeds(fixed=15), SlotOrder(1, 15, CASES)),
        ((), Seeds(fixed=100), SlotOrder(1, 20, CASES)),
        (range(1, 11), TEN, SlotOrder(11, 10, CASES)),
        (range(1, 8), TEN, SlotOrder(8, 3, CASES)),
        (range(6, 11), TEN, SlotOrder(1, 5, CASES)),
        (range(1, 21), TEN, SlotOrder(1, 0)),
        (range(100, 120), TEN, SlotOrder(1, 10, CASES)),
    ],
)
def test_a_push_runs_what_is_missing(slots: range, seeds: Seeds, order: SlotOrder) -> None:
    assert slots_to_run(held(*slots), seeds, Budget()) == order


def test_only_the_cases_that_lack_something_are_run() -> None:
    slots = {"a": frozenset(range(1, 11)), "b": frozenset(range(1, 9))}
    assert slots_to_run(slots, TEN, Budget()) == SlotOrder(9, 2, ("b",))


@pytest.mark.parametrize(("trials", "count"), [(2, 1), (7, 3), (1000, 10), (1, 0)])
def test_never_more_than_the_budget(trials: int, count: int) -> None:
    assert slots_to_run(held(), TEN, Budget(trials=trials)).count == count


def test_a_budget_that_is_too_small_is_told_from_nothing_missing() -> None:
    assert (
        "smaller than one trial of each of 2 cases"
        in slots_to_run(held(), TEN, Budget(trials=1)).unaffordable
    )
    assert slots_to_run(held(), TEN, Budget(trials=2)).unaffordable == ""
    assert slots_to_run(held(*range(1, 21)), TEN, Budget(trials=1)).unaffordable == ""


def test_no_case_is_nothing_to_run() -> None:
    assert slots_to_run({}, TEN, Budget()) == SlotOrder(1, 0)
    assert fresh_slots({}, frozenset(), TEN, Budget()) == SlotOrder(1, 0)


def days(**recorded: int) -> dict[str, dict[int, int]]:
    """Slot (s1, s2 …) → day, for every case."""
    return {case: {int(slot[1:]): day for slot, day in recorded.items()} for case in CASES}


def test_a_schedule_runs_slots_beside_those_it_is_compared_with() -> None:
    compared = frozenset(range(1, 11))
    stored = {case: dict.fromkeys(range(1, 11), 5) for case in CASES}
    assert fresh_slots(stored, compared, TEN, Budget()) == SlotOrder(11, 5, CASES)
    stored = {case: dict.fromkeys(range(1, 16), 5) for case in CASES}
    assert fresh_slots(stored, compared, TEN, Budget()) == SlotOrder(16, 5, CASES)


def test_a_schedule_goes_round_the_blocks_the_oldest_first() -> None:
    compared = frozenset(range(1, 11))
    stored = {case: dict.fromkeys(range(11, 16), 7) | dict.fromkeys(range(16, 21), 6) for case in CASES}
    assert fresh_slots(stored, compared, TEN, Budget()).first == 16
    stored = {case: dict.fromkeys(range(11, 16), 7) | dict.fromkeys(range(16, 21), 8) for case in CASES}
    assert fresh_slots(stored, compared, TEN, Budget()).first == 11


def test_a_schedule_that_must_repeat_slots_repeats_as_few_as_it_can() -> None:
    stored = {case: dict.fromkeys(range(1, 21), 5) for case in CASES}
    assert fresh_slots(stored, frozenset(range(1, 18)), TEN, Budget()) == SlotOrder(16, 5, CASES)


def test_a_schedule_stays_within_the_budget() -> None:
    assert fresh_slots(days(), frozenset(), TEN, Budget(trials=4)) == SlotOrder(1, 2, CASES)
    assert fresh_slots(days(), frozenset(), TEN, Budget(trials=1)) == SlotOrder(1, 0, CASES)
    assert fresh_slots(days(s1=3), frozenset(), FIXED, Budget()) == SlotOrder(2, 3, CASES)
