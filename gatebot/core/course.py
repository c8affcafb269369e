"""The course of one evaluation: its looks, how many rounds it has had, and which slots each look may use."""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.core.confirm import SingleCases, by_confirmation, by_min_p, suspect_cases
from gatebot.core.evidence import Evidence, MetricSample, Window, metric_sample
from gatebot.core.looks import Look, LookPlan, look_plan
from gatebot.core.tracing import LookResult, look_at, trace
from gatebot.core.verdict import without_evidence
from gatebot.model.config import Gate
from gatebot.model.metric import METRICS, PRIMARY_METRIC
from gatebot.model.plan import Plan


@dataclass(frozen=True, slots=True)
class Course:
    """What the plan fixes: the looks, the regular rounds run so far, and each side's first slot."""

    looks: LookPlan
    rounds: int
    base_first_slot: int = 1
    head_first_slot: int = 1

    def window(self, rounds: int) -> Window | None:
        """The slots of the first `rounds` rounds; None (all) with a fixed number of seeds."""
        if not self.looks.sequential:
            return None
        return {
            "base": range(self.base_first_slot, self.base_first_slot + rounds),
            "head": range(self.head_first_slot, self.head_first_slot + rounds),
        }


@dataclass(frozen=True, slots=True)
class Reached:
    """Where an evaluation stands: every look so far, leg B, and what is still to be run (empty: nothing)."""

    results: tuple[LookResult, ...]
    singles: SingleCases
    unfinished: str = ""

    @property
    def last(self) -> LookResult | None:
        """The look that decides."""
        return self.results[-1] if self.results else None


def course_of(plan: Plan, gate: Gate) -> Course:
    """The course a plan describes."""
    return Course(
        looks=look_plan(gate, plan.seeds, sequential=plan.sequential),
        rounds=plan.regular_rounds(),
        base_first_slot=plan.base_first_slot,
        head_first_slot=plan.head_first_slot,
    )


def reached(evidence: Evidence, gate: Gate, course: Course) -> Reached:
    """Recompute every look and leg B from the evidence."""
    if not course.looks.sequential:
        return _single_look(evidence, gate, course)
    results = trace(
        lambda rounds: gating_samples(evidence, gate, course, rounds), gate, course.looks, course.rounds
    )
    singles = by_confirmation(evidence, course.looks.case_level) if course.looks.case_level else SingleCases()
    return Reached(results, singles, _unfinished(evidence, course, results, singles))


def gating_samples(evidence: Evidence, gate: Gate, course: Course, rounds: int) -> list[MetricSample]:
    """The samples of the gating metrics that have evidence within `rounds` rounds, in the order of the metric table."""
    window = course.window(rounds)
    samples = [metric_sample(evidence, name, window) for name in METRICS if name in gate.metrics]
    return [s for s in samples if not without_evidence(evidence, s, gate, window)]


def suspects_of(evidence: Evidence, course: Course) -> tuple[str, ...]:
    """The suspects of the first look, when leg B is on and the first look has been reached."""
    first = course.looks.looks[0].rounds
    if not course.looks.sequential or not course.looks.case_level or course.rounds < first:
        return ()
    return suspect_cases(metric_sample(evidence, PRIMARY_METRIC, course.window(first)))


def _single_look(evidence: Evidence, gate: Gate, course: Course) -> Reached:
    """One look, single cases by min-P; when no case could reach its level, leg A gets the whole alpha."""
    (look,) = course.looks.looks
    singles = None
    if course.looks.case_level:
        singles = by_min_p(metric_sample(evidence, PRIMARY_METRIC), course.looks.case_level)
    if singles is None:
        look = Look(look.rounds, gate.alpha, look.confidence)
    result = look_at(look, gating_samples(evidence, gate, course, look.rounds), gate)
    return Reached((result,), singles or SingleCases())


def _unfinished(
    evidence: Evidence, course: Course, results: tuple[LookResult, ...], singles: SingleCases
) -> str:
    if not results:
        return f"the run stopped before the first look, after {course.rounds} rounds"
    if results[-1].stop == "go on":
        return f"the run stopped after round {course.rounds}, though the data asked for more"
    left = set(suspects_of(evidence, course)) - {key.case for key in evidence.confirming}
    left |= set(singles.unconfirmed)
    if left:
        return f"{len(left)} suspect cases have no confirming trials"
    return ""
