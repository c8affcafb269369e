"""Why a failing trial failed: its first divergence, and the categories with the steps that show them."""

from __future__ import annotations

from dataclasses import dataclass, field

from gatebot.graders.assessment import Assessment, fault_reason
from gatebot.graders.efficiency import Loop
from gatebot.graders.failure import Evidence, Failure, failure_of
from gatebot.graders.goal import answer_of
from gatebot.graders.recovery import Incident
from gatebot.graders.steps import Steps
from gatebot.graders.unmet import unmet, unmet_after
from gatebot.model.case import Expect
from gatebot.model.score import Check, Divergence, Score
from gatebot.model.trial import Trial


@dataclass(slots=True)
class Seen:
    """What the scores of robustness have found on the way."""

    incidents: list[Incident] = field(default_factory=list[Incident])
    loop: Loop | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """What is known of a failing trial when it is explained."""

    checks: list[Check]
    scores: dict[str, Score]
    seen: Seen
    expect: Expect


def explain(trial: Trial, steps: Steps, best: Assessment, findings: Findings) -> tuple[Divergence, Failure]:
    """First divergence and failure of a failing trial; where no rule speaks, or one fails, only why it has failed."""
    divergence: Divergence | None = None
    try:
        divergence = best.divergence or best.grader.divergence(steps, best.fit)
        evidence = Evidence(
            findings.checks,
            findings.scores,
            divergence,
            findings.seen.incidents,
            findings.seen.loop,
            answered=answer_of(trial) is not None,
            cut_short=best.cut_short(steps),
            forbid=findings.expect.forbid,
        )
        found = failure_of(evidence, steps)
        divergence = divergence or unmet(findings.checks, steps, findings.expect)
    except Exception as error:  # noqa: BLE001 - a fault in here loses the explanation, not the verdict
        reason = fault_reason("explanation", error)
        divergence = divergence or unmet_after(len(steps.calls), "explanation", reason)
        return divergence, Failure(None, reason)
    return divergence, found or Failure(None, findings.scores["pass_rate"].reason)
