"""Intervals beside pass^k and pass@k, and what another run takes, in comment and terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatebot.model.report import NextRun, PassHatK, SmallestDrop, TrialCounts
from gatebot.model.trajectory import Usage
from gatebot.render.comment import CommentContext, render_comment
from gatebot.render.metric_rows import smallest_drop
from gatebot.render.numbers import share_between
from gatebot.render.planning import next_run
from gatebot.render.sections import pass_k_table
from gatebot.render.summary import terminal_summary
from tests.unit.render.builders import green, inconclusive, metric, red

AHEAD = NextRun(drop=0.097, trials=400, unchanged=204.4, dropped=255.1)


@pytest.mark.parametrize(
    ("share", "limits", "shown"),
    [
        (0.875, (0.8, 0.951), "87.5% (80 to 95.1)"),
        (0.875, None, "87.5% (no interval)"),
        (None, None, "–"),
        (1.0, (float("nan"), 1.0), "100% (no interval)"),
    ],
)
def test_a_share_with_its_interval(
    share: float | None, limits: tuple[float, float] | None, shown: str
) -> None:
    assert share_between(share, limits) == shown


def test_the_table_names_intervals_and_their_absence() -> None:
    hat = PassHatK({"1": 0.9, "2": 0.8}, {"1": 0.7, "2": 0.6}, {"1": (0.8, 0.97)}, {"1": (0.6, 0.8)})
    told = pass_k_table(hat, PassHatK(None, None))
    assert "90% (80 to 97)" in told
    assert "60% (no interval)" in told
    assert "two trials more than k" in told


def test_another_run_is_told_with_its_expected_cost() -> None:
    report = replace(
        inconclusive(),
        next_run=AHEAD,
        trials=TrialCounts(planned=100, completed=100),
        cost={"base": Usage(cost_usd=0.5), "head": Usage(cost_usd=0.5)},
    )
    told = next_run(report)
    assert told == (
        "Another run like this one, with up to 400 trials, finds a drop of 9.7 points with 80% probability; it takes about 204 trials "
        "($2.04) if nothing changed, 255 trials ($2.55) with such a drop."
    )
    assert told in render_comment(report, {}, CommentContext())
    assert "about 204 trials" in "\n".join(terminal_summary(report))


def test_without_prices_or_looks_it_says_less() -> None:
    assert "$" not in next_run(replace(inconclusive(), next_run=AHEAD, cost={}))
    fixed = NextRun(drop=0.1, trials=200, unchanged=200.0, dropped=200.0)
    assert next_run(replace(inconclusive(), next_run=fixed, cost={})).endswith("; it takes 200 trials.")
    assert "too little to lose" in next_run(
        replace(inconclusive(), next_run=NextRun(None, 60, 60.0, None), cost={})
    )
    assert next_run(replace(inconclusive(), next_run=None)) == ""


def test_beside_a_drop_that_was_found_nothing_is_said_of_what_might_be_found() -> None:
    found = replace(red(), next_run=AHEAD)
    assert next_run(found) == ""
    assert smallest_drop(found) == ""
    assert "could have seen" not in render_comment(found, {}, CommentContext())
    assert "8 points" in smallest_drop(green())


def test_a_run_that_is_too_small_says_that_it_means_this_run() -> None:
    thin = replace(green(), metrics=(metric(smallest_drop=SmallestDrop(None)),))
    assert (
        smallest_drop(thin) == "The trials of this run are too few to see any drop of `pass_rate` reliably."
    )
