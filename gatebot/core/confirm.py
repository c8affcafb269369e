"""Leg B: single cases. Suspects are confirmed on fresh trials; with a fixed number of seeds, exact min-P over cases."""

from __future__ import annotations

from collections.abc import Mapping

from gatebot.core.decision import SingleCases
from gatebot.core.stats.single_case import confirmed_p, min_p, suspects
from gatebot.core.stats.strata import counts_of, pass_counts, strata_of
from gatebot.core.view import EvidenceView, MetricSample
from gatebot.model.report import SideCount
from gatebot.model.trial import SIDES, Side


def suspect_cases(sample: MetricSample) -> tuple[str, ...]:
    """The cases of the primary metric's sample whose pass rate dropped by at least one half."""
    if not sample.cases:
        return ()
    counts = pass_counts(strata_of(sample.base, sample.head))
    return tuple(sample.cases[i] for i in suspects(counts))


def by_min_p(sample: MetricSample, level: float) -> SingleCases | None:
    """Exact min-P over cases; None when no case could reach the level, whatever the labels (its alpha goes to leg A)."""
    if not sample.cases:
        return None
    found = min_p(pass_counts(strata_of(sample.base, sample.head)), level=level)
    if not found.reachable:
        return None
    adjusted = dict(zip(sample.cases, found.adjusted, strict=True))
    return SingleCases(frozenset(case for case, p in adjusted.items() if p <= level), adjusted, level=level)


def by_confirmation(evidence: EvidenceView, level: float) -> SingleCases:
    """Holm over one-sided Boschloo tests on the confirming trials that the plan names.

    A suspect with fewer than the planned trials on a side is tested on what there is, and named as unconfirmed when
    a side has none.
    """
    cases = evidence.confirming_cases
    fresh: dict[str, Mapping[Side, SideCount]] = {
        case: {side: evidence.fresh_count(case, side) for side in SIDES} for case in cases
    }
    tested = [case for case in cases if all(fresh[case][side].trials for side in SIDES)]
    adjusted: dict[str, float] = {}
    if tested:
        counts = counts_of(
            [(fresh[case]["base"].passed, fresh[case]["base"].trials) for case in tested],
            [(fresh[case]["head"].passed, fresh[case]["head"].trials) for case in tested],
        )
        adjusted = dict(zip(tested, confirmed_p(counts), strict=True))
    return SingleCases(
        regressed=frozenset(case for case, p in adjusted.items() if p <= level),
        adjusted=adjusted,
        fresh=fresh,
        unconfirmed=tuple(case for case in cases if case not in adjusted),
        level=level,
    )
