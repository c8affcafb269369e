"""The width of requests under way: halved once a burst, one more for a whole width of answers, never out of bounds."""

from __future__ import annotations

import threading

from hypothesis import given
from hypothesis import strategies as st

from gatebot.judge.limiter import Limiter, Width


def test_it_begins_as_wide_as_it_may_be() -> None:
    assert Width(4).allowed == 4


def test_a_busy_answer_halves_it() -> None:
    width = Width(8)
    seen: list[int] = []
    for second in range(5):
        width.busy(sent=float(second), now=second + 0.5)
        seen.append(width.allowed)
    assert seen == [4, 2, 1, 1, 1]


def test_a_burst_that_was_under_way_together_halves_it_once() -> None:
    width = Width(8)
    for place in range(8):
        width.busy(sent=10.0 + place / 100, now=11.0 + place / 100)
    assert width.allowed == 4


def test_an_answer_to_what_was_sent_before_the_cut_widens_nothing() -> None:
    width = Width(4)
    width.busy(sent=1.0, now=2.0)
    for _ in range(20):
        width.answered(sent=1.5)
    assert width.allowed == 2
    width.answered(sent=2.0)
    width.answered(sent=2.0)
    width.answered(sent=2.0)
    assert width.allowed == 3


def test_a_whole_width_of_answers_adds_about_one() -> None:
    width = Width(32)
    for second in range(5):
        width.busy(sent=float(second), now=second + 0.5)
    after: list[int] = []
    for _ in range(10):
        for _ in range(width.allowed):
            width.answered(sent=100.0)
        after.append(width.allowed)
    steps = [later - earlier for earlier, later in zip([1, *after], after, strict=False)]
    assert set(steps) <= {0, 1}
    assert after[-1] >= 9


@given(st.integers(1, 32), st.lists(st.tuples(st.booleans(), st.floats(0, 5)), max_size=60))
def test_it_stays_within_its_bounds(most: int, events: list[tuple[bool, float]]) -> None:
    width, now = Width(most), 0.0
    for busy, took in events:
        sent, now = now, now + took
        before = width.allowed
        if busy:
            width.busy(sent, now)
            assert width.allowed <= before
        else:
            width.answered(sent)
            assert width.allowed >= before
        assert 1 <= width.allowed <= most


def test_who_has_no_slot_waits_until_one_is_given_back() -> None:
    limiter, order = Limiter(1), list[str]()
    limiter.enter()

    def second() -> None:
        limiter.enter()
        order.append("second enters")
        limiter.leave()

    thread = threading.Thread(target=second)
    thread.start()
    order.append("first leaves")
    limiter.leave()
    thread.join(30)
    assert order == ["first leaves", "second enters"]


def test_after_a_cut_slots_that_are_given_back_are_not_all_handed_out_again() -> None:
    limiter = Limiter(2)
    limiter.enter()
    limiter.enter()
    limiter.busy(sent=0.0, now=1.0)
    entered = threading.Event()
    thread = threading.Thread(target=lambda: (limiter.enter(), entered.set()))
    thread.start()
    limiter.leave()
    assert not entered.wait(0.05)
    limiter.leave()
    assert entered.wait(30)
    thread.join(30)
