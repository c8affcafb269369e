"""One trial against one reference: goal and trajectory, each guarded so that a grader's fault is a score, not a crash."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gatebot.graders.choice import tool_choice
from gatebot.graders.divergence import first_divergence
from gatebot.graders.drift import GoldenDrift
from gatebot.graders.goal import GoalChecks, final_response
from gatebot.graders.graph import GraphFit, Path, match_graph
from gatebot.graders.library_match import LibraryMatch
from gatebot.graders.matching import UNMATCHED
from gatebot.graders.reference import ReferenceCalls
from gatebot.graders.step import param_accuracy
from gatebot.graders.steps import NOT_REPORTED, Steps
from gatebot.graders.tools import NAME_METRICS, name_scores
from gatebot.graders.trajectory import Fit, judge
from gatebot.graders.wording import REASON_LIMIT, clip
from gatebot.model.case import MatchMode
from gatebot.model.metric import METRICS
from gatebot.model.score import FULL, Check, Divergence, Score
from gatebot.model.trial import Trial

FIT_METRICS = ("trajectory_match", "trajectory_credit")
GRAPH_METRICS = ("graph_match",)
ARGUMENT_METRICS = ("param_accuracy",)
CHOICE_METRICS = ("tool_choice",)
_UNKNOWN_CALLS = Score(None, NOT_REPORTED)
CALL_METRICS = (*FIT_METRICS, *ARGUMENT_METRICS, *CHOICE_METRICS, *NAME_METRICS)


def worst(name: str, reason: str, *, fault: bool = False) -> Score:
    """The score of a metric on a trial that did not earn one: 0 where [0, 1] and higher is better, else ungraded."""
    metric = METRICS[name]
    zero = metric.direction == "higher" and metric.scale in ("binary", "unit")
    return Score(0.0 if zero else None, reason, fault=fault)


def fault_reason(grader: str, error: Exception) -> str:
    """The reason of a score whose grader failed."""
    return clip(f"grader fault in {grader}: {type(error).__name__}: {error}", REASON_LIMIT)


def guarded(grader: str, names: tuple[str, ...], compute: Callable[[], dict[str, Score]]) -> dict[str, Score]:
    """What `compute` says, or the worst score for every name with the fault flag and the reason."""
    try:
        return compute()
    except Exception as error:  # noqa: BLE001 - whatever an agent's data break in here, it must cost that trial only
        reason = fault_reason(grader, error)
        return {name: worst(name, reason, fault=True) for name in names}


@dataclass(frozen=True, slots=True)
class Assessment:
    """What one reference says of a trial. `divergence`: found already where the calls do not match."""

    grader: ReferenceGrader
    checks: list[Check]
    scores: dict[str, Score]
    fit: Fit | None = None
    divergence: Divergence | None = None

    @property
    def rank(self) -> tuple[bool, float, float, float, float]:
        """For choosing the best reference: passes, then goal, trajectory, credit and node path."""
        goal, match, credit, graph = (
            (self.scores[name].value or 0.0) if name in self.scores else 0.0
            for name in ("final_response", "trajectory_match", "trajectory_credit", "graph_match")
        )
        return all(check.passed for check in self.checks), goal, match, credit, graph

    def cut_short(self, steps: Steps) -> bool:
        """Whether the agent made the golden calls up to a point and then no more."""
        return (
            self.fit is not None
            and self.grader.calls is not None
            and self.fit.cut_short(self.grader.calls, steps)
        )


@dataclass(frozen=True, slots=True)
class ReferenceGrader:
    """A case's checks against one reference. `required`: the trial cannot pass unless the trajectory matches."""

    goal: GoalChecks
    calls: ReferenceCalls | None
    mode: MatchMode
    required: bool
    graph: Path | None = None
    library: LibraryMatch | None = None
    drift: GoldenDrift = field(default_factory=lambda: GoldenDrift(None, None))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics this reference is asked for."""
        goal = ("final_response",) if self.goal.any_given else ()
        state = ("state_match",) if self.goal.case.expect.state is not None else ()
        similar = ("similarity",) if self.goal.similar is not None else ()
        graph = GRAPH_METRICS if self.graph is not None else ()
        return (*goal, *state, *similar, *graph, *(CALL_METRICS if self.calls is not None else ()))

    def assess(self, trial: Trial, steps: Steps) -> Assessment:
        """Checks and scores of a completed trial. Never raises on what the trial holds."""
        checks: list[Check] = []
        scores: dict[str, Score] = {}
        self._assess_goal(trial, checks, scores)
        if self.graph is not None:
            self._assess_graph(self.graph, trial, checks, scores)
        if self.calls is None:
            return Assessment(self, checks, scores)
        fit, divergence = self._assess_calls(self.calls, steps, checks, scores)
        return Assessment(self, checks, scores, fit, divergence)

    def _assess_goal(self, trial: Trial, checks: list[Check], scores: dict[str, Score]) -> None:
        if not self.goal.any_given:
            scores["final_response"] = Score(None, "no goal check", by_design=True)
            return
        try:
            verdict = self.goal.check(trial)
        except Exception as error:  # noqa: BLE001 - as in `guarded`; the failed check keeps the trial from passing
            reason = fault_reason("goal checks", error)
            checks.append(Check("goal", "goal", passed=False, reason=reason))
            names = [name for name in self.metrics if name in ("final_response", "state_match", "similarity")]
            scores.update({name: worst(name, reason, fault=True) for name in names})
            return
        checks.extend(verdict.checks)
        scores["final_response"] = final_response(verdict.checks)
        if verdict.state is not None:
            state = verdict.state
            scores["state_match"] = _binary(state.passed, state.reason, by_design=state.vacuous)
        if verdict.similarity is not None:
            scores["similarity"] = verdict.similarity

    def _assess_graph(self, graph: Path, trial: Trial, checks: list[Check], scores: dict[str, Score]) -> None:
        try:
            fit = match_graph(graph, trial.trajectory.graph, self.mode)
        except Exception as error:  # noqa: BLE001 - as in `guarded`; the failed check keeps the trial from passing
            reason = fault_reason("graph_match", error)
            scores["graph_match"] = worst("graph_match", reason, fault=True)
            fit = GraphFit(passed=False, reason=reason)
        else:
            scores["graph_match"] = _binary(fit.passed, fit.reason)
        if self.required:
            checks.append(Check("trajectory", "graph_match", fit.passed, fit.reason))

    def _assess_calls(
        self, calls: ReferenceCalls, steps: Steps, checks: list[Check], scores: dict[str, Score]
    ) -> tuple[Fit | None, Divergence | None]:
        fit: Fit | None = None
        divergence: Divergence | None = None
        try:
            fit = judge(calls, steps, self.mode)
            if self.library is not None:
                fit = self.library.verdict(steps, fit)
            if fit.passed is False and not fit.reason:
                divergence = first_divergence(calls, steps, self.mode, fit)
            reason = fit.reason if divergence is None else f"{self.mode}: {divergence.explanation}"
            scores["trajectory_match"] = _binary(fit.passed, reason, by_design=fit.vacuous)
            scores["trajectory_credit"] = _credit(calls, fit)
            check = Check("trajectory", "trajectory_match", fit.passed, reason)
        except Exception as error:  # noqa: BLE001 - as in `guarded`; the failed check keeps the trial from passing
            reason = fault_reason("trajectory_match", error)
            scores.update({name: worst(name, reason, fault=True) for name in FIT_METRICS})
            check = Check("trajectory", "trajectory_match", passed=False, reason=reason)
            fit = None
        if self.required and not (fit is not None and fit.vacuous):
            checks.append(check)
        scores.update(self._call_scores(calls, steps, fit))
        return fit, divergence

    def _call_scores(self, calls: ReferenceCalls, steps: Steps, fit: Fit | None) -> dict[str, Score]:
        """Scores that compare names and arguments one by one; ungraded where the calls are unknown."""
        if not steps.reported:
            return dict.fromkeys((*NAME_METRICS, *ARGUMENT_METRICS, *CHOICE_METRICS), _UNKNOWN_CALLS)
        partner = fit.partner if fit is not None else (UNMATCHED,) * len(calls.steps)
        arguments = guarded(
            "arguments",
            ARGUMENT_METRICS,
            lambda: {"param_accuracy": param_accuracy(calls, steps, partner)},
        )
        return {
            **guarded("tool names", NAME_METRICS, lambda: name_scores(calls, steps)),
            **arguments,
            **guarded("tool choice", CHOICE_METRICS, lambda: self._choice(calls, steps)),
        }

    def _choice(self, calls: ReferenceCalls, steps: Steps) -> dict[str, Score]:
        expect, strict = self.goal.case.expect, self.mode == "strict"
        return {
            "tool_choice": tool_choice(calls, steps, ordered=strict, always=expect.poll, never=expect.forbid)
        }

    def divergence(self, steps: Steps, fit: Fit | None) -> Divergence | None:
        """The first divergence from this reference; None where it has no calls, or the trial's could not be judged."""
        if self.calls is None or fit is None or not steps.reported:
            return None
        return first_divergence(self.calls, steps, self.mode, fit)


def _binary(passed: bool | None, reason: str, *, by_design: bool = False) -> Score:
    """The score of a verdict; None stays ungraded."""
    if passed is True and not reason:
        return FULL
    return Score(None if passed is None else float(passed), reason, by_design=by_design)


def _credit(calls: ReferenceCalls, fit: Fit) -> Score:
    credit = fit.credit(calls)
    if credit is None:
        return Score(None, "no golden call to match", by_design=True)
    if fit.passed is None and not fit.vacuous and fit.reason and credit < 1.0:
        return Score(None, fit.reason)
    if credit == 1.0:
        return FULL
    index = next(i for i in calls.required if fit.partner[i] < 0)
    open_calls = sum(fit.partner[i] < 0 for i in calls.required)
    return Score(
        credit,
        f"{open_calls} of {len(calls.required)} golden calls not made, first {calls.steps[index].shown}",
    )
