"""Usage is taken in its different words, never guessed, and adds up."""

from __future__ import annotations

import pytest

from gatebot.agents.reported_usage import read_usage, usage_of_messages, usage_of_turns
from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import Message, Trajectory, Usage


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        ({}, Usage()),
        ({"input_tokens": None, "cost_usd": None}, Usage()),
        (
            {
                "input_tokens": 1,
                "output_tokens": 2,
                "cached_input_tokens": 1,
                "cost_usd": 0.5,
                "responses": 3,
                "total_tokens": 3,
            },
            Usage(1, 2, 1, 0.5, 3),
        ),
        ({"prompt_tokens": 5, "completion_tokens": 6, "total_tokens": 11}, Usage(5, 6)),
        (
            {
                "input_tokens": 10,
                "output_tokens": 2,
                "cache_read_input_tokens": 100,
                "cache_creation_input_tokens": 7,
            },
            Usage(117, 2, 100),
        ),
        ({"input_tokens": 10, "cache_read_input_tokens": 0}, Usage(10, None, 0)),
        ({"input_tokens": 2.0, "cost_usd": 0}, Usage(2, cost_usd=0.0)),
    ],
)
def test_words_of_usage(reported: JsonValue, usage: Usage) -> None:
    assert read_usage(reported) == usage


@pytest.mark.parametrize(
    "reported",
    [
        None,
        [],
        "12",
        {"input_tokens": True},
        {"input_tokens": -1},
        {"input_tokens": 1.5},
        {"input_tokens": 2**60},
        {"output_tokens": "9"},
        {"cost_usd": -0.01},
        {"cost_usd": False},
        {"cost_usd": "1"},
        {"responses": {}},
    ],
)
def test_what_is_no_usage_is_refused(reported: JsonValue) -> None:
    with pytest.raises(ValueError, match="usage"):
        read_usage(reported)


def test_messages_add_up_and_silence_stays_unknown() -> None:
    spoken = Message("assistant", "a", usage=Usage(1, 2, responses=1))
    trajectory = Trajectory((Message("user", "u"), spoken, spoken))
    assert usage_of_messages(trajectory) == Usage(2, 4, responses=2)
    assert usage_of_messages(Trajectory((Message("user", "u"),))) == Usage()
    assert usage_of_messages(None) == Usage()


def test_a_turn_that_leaves_a_figure_unknown_leaves_it_unknown_for_the_trial() -> None:
    turns = [Usage(1, 2, cost_usd=0.1, responses=1), Usage(3, 4, cost_usd=0.2)]
    total = usage_of_turns(turns)
    assert (total.input_tokens, total.output_tokens, total.responses) == (4, 6, None)
    assert total.cost_usd == pytest.approx(0.3)
    assert usage_of_turns([Usage(1, 1), Usage()]) == Usage()
    assert usage_of_turns([]) == Usage()
