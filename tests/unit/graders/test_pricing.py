"""Cost from the user's table: what is unknown stays unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatebot.graders.pricing import priced
from gatebot.model.price import Price
from gatebot.model.trajectory import Message, Trajectory, Usage
from gatebot.model.trial import Trial

PRICES = {
    "small": Price(input=1.0, output=4.0, cached=0.25),
    "also-small": Price(input=1.0, output=4.0, cached=0.25),
    "large": Price(input=10.0, output=40.0),
}


def cost(usage: Usage, *models: str, messages: tuple[Message, ...] = ()) -> float | None:
    ran = Trial("a", "head", 1, 0, "completed", usage=usage, trajectory=Trajectory(messages, models=models))
    return priced(ran, PRICES).usage.cost_usd


@pytest.mark.parametrize(
    ("usage", "models", "expected"),
    [
        (Usage(1_000_000, 500_000), ("small",), 3.0),
        (Usage(1_000_000, 0, cached_input_tokens=400_000), ("small",), 0.7),
        (Usage(1_000_000, 0, cached_input_tokens=400_000), ("large",), 10.0),
        (Usage(1_000_000, 0, cached_input_tokens=2_000_000), ("small",), 0.25),
        (Usage(0, 0), ("small",), 0.0),
        (Usage(1_000_000, 500_000), ("small", "also-small"), 3.0),
        (Usage(1_000_000, 500_000), ("small", "large"), None),
        (Usage(1_000_000, 500_000), ("unheard-of",), None),
        (Usage(1_000_000, 500_000), ("small", "unheard-of"), None),
        (Usage(1_000_000, 500_000), (), None),
        (Usage(1_000_000, None), ("small",), None),
        (Usage(None, 500_000), ("small",), None),
        (Usage(), ("small",), None),
        (Usage(1_000_000, 500_000, cost_usd=0.5), ("small",), 0.5),
    ],
)
def test_cost(usage: Usage, models: tuple[str, ...], expected: float | None) -> None:
    assert cost(usage, *models) == (None if expected is None else pytest.approx(expected))


def test_tokens_of_every_response_make_the_trials() -> None:
    said = Message("assistant", "x", usage=Usage(500_000, 250_000))
    assert cost(Usage(), "small", messages=(said, said)) == pytest.approx(3.0)
    assert cost(Usage(), "small", messages=(said, replace(said, usage=None))) is None


def test_no_table_no_price() -> None:
    ran = Trial("a", "head", 1, 0, "completed", usage=Usage(1, 1), trajectory=Trajectory(models=("small",)))
    assert priced(ran, {}) is ran
