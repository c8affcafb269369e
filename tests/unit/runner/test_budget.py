"""Budgets end a run, unknown cost does not; the breaker trips on equal faults in a row and on nothing else."""

import pytest

from gatebot.model.trajectory import Usage
from gatebot.model.trial import Status, Trial
from gatebot.runner.budget import Bounds, Breaker, Spending


def trial(status: Status = "completed", reason: str = "") -> Trial:
    return Trial("a", "head", 1, 1, status, reason=reason)


def test_nothing_is_exceeded_without_bounds() -> None:
    spending = Spending(Bounds())
    spending.trials = 10**9
    spending.add(Usage(10**9, 10**9, cost_usd=1e9))
    assert spending.exceeded(1e9) == ""


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        (Bounds(trials=2), "budget: 2 trials"),
        (Bounds(seconds=30), "budget: 30 seconds"),
        (Bounds(usd=0.5), "budget: 0.5 USD"),
        (Bounds(tokens=30), "budget: 30 tokens"),
    ],
)
def test_each_bound_ends_the_run_and_says_so(bounds: Bounds, said: str) -> None:
    spending = Spending(bounds)
    assert spending.exceeded(0.0) == ""
    spending.trials = 2
    spending.add(Usage(10, 20, cost_usd=0.5))
    assert spending.exceeded(30.0) == said


def test_unknown_cost_stays_unknown() -> None:
    spending = Spending(Bounds(usd=0.01, tokens=1))
    spending.add(Usage())
    assert (spending.usd, spending.tokens) == (None, None)
    assert spending.exceeded(0) == ""


def test_equal_faults_in_a_row_trip_the_breaker_whatever_numbers_they_carry() -> None:
    breaker = Breaker(3)
    said = [breaker.add(trial("infra_error", f"429, request 4f3a{n}{n}{n}{n}: wait {n} s")) for n in range(3)]
    assert said[:2] == ["", ""]
    assert said[2].startswith("3 trials in a row failed alike: 429")


@pytest.mark.parametrize(
    "between", [trial(), trial("agent_error", "boom"), trial("infra_error", "disk full")]
)
def test_anything_else_in_between_resets_the_breaker(between: Trial) -> None:
    breaker = Breaker(2)
    fault = trial("infra_error", "no route")
    assert [breaker.add(one) for one in (fault, between, fault)] == ["", "", ""]
    assert breaker.add(fault)
