"""The goal checks of a case: answer, final state, recorded outcome, results of command and python graders."""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.errors import ConfigError, GatebotError, Location
from gatebot.graders.answer import NO_ANSWER, AnswerTest, answer_tests
from gatebot.graders.folding import fold
from gatebot.graders.meaning import require_meaning
from gatebot.graders.similarity import similarity
from gatebot.graders.state import StateVerdict, check_state
from gatebot.graders.weighing import weigh
from gatebot.graders.wording import clip
from gatebot.model.case import AnswerExpectation, SimilarExpectation, Weighted
from gatebot.model.json_value import JsonValue
from gatebot.model.score import FULL, Check, Score
from gatebot.model.suite import Case
from gatebot.model.trial import GraderResult, Trial

PROGRAMS = ("command", "python")


@dataclass(frozen=True, slots=True)
class GoalChecks:
    """What the goal of a case requires against one reference."""

    case: Case
    tests: tuple[AnswerTest, ...]
    programs: tuple[str, ...]
    state: JsonValue
    similar: SimilarExpectation | None = None

    @property
    def any_given(self) -> bool:
        """Whether the case has a goal check at all."""
        expect = self.case.expect
        return expect.answer is not None or expect.state is not None or expect.outcome is not None

    def check(self, trial: Trial) -> GoalVerdict:
        """Every goal check, with similarity and the state's verdict where the case has them.

        A vacuous state check is not among the checks.
        """
        expect = self.case.expect
        similar = None if self.similar is None else _similarity(self.similar, answer_of(trial))
        checks = self._answer_checks(trial, similar)
        verdict: StateVerdict | None = None
        if expect.state is not None:
            verdict = check_state(expect.state, self.state, trial.state)
            if not verdict.vacuous:
                checks.append(Check("goal", "state", verdict.passed, verdict.reason))
        if expect.outcome is not None:
            checks.append(_outcome(trial))
        return GoalVerdict(checks, verdict, similar)

    def _answer_checks(self, trial: Trial, similar: Score | None) -> list[Check]:
        expectation = self.case.expect.answer
        if expectation is None:
            return []
        answer = answer_of(trial)
        checks: list[Check] = []
        for test in self.tests:
            reason = test.test(answer) if answer is not None else NO_ANSWER
            checks.append(Check("goal", f"answer.{test.name}", not reason, reason))
        if self.similar is not None and similar is not None:
            holds = (similar.value or 0.0) >= self.similar.threshold
            shown = f"similarity {similar.value:.2f} is below {self.similar.threshold:g}: {similar.reason}"
            checks.append(Check("goal", "answer.similar", holds, "" if holds else shown))
        checks.extend(_program(kind, trial) for kind in self.programs)
        if isinstance(expectation.combine, Weighted):
            return [weigh(checks, expectation.combine, _partial_credit(trial))]
        if expectation.combine == "any" and len(checks) > 1:
            return [_any(checks)]
        return checks


@dataclass(frozen=True, slots=True)
class GoalVerdict:
    """The checks of one trial, and the verdicts that are scores of their own."""

    checks: list[Check]
    state: StateVerdict | None = None
    similarity: Score | None = None


def goal_checks(case: Case, answer: str | None, state: JsonValue) -> GoalChecks:
    """The goal checks of a case against a reference's answer and state. Raises ConfigError on an impossible one."""
    expectation = case.expect.answer
    if expectation is None:
        return GoalChecks(case, (), (), state)
    try:
        tests = answer_tests(expectation, answer)
        similar = _similar(expectation, answer)
    except ConfigError as error:
        raise located(error, case) from error
    given = {"command": expectation.command, "python": expectation.python}
    return GoalChecks(
        case, tests, tuple(kind for kind in PROGRAMS if given[kind] is not None), state, similar
    )


def _similar(expectation: AnswerExpectation, golden_answer: str | None) -> SimilarExpectation | None:
    """The expectation with its reference text filled in. Raises ConfigError when there is none, or no model for it."""
    if expectation.similar is None:
        return None
    wanted = SimilarExpectation() if expectation.similar is True else expectation.similar
    text = wanted.text if wanted.text is not None else golden_answer
    if text is None or not fold(text):
        message = "expect.answer.similar has no text to compare with"
        raise ConfigError(message, "write golden.answer, or `similar: {text: …}`")
    if wanted.semantic:
        require_meaning()
    return wanted.model_copy(update={"text": text})


def _similarity(expectation: SimilarExpectation, answer: str | None) -> Score:
    if answer is None or expectation.text is None:
        return Score(0.0, NO_ANSWER)
    return similarity(expectation.text, answer, expectation.entities, semantic=expectation.semantic)


def located(error: GatebotError, case: Case) -> ConfigError:
    """The error with the case file's path."""
    return ConfigError(error.message, error.hint, location=error.location or Location(case.path))


def answer_of(trial: Trial) -> str | None:
    """The answer the agent stated, else the text of its last message; None when neither has any text."""
    answer = trial.answer if trial.answer is not None else trial.trajectory.final_text()
    return answer if answer and not answer.isspace() else None


def _program(kind: str, trial: Trial) -> Check:
    """The stored result of a program that graded the trial in its sandbox."""
    result = _result(kind, trial)
    name = f"answer.{kind}"
    if result is None:
        return Check("goal", name, None, f"the {kind} grader left no result in the trial")
    if result.passed:
        return Check("goal", name, passed=True)
    says = "failed itself" if result.fault else "says no"
    reason = f"the {kind} grader {says}: {clip(result.reason or 'no reason given', 200)}"
    return Check("goal", name, passed=False, reason=reason, fault=result.fault)


def _result(kind: str, trial: Trial) -> GraderResult | None:
    found = (r for r in trial.grader_results if r.grader == kind or r.grader.startswith(f"{kind}:"))
    return next(found, None)


def _partial_credit(trial: Trial) -> dict[str, float]:
    """Name of a program's check → its score, where it gave one in [0, 1]."""
    results = {f"answer.{kind}": _result(kind, trial) for kind in PROGRAMS}
    return {
        name: result.score
        for name, result in results.items()
        if result is not None and result.score is not None and 0 <= result.score <= 1
    }


def _outcome(trial: Trial) -> Check:
    if trial.outcome is None:
        return Check("goal", "outcome", None, "the trial carries no recorded outcome")
    if trial.outcome.passed:
        return Check("goal", "outcome", passed=True)
    score = "" if trial.outcome.score is None else f" (score {trial.outcome.score:g})"
    verifier = clip(trial.outcome.verifier, 60) or "the source's verifier"
    return Check("goal", "outcome", passed=False, reason=f"{verifier} recorded a failure{score}")


def _any(checks: list[Check]) -> Check:
    """`combine: any`: one check that passes when one of them does."""
    if any(check.passed for check in checks):
        return Check("goal", "answer", passed=True)
    unknown = any(check.passed is None for check in checks)
    reason = "none of them holds: " + "; ".join(check.reason for check in checks if check.reason)
    fault = any(check.fault for check in checks)
    return Check("goal", "answer", None if unknown else False, clip(reason, 600), fault and not unknown)


def final_response(checks: list[Check]) -> Score:
    """1 when every goal check holds, 0 when one does not; ungraded when one could not be checked, or there is none."""
    failed = next((check for check in checks if check.passed is False), None)
    if failed is not None:
        return Score(0.0, f"{failed.name}: {failed.reason}", fault=failed.fault)
    unknown = next((check for check in checks if check.passed is None), None)
    if unknown is not None:
        return Score(None, f"{unknown.name}: {unknown.reason}")
    return FULL if checks else Score(None, "no goal check", by_design=True)
