"""The one primary category of a failing trial, by rule, with the step that shows it."""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.graders.recovery import Incident, unrecovered
from gatebot.graders.steps import Steps
from gatebot.graders.wording import REASON_LIMIT, clip
from gatebot.model.score import Check, Divergence, FailureCategory, Score
from gatebot.model.trial import Trial

Failure = tuple[FailureCategory, str]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the rules look at. `answered`: the trial ended with an answer.
    `cut_short`: the calls are the golden's up to a point, and then no more.
    """

    checks: list[Check]
    scores: dict[str, Score]
    divergence: Divergence | None
    incidents: list[Incident]
    answered: bool
    cut_short: bool


def failure_of(evidence: Evidence, steps: Steps) -> Failure | None:
    """The category that comes first in the order of precedence, and why. None when no rule speaks.

    execution > loop > premature end > forbidden tool > selection > arguments > order > state > answer.
    """
    rules = (_execution, _loop, _premature, _forbidden, _calls, _goal)
    return next((found for rule in rules if (found := rule(evidence, steps)) is not None), None)


def ended_badly(trial: Trial) -> Failure:
    """The category of a trial that did not complete: how it ended, and the reason it carries."""
    if trial.status == "timeout":
        return "timeout", clip(trial.reason or "the agent did not end in time", REASON_LIMIT)
    return "agent_error", clip(trial.reason or "the agent failed", REASON_LIMIT)


def _execution(evidence: Evidence, steps: Steps) -> Failure | None:
    lost = next((incident for incident in evidence.incidents if not incident.recovered), None)
    if lost is None:
        return None
    return "tool_execution", f"step {lost.steps[-1] + 1}: {unrecovered(steps, lost)}"


def _loop(evidence: Evidence, _steps: Steps) -> Failure | None:
    score = evidence.scores.get("loop")
    return ("infinite_loop", score.reason) if score is not None and score.value == 1.0 else None


def _premature(evidence: Evidence, steps: Steps) -> Failure | None:
    """No answer where one was checked, or the golden's calls made up to a point and then no more."""
    if evidence.cut_short and evidence.divergence is not None and _mismatched(evidence):
        return "premature_termination", evidence.divergence.explanation
    unanswered = not evidence.answered and any(
        check.passed is not True and check.name.startswith("answer") for check in evidence.checks
    )
    if unanswered:
        count = len(steps.calls)
        return (
            "premature_termination",
            f"step {count + 1}: expected an answer, got none; the run ended after {count} calls",
        )
    return None


def _mismatched(evidence: Evidence) -> bool:
    score = evidence.scores.get("trajectory_match")
    return score is not None and score.value != 1.0


def _forbidden(evidence: Evidence, _steps: Steps) -> Failure | None:
    check = next(
        (check for check in evidence.checks if check.group == "forbid" and check.passed is False), None
    )
    return None if check is None else ("forbidden_tool", check.reason)


def _calls(evidence: Evidence, _steps: Steps) -> Failure | None:
    """What the first divergence says, where the trajectory does not match; a required tool that was not called."""
    divergence = evidence.divergence
    if divergence is not None and _mismatched(evidence):
        categories: dict[str, FailureCategory] = {
            "wrong_args": "wrong_arguments",
            "out_of_order": "wrong_order",
        }
        return categories.get(divergence.kind, "tool_selection"), divergence.explanation
    required = next(
        (check for check in evidence.checks if check.group == "require" and check.passed is False), None
    )
    return None if required is None else ("tool_selection", required.reason)


def _goal(evidence: Evidence, _steps: Steps) -> Failure | None:
    failing = [check for check in evidence.checks if check.group == "goal" and check.passed is not True]
    state = next((check for check in failing if check.name == "state"), None)
    if state is not None:
        return "wrong_state", state.reason
    return ("wrong_answer", f"{failing[0].name}: {failing[0].reason}") if failing else None
