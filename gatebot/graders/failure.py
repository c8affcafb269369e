"""The categories of a failing trial, by rule, with the steps that show them: one is primary, the others are kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gatebot.graders.efficiency import Loop
from gatebot.graders.recovery import Incident, unrecovered
from gatebot.graders.steps import Steps
from gatebot.graders.tools import forbidden_steps
from gatebot.graders.wording import REASON_LIMIT, clip
from gatebot.importers.turn_limit import tells_turn_limit
from gatebot.model.score import Check, Divergence, FailureCategory, OtherFailure, Score
from gatebot.model.trial import Trial

STEPS_LIMIT = 20


@dataclass(frozen=True, slots=True)
class Failure:
    """A category (None: no rule speaks), why, and the 1-based steps that show it (at most twenty).

    `others`: the categories that rules of lower precedence give, each once, with their own reasons and steps.
    """

    category: FailureCategory | None
    reason: str
    steps: tuple[int, ...] = ()
    others: tuple[OtherFailure, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the rules look at. `answered`: the trial ended with an answer.
    `cut_short`: the calls are the golden's up to a point, and then no more. `forbid`: tools that must not be called.
    """

    checks: list[Check]
    scores: dict[str, Score]
    divergence: Divergence | None
    incidents: list[Incident]
    loop: Loop | None
    answered: bool
    cut_short: bool
    forbid: tuple[str, ...] = ()


def failure_of(evidence: Evidence, steps: Steps) -> Failure | None:
    """The category that comes first in the order of precedence, and why; the others are kept. None when no rule speaks.

    A rule that shows the same steps for the same reason says nothing more, and is left out.

    execution > loop > premature end > forbidden tool > selection > arguments > order > state > answer.
    """
    rules = (_execution, _loop, _premature, _forbidden, _calls, _graph, _goal)
    spoken = [found for rule in rules if (found := rule(evidence, steps)) is not None]
    if not spoken:
        return None
    primary, *rest = spoken
    others: dict[FailureCategory, OtherFailure] = {}
    for found in rest:
        same = (found.reason, found.steps) == (primary.reason, primary.steps)
        if found.category is not None and found.category != primary.category and not same:
            told = clip(found.reason, REASON_LIMIT)
            others.setdefault(found.category, OtherFailure(found.category, told, found.steps[:STEPS_LIMIT]))
    return replace(primary, steps=primary.steps[:STEPS_LIMIT], others=tuple(others.values()))


def ended_badly(trial: Trial) -> Failure:
    """The category of a trial that did not complete: how it ended, and the reason it carries.

    An agent that ran into a limit of its own turns went in circles, as far as anybody can tell.
    """
    if turn_limit(trial):
        told = trial.reason if tells_turn_limit(trial.reason) else trial.trajectory.turn_limit
        return Failure("infinite_loop", clip(told, REASON_LIMIT))
    if trial.status == "timeout":
        return Failure("timeout", clip(trial.reason or "the agent did not end in time", REASON_LIMIT))
    return Failure("agent_error", clip(trial.reason or "the agent failed", REASON_LIMIT))


def turn_limit(trial: Trial) -> bool:
    """Whether the trial's reason or its trace says that the agent was stopped by a limit of its turns."""
    return tells_turn_limit(trial.reason) or bool(trial.trajectory.turn_limit)


def _execution(evidence: Evidence, steps: Steps) -> Failure | None:
    lost = next((incident for incident in evidence.incidents if not incident.recovered), None)
    if lost is None:
        return None
    reason = f"step {lost.steps[-1] + 1}: {unrecovered(steps, lost)}"
    return Failure("tool_execution", reason, tuple(step + 1 for step in lost.steps))


def _loop(evidence: Evidence, _steps: Steps) -> Failure | None:
    loop = evidence.loop
    return None if loop is None else Failure("infinite_loop", loop.reason, loop.steps)


def _premature(evidence: Evidence, steps: Steps) -> Failure | None:
    """No answer where one was checked, or the golden's calls made up to a point and then no more."""
    if evidence.cut_short and evidence.divergence is not None and _mismatched(evidence):
        divergence = evidence.divergence
        return Failure("premature_termination", divergence.explanation, (divergence.step,))
    unanswered = not evidence.answered and any(
        check.passed is not True and check.name.startswith("answer") for check in evidence.checks
    )
    if unanswered:
        count = len(steps.calls)
        reason = f"step {count + 1}: expected an answer, got none; the run ended after {count} calls"
        return Failure("premature_termination", reason, (count + 1,))
    return None


def _mismatched(evidence: Evidence) -> bool:
    score = evidence.scores.get("trajectory_match")
    return score is not None and score.value != 1.0


def _failed(evidence: Evidence, name: str) -> Check | None:
    return next((check for check in evidence.checks if check.name == name and check.passed is False), None)


def _forbidden(evidence: Evidence, steps: Steps) -> Failure | None:
    check = _failed(evidence, "forbidden_tools")
    if check is None:
        return None
    shown = tuple(index + 1 for index in forbidden_steps(evidence.forbid, steps))
    return Failure("forbidden_tool", check.reason, shown)


def _calls(evidence: Evidence, _steps: Steps) -> Failure | None:
    """What the first divergence says, where the trajectory does not match; a required tool that was not called."""
    divergence = evidence.divergence
    if divergence is not None and _mismatched(evidence):
        categories: dict[str, FailureCategory] = {
            "wrong_args": "wrong_arguments",
            "out_of_order": "wrong_order",
        }
        category = categories.get(divergence.kind, "tool_selection")
        return Failure(category, divergence.explanation, (divergence.step,))
    required = _failed(evidence, "required_tools")
    return None if required is None else Failure("tool_selection", required.reason)


def _graph(evidence: Evidence, _steps: Steps) -> Failure | None:
    """A node path that is not the golden's; nodes are no steps, so no step shows it."""
    check = _failed(evidence, "graph_match")
    return None if check is None else Failure("tool_selection", check.reason)


def _goal(evidence: Evidence, _steps: Steps) -> Failure | None:
    failing = [check for check in evidence.checks if check.group == "goal" and check.passed is not True]
    state = next((check for check in failing if check.name == "state"), None)
    if state is not None:
        return Failure("wrong_state", state.reason)
    return Failure("wrong_answer", f"{failing[0].name}: {failing[0].reason}") if failing else None
