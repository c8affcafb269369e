"""What a suite can see: the same numbers before a run, after it, and in the advice of an inconclusive one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gatebot.core.compare import compare
from gatebot.core.outlook import Needed, more_needed, outlook, to_exclude, to_see
from gatebot.core.stats.power import assumed_rates
from gatebot.model.config import MetricGate
from gatebot.model.metric import METRICS
from tests.unit.core.grades import Trials, decided, evidence_of, gate_of, suite_of

MATURE = assumed_rates(20)


def test_the_drop_of_the_table_is_seen() -> None:
    """Statistics §7: 20 mature cases at 10 seeds see 8 points, times 1.07 as a share of alpha goes to single cases."""
    found = outlook(MATURE, gate_of(), 10, sequential=True)
    assert found.drop == pytest.approx(0.097, abs=0.01)
    assert found.rate == pytest.approx(0.91, abs=0.01)


def test_stopping_early_costs_half_if_nothing_changed_and_more_with_a_drop() -> None:
    found = outlook(MATURE, gate_of(), 10, sequential=True)
    assert found.dropped is not None
    assert 0.44 < found.unchanged / found.rounds < 0.57
    assert found.unchanged < found.dropped < found.rounds


def test_fixed_seeds_cost_what_they_cost() -> None:
    found = outlook(MATURE, gate_of(), 5, sequential=False)
    assert found.unchanged == found.dropped == found.rounds == 200
    assert found.single == (0.0, 0.0)


def test_trials_of_suspects_come_on_top_of_the_rounds() -> None:
    """Few cases that fail at random are suspects often: what is expected may be more than all rounds together."""
    found = outlook(np.full(10, 0.5), gate_of(), 10, sequential=True)
    assert (found.rounds, found.confirming) == (200, 14)
    assert outlook(MATURE, gate_of("tokens"), 10, sequential=True).confirming == 0


def test_where_cases_are_the_sample_their_spread_hides_drops_that_seeds_cannot_show() -> None:
    gate = gate_of(scope="generalize")
    alike, apart = (outlook(MATURE, gate, 10, sequential=True, between=spread).drop for spread in (0.0, 0.04))
    assert alike is not None
    assert apart is not None
    assert alike < apart
    assert to_see(MATURE, gate, 10, 0.1, between=0.04).seeds is None
    cases = to_see(MATURE, gate, 10, 0.1, between=0.04).cases
    assert cases is not None
    assert cases > 20


def test_a_suite_that_always_fails_has_nothing_to_lose() -> None:
    assert outlook(np.zeros(10), gate_of(), 10, sequential=True).drop is None


def test_what_is_asked_for_is_what_is_then_seen() -> None:
    needed = to_see(MATURE, gate_of(), 10, 0.05)
    assert needed.seeds is not None
    assert needed.cases is not None
    enough = outlook(MATURE, gate_of(), needed.seeds, sequential=True).drop
    fewer = outlook(MATURE, gate_of(), needed.seeds - 1, sequential=True).drop
    assert enough is not None
    assert fewer is not None
    assert enough <= 0.05 < fewer
    assert to_see(MATURE, gate_of(), 10, 0.0001).seeds is None


@pytest.mark.parametrize("margin", [0.05, 0.10])
def test_so_many_seeds_exclude_the_margin_of_a_suite_that_always_passes(margin: float) -> None:
    gate = gate_of().model_copy(update={"metrics": {"pass_rate": MetricGate(margin=margin)}})
    few = Trials(suite_of(5, "111"), suite_of(5, "111"))
    first = decided(few, gate)
    assert first.conclusion == "inconclusive"
    (comparison,) = compare([evidence_of(few).sample("pass_rate")], confidence=0.9)
    needed = to_exclude(comparison, gate.metrics["pass_rate"])
    assert needed.seeds is not None
    assert f"{needed.seeds} seeds a side" in first.advice
    assert f"`--seeds {needed.seeds}`" in first.advice
    assert f"{needed.cases} cases" in first.advice
    assert (
        decided(Trials(suite_of(5, "1" * needed.seeds), suite_of(5, "1" * needed.seeds)), gate).conclusion
        == "pass"
    )
    assert needed.cases is not None
    more = suite_of(needed.cases, "111")
    assert decided(Trials(more, more), gate).conclusion == "pass"


def test_a_score_that_never_varied_asks_for_what_its_interval_needs() -> None:
    """Its interval is that of pass rates; a spread of 0 would ask for one seed."""
    gate = gate_of().model_copy(update={"metrics": {"param_accuracy": MetricGate(margin=0.1)}})
    passed = evidence_of(Trials(suite_of(5, "111"), suite_of(5, "111"))).sample("pass_rate")
    (comparison,) = compare([replace(passed, metric=METRICS["param_accuracy"])], confidence=0.9)
    needed = to_exclude(comparison, gate.metrics["param_accuracy"])
    assert needed.seeds is not None
    assert needed.cases is not None
    assert needed.seeds > 3
    assert needed.cases > 5


@pytest.mark.parametrize(
    ("needed", "told"),
    [
        (
            Needed(1, 1),
            "The margin is just not excluded: run with more seeds (`--seeds 8`), or widen the margin.",
        ),
        (
            Needed(5, 6),
            "The margin is just not excluded: run with more seeds (`--seeds 8`), or widen the margin.",
        ),
        (
            Needed(6, 6),
            "To exclude the margin takes about 6 seeds a side (`--seeds 6`); or widen the margin.",
        ),
        (Needed(4, 7), "To exclude the margin takes 7 cases; or widen the margin."),
        (
            Needed(None, None),
            "To exclude the margin takes more than 2,000 seeds a side, or more than 2,000 cases; or widen the margin.",
        ),
    ],
)
def test_nobody_is_asked_for_less_than_was_run(needed: Needed, told: str) -> None:
    assert more_needed(needed, seeds=5, cases=6) == told


def test_at_the_most_seeds_there_are_only_cases_help() -> None:
    assert more_needed(Needed(1, 1), seeds=200, cases=6).startswith(
        "The margin is just not excluded: run with more cases"
    )
