"""Prices, costs and the ledger's bound."""

from __future__ import annotations

import pytest

from gatebot.judge.answer import Spent
from gatebot.judge.opening import cannot_run
from gatebot.judge.prices import Ledger, cost_of, estimate_of, price_of
from gatebot.model.judge import JudgeConfig, ModelPrice


def test_the_configuration_overrides_the_table() -> None:
    own = {"claude-sonnet-4-6": ModelPrice(input=1, output=2)}
    assert price_of("claude-sonnet-4-6", own) == own["claude-sonnet-4-6"]
    assert price_of("claude-sonnet-4-6", {}) == ModelPrice(input=3, output=15)
    assert price_of("no-such-model", {}) is None


def test_cached_tokens_have_prices_of_their_own() -> None:
    price = ModelPrice(input=10, output=100)
    assert cost_of(Spent(input=1_000_000), price) == 10
    assert cost_of(Spent(output=1_000_000), price) == 100
    assert cost_of(Spent(written=1_000_000), price) == 12.5
    assert cost_of(Spent(read=1_000_000), price) == 1
    assert cost_of(Spent(input=1_000_000), price, batch=True) == 5
    assert cost_of(Spent(input=1), None) is None


def test_an_estimate_grows_with_the_request() -> None:
    price = ModelPrice(input=3, output=15)
    small, large = estimate_of({"a": "x"}, price), estimate_of({"a": "x" * 30_000}, price)
    assert small is not None
    assert large is not None
    assert large - small == pytest.approx(10_000 * 3 / 1e6, rel=0.01)
    assert estimate_of({}, None) is None


def test_the_ledger_sets_money_aside() -> None:
    ledger = Ledger(1.0)
    assert ledger.reserve(0.6)
    assert not ledger.reserve(0.6)
    ledger.book(0.6, 0.1)
    assert ledger.reserve(0.6)
    assert ledger.usd == 0.1


def test_the_sum_does_not_depend_on_the_order_of_booking() -> None:
    costs = [0.1, 0.2, 0.3, 1e-9, 0.7]
    sums: set[float | None] = set()
    for order in (costs, costs[::-1], sorted(costs)):
        ledger = Ledger(None)
        for cost in order:
            ledger.book(None, cost)
        sums.add(ledger.usd)
    assert len(sums) == 1


def test_what_has_no_price_is_not_counted_as_nothing() -> None:
    ledger = Ledger(None)
    ledger.book(None, None)
    assert ledger.usd is None


def test_a_bound_without_a_price_cannot_be_kept() -> None:
    assert "no price is known for mystery" in cannot_run(JudgeConfig(model="mystery", usd=1.0), "key")
    assert cannot_run(JudgeConfig(model="mystery"), "key") == ""
    assert "there is no key" in cannot_run(JudgeConfig(), " ")
