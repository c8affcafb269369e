"""What a run was and what it took, in words: sides, trials, losses, money, time. For every sink."""

from __future__ import annotations

from gatebot.model.plan import SideInfo
from gatebot.model.report import Report
from gatebot.render.numbers import count, duration, money, tokens
from gatebot.render.phrases import Phrase, Quoted, one_sided


def sides_of(report: Report) -> Phrase:
    """Head `9ab8c7d` against base `5f0c1d2`, or the one side there is."""
    head = _side("head", report.head, report.head_sha)
    base = _side("base", report.base, report.base_sha)
    return [*head, "against", *base] if head and base else head or base


def _side(name: str, side: SideInfo | None, sha: str | None) -> list[str | Quoted]:
    known = sha or (side.sha if side is not None else "")
    if not known and side is None:
        return []
    shown = Quoted(known[:7] if known else (side.label if side is not None else "")[:60])
    return [name, shown, "with uncommitted changes"] if side is not None and side.dirty else [name, shown]


def amount_of(report: Report) -> str:
    """22 cases × 5 trials per side: the slots behind the first gating metric."""
    cases = sum(1 for case in report.cases if case.base.trials or case.head.trials or case.label != "removed")
    seeds = next((metric.seeds for metric in report.metrics if metric.gating), None)
    if seeds is None or not (seeds.base or seeds.head):
        return f"{count(cases, 'case')}, {count(report.trials.planned, 'trial')}"
    if one_sided(report):
        return f"{count(cases, 'case')} × {count(max(seeds.base, seeds.head), 'trial')}"
    if seeds.base == seeds.head:
        return f"{count(cases, 'case')} × {count(seeds.head, 'trial')} per side"
    return f"{count(cases, 'case')} × {seeds.base} trials on the base, {seeds.head} on the head"


def losses_of(report: Report) -> list[str]:
    """Trials that are no evidence, and those that cost nothing."""
    trials = report.trials
    said = [
        (trials.infra_error, f"{trials.infra_error:,} of {trials.planned:,} trials lost to infrastructure"),
        (trials.missing, f"{trials.missing:,} of {trials.planned:,} trials missing"),
        (trials.cached, f"{trials.cached:,} of {trials.planned:,} trials from the cache"),
    ]
    return [words for number, words in said if number]


def cost_of(report: Report) -> list[str]:
    """Money, tokens and the agents' own time, each when it is known."""
    used = [report.cost[key] for key in sorted(report.cost)]
    costs = [usage.cost_usd for usage in used if usage.cost_usd is not None]
    totals = [usage.total_tokens for usage in used if usage.total_tokens is not None]
    said = [money(sum(costs))] if costs else []
    said += [f"{tokens(sum(totals))} tokens"] if totals else []
    return said + ([f"{duration(report.wall_s)} of agent time"] if report.wall_s is not None else [])
