"""Accepted cases have another base than the rest: which case is judged against which commit, and one report of all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gatebot.model.acceptance import Acceptance
from gatebot.model.report import Conclusion, Report, TrialCounts

_WORST_FIRST: tuple[Conclusion, ...] = ("fail", "not_evaluated", "inconclusive", "pass")


def covered_cases(
    records: Sequence[Acceptance], grading: Mapping[str, str], policy_digest: str
) -> dict[str, str]:
    """Case id → the accepted commit that is its base. `grading`: the head's cases and their grading digests.

    Records of another policy cover nothing; of several records the last counts.
    """
    found: dict[str, str] = {}
    for record in records:
        if record.policy_digest != policy_digest:
            continue
        for case, digest in grading.items():
            if record.covers(case, digest):
                found[case] = record.accepted_sha
    return found


def acceptance_note(records: Sequence[Acceptance], covered: Mapping[str, str]) -> str:
    """What was accepted, by whom, and what is no longer covered; empty when nothing was accepted."""
    if not records:
        return ""
    named = {case.case for record in records for case in record.cases}
    people = ", ".join(sorted({record.who for record in records}))
    lost = sorted(named - set(covered))
    told = (
        f"Accepted by `{people}`: {_some(sorted(set(covered) & named))}; judged against the accepted commit."
    )
    return f"{told} No longer covered, since changed again: {_some(lost)}." if lost else told


def _some(names: Sequence[str]) -> str:
    if not names:
        return "nothing"
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(f"`{name}`" for name in names[:5]) + more


def alpha_shares(cases: Sequence[int]) -> tuple[float, ...]:
    """Each evaluation's share of the one alpha, by its number of cases (at least 1): they add up to 1.

    One pull request is one promise, however many evaluations it takes: the shares are those of a weighted Bonferroni
    correction. Roots of the numbers, since one accepted case among many could convict nobody with its part of them.
    """
    roots = [math.sqrt(count) for count in cases]
    whole = math.fsum(roots)
    return tuple(root / whole for root in roots)


def joined(reports: Sequence[Report], note: str = "") -> Report:
    """One report of evaluations of disjoint cases of one head: the first one's metrics, everybody's cases, the worst end.

    Each evaluation has kept its share of one alpha (`alpha_shares`), so that the whole report states their sum.
    """
    ranked = sorted(enumerate(reports), key=lambda item: (_WORST_FIRST.index(item[1].conclusion), item[0]))
    worst, first = ranked[0][1], reports[0]
    alerts = tuple(dict.fromkeys(alert for report in reports for alert in report.alerts))
    cases = tuple(sorted((case for report in reports for case in report.cases), key=lambda case: case.id))
    return replace(
        worst if len(reports) > 1 and worst is not first else first,
        conclusion=worst.conclusion,
        reason=worst.reason,
        advice=worst.advice,
        cases=cases,
        trials=_added([report.trials for report in reports]),
        worst_cases=tuple(name for _, report in ranked for name in report.worst_cases),
        alerts=(*((note,) if note else ()), *alerts),
        evidence=replace(
            worst.evidence,
            alpha=round(math.fsum(report.evidence.alpha for report in reports), 12),
            case_level=round(math.fsum(report.evidence.case_level for report in reports), 12),
        ),
    )


def _added(counts: Sequence[TrialCounts]) -> TrialCounts:
    return TrialCounts(
        planned=sum(one.planned for one in counts),
        completed=sum(one.completed for one in counts),
        agent_error=sum(one.agent_error for one in counts),
        timeout=sum(one.timeout for one in counts),
        infra_error=sum(one.infra_error for one in counts),
        missing=sum(one.missing for one in counts),
        cached=sum(one.cached for one in counts),
    )
