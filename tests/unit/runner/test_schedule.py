"""Order and seeds: drawn from digests, fair to both sides, the same whatever order the trials came in."""

from hypothesis import given
from hypothesis import strategies as st

from gatebot.model.plan import Round
from gatebot.model.trial import SIDES, Side, TrialKey
from gatebot.runner.schedule import interleaved, seed_for


def planned(cases: int, slots: int = 1) -> Round:
    keys = [
        TrialKey(f"case-{case}", side, slot)
        for case in range(cases)
        for side in SIDES
        for slot in range(1, slots + 1)
    ]
    return Round(1, tuple(keys))


def test_every_trial_is_kept_and_pairs_stand_together() -> None:
    order = interleaved(planned(20, 3), "digest").trials
    assert sorted(order) == sorted(planned(20, 3).trials)
    for first, second in zip(order[::2], order[1::2], strict=True):
        assert (first.case, first.slot) == (second.case, second.slot)
        assert {first.side, second.side} == set(SIDES)


def test_the_order_does_not_depend_on_the_order_of_the_input() -> None:
    round_ = planned(10, 2)
    backwards = Round(1, tuple(reversed(round_.trials)))
    assert interleaved(round_, "d") == interleaved(backwards, "d")


def test_another_digest_or_round_draws_another_order() -> None:
    round_ = planned(20)
    orders = {interleaved(round_, digest).trials for digest in ("a", "b")}
    orders.add(interleaved(Round(2, round_.trials), "a").trials)
    assert len(orders) == 3


def test_either_side_goes_first_about_equally_often() -> None:
    first = [key.side for key in interleaved(planned(400), "digest").trials[::2]]
    assert 150 < first.count("base") < 250


def test_no_place_in_the_order_belongs_to_a_case() -> None:
    firsts = {interleaved(planned(10), str(number)).trials[0].case for number in range(60)}
    assert len(firsts) > 7


def test_sides_with_slots_of_their_own_are_paired_by_their_number() -> None:
    keys = [TrialKey("a", "base", slot) for slot in (1, 2)] + [TrialKey("a", "head", slot) for slot in (3, 4)]
    order = interleaved(Round(1, tuple(keys)), "d").trials
    pairs = {frozenset((x.slot, y.slot)) for x, y in zip(order[::2], order[1::2], strict=True)}
    assert pairs == {frozenset((1, 3)), frozenset((2, 4))}


def test_a_case_on_one_side_only_stands_alone() -> None:
    side: Side = "head"
    round_ = Round(1, (*planned(2).trials, TrialKey("new", side, 1)))
    assert sorted(interleaved(round_, "d").trials) == sorted(round_.trials)


@given(case=st.text(), slot=st.integers(min_value=0, max_value=10_000))
def test_a_seed_is_exact_in_every_json_reader(case: str, slot: int) -> None:
    seed = seed_for(case, slot)
    assert 0 <= seed < 2**53
    assert seed == seed_for(case, slot)


def test_seeds_are_pinned_and_differ_by_case_and_slot() -> None:
    assert seed_for("a", 1) == 2761017517479173  # changing this invalidates every stored trial
    assert len({seed_for(case, slot) for case in ("a", "b", "a1") for slot in (1, 11, 2)}) == 9
