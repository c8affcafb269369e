"""The course of one evaluation: its looks, how many rounds it has had, and which slots each look may use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gatebot.core.confirm import by_confirmation, by_min_p, suspect_cases
from gatebot.core.decision import SingleCases
from gatebot.core.looks import Look, LookPlan, look_plan
from gatebot.core.tracing import Known, LookResult, look_at, trace
from gatebot.core.verdict import without_evidence
from gatebot.core.view import EvidenceView, MetricSample, Window
from gatebot.model.config import Gate
from gatebot.model.metric import PRIMARY_METRIC, in_table_order
from gatebot.model.plan import Plan

_EVERY_SLOT = range(2**62)


@dataclass(frozen=True, slots=True)
class Course:
    """What the plan fixes: the looks, the regular rounds run so far, and each side's first slot.

    `was_recorded`: the base is only recorded, or it was until a look asked for a fresh one.
    """

    looks: LookPlan
    rounds: int
    base_first_slot: int = 1
    head_first_slot: int = 1
    was_recorded: bool = False

    @property
    def recorded_base(self) -> bool:
        """Whether the base is only recorded."""
        return self.looks.recorded_base

    def window(self, rounds: int) -> Window | None:
        """The slots of the first `rounds` rounds; None (all) with a fixed number of seeds and a base that is run."""
        if not self.looks.sequential:
            return Window(_EVERY_SLOT, _EVERY_SLOT, recorded_base=True) if self.recorded_base else None
        return Window(
            base=range(self.base_first_slot, self.base_first_slot + rounds),
            head=range(self.head_first_slot, self.head_first_slot + rounds),
            recorded_base=self.recorded_base,
        )


@dataclass(frozen=True, slots=True)
class Reached:
    """Where an evaluation stands: every look so far, leg B, its suspects, and why it is not finished (empty: it is)."""

    results: tuple[LookResult, ...]
    singles: SingleCases
    suspects: tuple[str, ...] = ()
    unfinished: str = ""

    @property
    def last(self) -> LookResult | None:
        """The look that decides."""
        return self.results[-1] if self.results else None

    @property
    def red(self) -> bool:
        """Whether leg A or leg B closes the gate."""
        return bool(self.singles.regressed) or (self.last is not None and bool(self.last.red))


def course_of(plan: Plan, gate: Gate) -> Course:
    """The course a plan describes."""
    recorded = plan.base_recorded if not plan.runs_base() else 0
    return Course(
        looks=look_plan(
            gate,
            plan.seeds,
            sequential=plan.sequential,
            recorded_base=recorded,
            after_recorded=plan.base_recorded > 0 and not recorded,
        ),
        rounds=plan.regular_rounds(),
        base_first_slot=plan.base_first_slot,
        head_first_slot=plan.head_first_slot,
        was_recorded=plan.base_recorded > 0,
    )


def reached(evidence: EvidenceView, gate: Gate, course: Course, known: Known = ()) -> Reached:
    """Recompute every look and leg B from the evidence; `known` as in `trace`."""
    if not course.looks.sequential:
        return _single_look(evidence, gate, course)
    results = trace(
        lambda rounds: gating_samples(evidence, gate, course, rounds),
        gate,
        course.looks,
        course.rounds,
        known=known,
    )
    doubt = evidence.doubt if course.recorded_base and results else ""
    if doubt:
        results = (replace(results[0], stop="fresh base"),)
    suspects = suspects_of(evidence, course)
    singles = by_confirmation(evidence, course.looks.case_level) if course.looks.case_level else SingleCases()
    unconfirmed = (set(suspects) - set(evidence.confirming_cases)) | set(singles.unconfirmed)
    return Reached(results, singles, suspects, doubt or _unfinished(course, results, len(unconfirmed)))


def gating_samples(evidence: EvidenceView, gate: Gate, course: Course, rounds: int) -> list[MetricSample]:
    """The samples of the gating metrics that have evidence within `rounds` rounds, in the order of the metric table."""
    window = course.window(rounds)
    samples = [evidence.sample(name, window) for name in in_table_order(gate.metrics)]
    return [s for s in samples if not without_evidence(evidence, s, gate, window)]


def suspects_of(evidence: EvidenceView, course: Course) -> tuple[str, ...]:
    """The suspects of the first look, sorted, when leg B is on and the first look has been reached.

    Where the base was recorded at first and then run, whoever is suspect beside either.
    """
    first = course.looks.looks[0].rounds
    if not course.looks.sequential or not course.looks.case_level or course.rounds < first:
        return ()
    samples = (evidence.sample(PRIMARY_METRIC, window) for window in _first_windows(course, first))
    return tuple(sorted({case for sample in samples for case in suspect_cases(sample)}))


def _first_windows(course: Course, first: int) -> Iterator[Window | None]:
    window = course.window(first)
    yield window
    if window is not None and course.was_recorded and not course.recorded_base:
        yield replace(window, recorded_base=True)


def _single_look(evidence: EvidenceView, gate: Gate, course: Course) -> Reached:
    """One look, single cases by min-P; when no case could reach its level, leg A gets the whole alpha."""
    (look,) = course.looks.looks
    singles = None
    if course.looks.case_level:
        sample = evidence.sample(PRIMARY_METRIC, course.window(look.rounds))
        singles = by_min_p(sample, course.looks.case_level)
    if singles is None:
        look = Look(look.rounds, gate.alpha, look.confidence)
    samples = gating_samples(evidence, gate, course, look.rounds)
    result = look_at(look, samples, gate, course.looks)
    if course.recorded_base and singles is not None and singles.regressed:
        result = replace(result, stop="fresh base")
        singles = replace(singles, regressed=frozenset[str]())
    if course.recorded_base and evidence.doubt:
        result = replace(result, stop="fresh base")
    unfinished = (evidence.doubt or WANTS_BASE) if result.stop == "fresh base" else ""
    return Reached((result,), singles or SingleCases(), unfinished=unfinished)


WANTS_BASE = (
    "the head looks worse than the base's recordings, which alone never fail it: the base must be run as well"
)


def _unfinished(course: Course, results: tuple[LookResult, ...], unconfirmed: int) -> str:
    if not results:
        return f"the run stopped before the first look, after {course.rounds} rounds"
    if results[-1].stop == "fresh base":
        return WANTS_BASE
    if results[-1].stop == "go on":
        return f"the run stopped after round {course.rounds}, though the data asked for more"
    if unconfirmed:
        return f"{unconfirmed} suspect cases have no confirming trials"
    return ""
