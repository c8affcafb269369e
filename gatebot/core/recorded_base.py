"""Which recordings may stand for a base, and the sentinel that voids them (statistics, item 15)."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from gatebot.core.compare import strata
from gatebot.core.stats.exact import exact_tails
from gatebot.core.stats.strata import pass_counts
from gatebot.core.view import MetricSample

RECORDED_SLOTS = 20
"""Slots of a case worth keeping: with more of them the luck of one recording weighs less."""
VALID_DAYS = 7
SENTINEL_LEVEL = 0.005


@dataclass(frozen=True, slots=True)
class RecordedBase:
    """What was recorded: the digest of the agent tree, the day (UTC) of the oldest trial used, the models that answered."""

    tree: str
    oldest: datetime.date
    models: frozenset[str]


def why_invalid(recorded: RecordedBase, *, tree: str, models: frozenset[str], today: datetime.date) -> str:
    """Why these recordings cannot stand for a base of that tree today, or an empty string.

    `models`: the names seen in live responses; empty while none is known, which then says nothing.
    """
    if recorded.tree != tree:
        return "the base's agent is another than the one recorded"
    age = (today - recorded.oldest).days
    if not 0 <= age <= VALID_DAYS:
        return f"the recordings are {age} days old; they are valid for {VALID_DAYS}"
    if models and recorded.models and models != recorded.models:
        told = ", ".join(sorted(models ^ recorded.models))
        return f"other models answered than when the base was recorded: {told}"
    return ""


def sentinel_fires(sample: MetricSample) -> bool:
    """Whether live trials of the base differ from its recordings, in either direction, beyond chance.

    `sample`: the primary metric, the recordings as its base and the live sentinel round as its head. Exact test, .005
    each side: in one of a hundred rounds at most recordings are thrown away for nothing. It sees a broken provider at
    once and a slow drift hardly ever; that is why a recorded base convicts nobody.
    """
    if not sample.cases:
        return False
    tails = exact_tails(pass_counts(strata(sample)))
    return min(tails.lower, tails.upper) <= SENTINEL_LEVEL
