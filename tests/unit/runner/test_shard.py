"""Shards: every trial in exactly one, pairs together, equal shares, and names that cannot be mistaken."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.errors import UsageError
from gatebot.model.config import Budget
from gatebot.model.plan import Round
from gatebot.model.trial import SIDES, TrialKey
from gatebot.runner.schedule import interleaved
from gatebot.runner.shard import MOST_SHARDS, Shard, matrix


def plan(cases: int, slots: int, new: int = 0) -> list[Round]:
    """Rounds of `cases` on both sides, of which the last `new` run on the head alone."""
    return [
        interleaved(
            Round(
                slot,
                tuple(
                    TrialKey(f"case-{n}", side, slot)
                    for n in range(cases)
                    for side in SIDES
                    if side == "head" or n < cases - new
                ),
            ),
            "digest",
        )
        for slot in range(1, slots + 1)
    ]


@given(st.integers(1, 9), st.integers(1, 4), st.integers(1, 12), st.integers(0, 3))
def test_shards_part_the_plan(cases: int, slots: int, count: int, new: int) -> None:
    whole = plan(cases, slots, min(new, cases))
    parts = [Shard(index, count).of(whole) for index in range(1, count + 1)]
    keys = [key for part in parts for round_ in part for key in round_.trials]
    assert len(keys) == len(set(keys))
    assert set(keys) == {key for round_ in whole for key in round_.trials}
    for part in parts:
        assert [round_.number for round_ in part] == [round_.number for round_ in whole]
        for round_, all_of_it in zip(part, whole, strict=True):
            assert [key for key in all_of_it.trials if key in round_.trials] == list(round_.trials)
            both = {key.case for key in all_of_it.trials if key.side == "base"}
            for key in round_.trials:
                other = key._replace(side="head" if key.side == "base" else "base")
                assert (other in round_.trials) == (key.case in both)


def test_shards_are_of_one_size() -> None:
    sizes = {sum(len(r.trials) for r in Shard(index, 7).of(plan(10, 5))) for index in range(1, 8)}
    assert max(sizes) - min(sizes) <= 2


@pytest.mark.parametrize(
    "text", ["", "0/3", "4/3", "1", "1/0", "a/b", "1/3/5", " 1/3", "1/-3", "1/257", "٣/٤"]
)
def test_what_names_no_shard_is_an_error(text: str) -> None:
    with pytest.raises(UsageError, match="no shard"):
        Shard.parse(text)


def test_a_shards_name_reads_back() -> None:
    assert Shard.parse("2/4") == Shard(2, 4)
    assert str(Shard(2, 4)) == "2/4"


def test_the_matrix_is_what_github_actions_expects() -> None:
    assert json.loads(matrix(3)) == {"shard": ["1/3", "2/3", "3/3"]}
    assert len(json.loads(matrix(MOST_SHARDS))["shard"]) == MOST_SHARDS
    for count in (0, -1, MOST_SHARDS + 1):
        with pytest.raises(UsageError, match="from 1 to 256"):
            matrix(count)


def test_shards_share_the_budget() -> None:
    budget = Budget(trials=10, seconds=60, usd=1.0, tokens=100)
    share = Shard(1, 4).share(budget)
    assert (share.trials, share.seconds, share.usd, share.tokens) == (3, 60, 0.25, 25)
    assert Shard(1, 4).share(Budget()).usd is None
