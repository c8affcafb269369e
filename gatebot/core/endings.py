"""Trials that did not complete: a side on which none did has shown nothing, and the reader is told why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gatebot.core.evidence import Evidence
from gatebot.core.rows import Row
from gatebot.model.trial import SIDES, Side

REASON_LIMIT = 200


def nothing_completed(evidence: Evidence) -> str:
    """The sentence for a side on which every trial of the sample broke off, or an empty string.

    Failing alike on both sides is not "no difference": an agent that cannot run has not been evaluated.
    """
    for side in SIDES:
        rows = _sample(evidence, side)
        if rows and all(row.status != "completed" for row in rows):
            return f"no trial of the {side} completed"
    return ""


def ending_alerts(evidence: Evidence) -> list[str]:
    """Per side, how many trials broke off and what they said most often."""
    alerts: list[str] = []
    for side in SIDES:
        rows = _sample(evidence, side)
        broken = [row for row in rows if row.status != "completed"]
        if not broken:
            continue
        counts = Counter(row.failure_reason[:REASON_LIMIT] for row in broken)
        reason = min(counts, key=lambda said: (-counts[said], said))
        told = f"; most often: {reason}" if reason else ""
        alerts.append(f"{len(broken)} of {len(rows)} trials of the {side} did not complete{told}")
    return alerts


def never_passing(evidence: Evidence, sides: Sequence[Side] = SIDES) -> list[str]:
    """The cases that passed no trial of the sample on any of these sides and had trials on each, sorted."""
    return [
        case
        for case in sorted(evidence.rows)
        if all(
            (rows := evidence.sample_rows(case, side)) and not any(row.passed for row in rows)
            for side in sides
        )
    ]


def _sample(evidence: Evidence, side: Side) -> list[Row]:
    return [row for case in sorted(evidence.rows) for row in evidence.sample_rows(case, side)]
