"""A trial in, its grade out: every score the case asks for, every check it requires, and what went wrong first."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from gatebot.graders.aliases import Aliases
from gatebot.graders.answer import NO_ANSWER
from gatebot.graders.assessment import Assessment, ReferenceGrader, fault_reason, guarded, worst
from gatebot.graders.declared_schemas import DeclaredSchemas
from gatebot.graders.efficiency import (
    convergence,
    duplicate_score,
    find_loop,
    loop_score,
    quantities,
    wasted_calls,
)
from gatebot.graders.explanation import Findings, Seen, explain
from gatebot.graders.failure import Failure, ended_badly
from gatebot.graders.goal import answer_of
from gatebot.graders.grounding import case_text, grounded
from gatebot.graders.handoffs import handoffs
from gatebot.graders.outcome import corrupt_success, pass_rate
from gatebot.graders.parallelism import Remembered, needs_of, parallelism
from gatebot.graders.recovery import failed_calls, failures, incidents, recovery
from gatebot.graders.reference_graders import reference_graders
from gatebot.graders.steps import Steps, gather
from gatebot.graders.tool_schemas import ToolSchemas, schema_valid
from gatebot.graders.tools import forbidden_check, required_check
from gatebot.graders.trajectory import judge
from gatebot.graders.unmet import unmet_after
from gatebot.graders.wording import REASON_LIMIT, clip
from gatebot.model.config import TrajectoryDefault
from gatebot.model.score import FULL, Check, Divergence, Grade, Score
from gatebot.model.suite import Case
from gatebot.model.trajectory import Trajectory
from gatebot.model.trial import Trial

QUANTITIES = ("tool_calls", "turns", "unique_tools", "latency_s", "tool_latency_s", "tokens", "cost_usd")
INFORMATION = ("grounded", "parallelism", "handoffs")
DRIFT_METRICS = ("golden_drift",)
SCHEMA_METRICS = ("schema_valid",)
ROBUSTNESS = ("duplicate_calls", "failed_calls", "recovery", "loop")


def grade_trial(
    case: Case, trial: Trial, defaults: TrajectoryDefault, schemas: ToolSchemas | None = None
) -> Grade:
    """The grade of one trial. For many trials of a case, make one CaseGrader and keep it.

    Raises ConfigError when the case cannot be graded at all, and nothing else.
    """
    return CaseGrader(case, defaults, schemas).grade(trial)


class CaseGrader:
    """Everything of a case that is the same for all its trials, prepared once.

    `schemas`: those of the suite's tools, one object for all its cases. `declared`: where a suite has none, and no gate
    is set on `schema_valid`, what compares with the schemas that a trial itself declares. Raises ConfigError, with the case's path, on
    an expectation that cannot be graded.
    """

    def __init__(
        self,
        case: Case,
        defaults: TrajectoryDefault,
        schemas: ToolSchemas | None = None,
        declared: DeclaredSchemas | None = None,
    ) -> None:
        own = case.expect.trajectory.aliases if case.expect.trajectory is not None else {}
        self._names = Aliases({**defaults.aliases, **own})
        self._case = case = self._names.case(case)
        self._schemas = schemas or ToolSchemas()
        self._declared = declared
        self._graders = reference_graders(case, defaults)
        self._told = case_text(case)
        self._values: Remembered = {}
        self._pure = frozenset(map(self._names.name, defaults.pure))

    def grade(self, trial: Trial) -> Grade:
        """The grade of one trial of the case. Never raises on what the trial holds.

        `infra_error` has no scores and `passed` None. `agent_error` and `timeout` have not passed; they score 0 where
        a metric lies in [0, 1] and higher is better, and are ungraded elsewhere.
        """
        if trial.status == "infra_error":
            return _grade(trial, None, {}, (), Failure(None, clip(trial.reason, REASON_LIMIT)))
        trial = self._names.trial(trial)
        if trial.status != "completed":
            return self._grade_broken(trial)
        try:
            steps = gather(trial.trajectory)
        except Exception as error:  # noqa: BLE001 - one agent's data must not end the grading of all others
            reason = fault_reason("reading the calls", error)
            check = Check("trajectory", "trajectory", passed=False, reason=reason)
            scores = {name: worst(name, reason, fault=True) for name in self.metrics}
            unread = unmet_after(0, check.name, reason)
            return _grade(trial, False, scores, (check,), Failure(None, reason), unread)
        return self._grade_completed(trial, steps)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics this case is asked for."""
        expect = self._case.expect
        names = ["pass_rate", *self._graders[0].metrics, *QUANTITIES, *ROBUSTNESS, *INFORMATION]
        if self._graders[0].drift.given:
            names.append("golden_drift")
        if self._schemas.given:
            names.append("schema_valid")
        if expect.require:
            names.append("required_tools")
        if expect.forbid:
            names.append("forbidden_tools")
        if self._graders[0].goal.any_given:
            names.append("corrupt_success")
        if self._optimal(self._graders[0]) is not None:
            names.append("convergence")
        return tuple(names)

    @cached_property
    def _ruled_out(self) -> dict[str, Score]:
        """Scores that the case rules out whatever the agent does: a broken trial must not score 0 there either."""
        nothing = Trial(self._case.id, "head", 0, 0, "completed")
        steps = gather(Trajectory())
        steps.reported = True
        scores = self._graders[0].assess(nothing, steps).scores
        return {name: score for name, score in scores.items() if score.by_design}

    def _grade_completed(self, trial: Trial, steps: Steps) -> Grade:
        best = max((grader.assess(trial, steps) for grader in self._graders), key=lambda found: found.rank)
        checks = [*best.checks, *self._tool_checks(steps)]
        if not checks:
            checks = [
                Check(
                    "goal", "nothing", None, "the case requires nothing that could be checked on this trial"
                )
            ]
        passed = all(check.passed for check in checks)
        scores = {"pass_rate": pass_rate(checks), **best.scores}
        scores.update(
            (check.name, _score_of(check)) for check in checks if check.group in ("require", "forbid")
        )
        scores["corrupt_success"] = corrupt_success(best.scores["final_response"], checks)
        optimal = self._optimal(best.grader)
        if optimal is not None:
            scores["convergence"] = convergence(optimal, steps, passed=passed)
        scores.update(guarded("quantities", QUANTITIES, lambda: quantities(trial, steps)))
        seen = Seen()
        scores.update(
            guarded("robustness", ROBUSTNESS, lambda: self._robustness(trial, steps, seen, passed=passed))
        )
        scores.update(guarded("information", INFORMATION, lambda: self._information(trial, steps, best)))
        if best.grader.drift.given:
            scores.update(guarded("golden drift", DRIFT_METRICS, lambda: self._drift(best, trial, steps)))
        if self._schemas.given:
            scores.update(guarded("tool schemas", SCHEMA_METRICS, lambda: self._schema_scores(steps)))
        elif self._declared is not None and (tools := trial.trajectory.tools):
            declared = self._declared
            found = guarded(
                "tool schemas", SCHEMA_METRICS, lambda: {"schema_valid": declared.score(tools, steps)}
            )
            scores.update(found)
        if passed:
            return _grade(trial, True, scores, tuple(checks))
        divergence, failure = explain(trial, steps, best, Findings(checks, scores, seen, self._case.expect))
        return _grade(trial, False, scores, tuple(checks), failure, divergence)

    def _grade_broken(self, trial: Trial) -> Grade:
        """A trial that did not complete, with the divergence of what it did up to its end."""
        failure = ended_badly(trial)
        said = f"{trial.status}: {failure.reason}"
        divergence = None
        grader = self._graders[0]
        try:
            if grader.calls is not None:
                steps = gather(trial.trajectory)
                divergence = grader.divergence(steps, judge(grader.calls, steps, grader.mode))
        except Exception as error:  # noqa: BLE001 - the trial has failed already; only its explanation is lost
            said = f"{said}; {fault_reason('first divergence', error)}"
        scores = {name: self._ruled_out.get(name) or worst(name, said) for name in self.metrics}
        if failure.category == "infinite_loop":
            scores["loop"] = Score(1.0, said)
        divergence = divergence or unmet_after(len(trial.trajectory.calls()), trial.status, failure.reason)
        return _grade(trial, False, scores, (), failure, divergence)

    def _tool_checks(self, steps: Steps) -> Iterator[Check]:
        expect = self._case.expect
        if expect.require:
            yield required_check(expect.require, steps)
        if expect.forbid:
            yield forbidden_check(expect.forbid, steps)

    def _optimal(self, grader: ReferenceGrader) -> int | None:
        if self._case.expect.optimal_steps is not None:
            return self._case.expect.optimal_steps
        return None if grader.calls is None else len(grader.calls.required)

    def _information(self, trial: Trial, steps: Steps, best: Assessment) -> dict[str, Score]:
        answer = answer_of(trial)
        calls, fit = best.grader.calls, best.fit
        written = needs_of(calls, fit.partner) if calls is not None and fit is not None else None
        return {
            "grounded": grounded(self._told, steps, answer) if answer is not None else Score(None, NO_ANSWER),
            "parallelism": parallelism(self._told, steps, self._values, written, self._pure),
            "handoffs": handoffs(trial.trajectory, steps),
        }

    def _drift(self, best: Assessment, trial: Trial, steps: Steps) -> dict[str, Score]:
        return {"golden_drift": best.grader.drift.score(steps, answer_of(trial))}

    def _schema_scores(self, steps: Steps) -> dict[str, Score]:
        return {"schema_valid": schema_valid(self._schemas, steps)}

    def _robustness(self, trial: Trial, steps: Steps, seen: Seen, *, passed: bool) -> dict[str, Score]:
        """Scores of ROBUSTNESS; incidents and loop are left in `seen` for the failure's category."""
        poll = self._case.expect.poll
        failed = failures(steps)
        seen.incidents = incidents(steps, failed, passed=passed)
        wasted = wasted_calls(steps, failed, poll)
        limit = trial.trajectory.turn_limit
        seen.loop = find_loop(steps, wasted, poll, limit) if steps.reported else None
        return {
            "duplicate_calls": duplicate_score(steps, wasted),
            "failed_calls": failed_calls(steps, failed),
            "recovery": recovery(steps, seen.incidents),
            "loop": loop_score(steps, seen.loop),
        }


def _score_of(check: Check) -> Score:
    """The score of a check on tools; one that could not be made is ungraded."""
    if check.passed:
        return FULL
    return Score(None if check.passed is None else 0.0, check.reason)


_NO_FAILURE = Failure(None, "")


def _grade(
    trial: Trial,
    passed: bool | None,
    scores: dict[str, Score],
    checks: tuple[Check, ...],
    failure: Failure = _NO_FAILURE,
    divergence: Divergence | None = None,
) -> Grade:
    """The grade, with what went wrong."""
    return Grade(
        trial.case,
        trial.side,
        trial.slot,
        trial.status,
        passed,
        round=trial.round,
        cached=trial.cached,
        reused=trial.reused,
        checks=checks,
        scores=scores,
        divergence=divergence,
        failure=failure.category,
        failure_reason=failure.reason[:REASON_LIMIT],
        failure_steps=failure.steps,
        other_failures=failure.others,
    )
