"""What another run of the suite finds and takes, in one sentence: for whoever has to decide whether to run more."""

from __future__ import annotations

from gatebot.model.metric import PRIMARY_METRIC
from gatebot.model.report import Report
from gatebot.render.numbers import money, unsigned_points


def next_run(report: Report) -> str:
    """Another run like this one: the drop it finds, its expected trials with early stops, and their price if known.

    Nothing where the pass rate has regressed: a drop was found.
    """
    seen = report.next_run
    if seen is None or any(m.name == PRIMARY_METRIC and m.verdict == "regressed" for m in report.metrics):
        return ""
    if seen.drop is None or seen.dropped is None:
        return f"Another run like this one takes up to {seen.trials:,} trials, and sees no drop: there is too little to lose."
    found = f"Another run like this one, with up to {seen.trials:,} trials, finds a drop of {unsigned_points(seen.drop)} with 80% probability"
    if seen.unchanged == seen.dropped == seen.trials:
        return f"{found}; it takes {_trials(report, seen.trials)}."
    return (
        f"{found}; it takes about {_trials(report, seen.unchanged)} if nothing changed, "
        f"{_trials(report, seen.dropped)} with such a drop."
    )


def _trials(report: Report, expected: float) -> str:
    costs = [usage.cost_usd for usage in report.cost.values() if usage.cost_usd is not None]
    done = report.trials.completed + report.trials.agent_error + report.trials.timeout
    price = f" ({money(expected * sum(costs) / done)})" if costs and done else ""
    return f"{expected:,.0f} trials{price}"
