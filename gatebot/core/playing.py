"""A whole evaluation played on numbers that are there already: the gate's own looks and rounds, no agent, no grader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from gatebot.core.course import Course, Reached
from gatebot.core.looks import look_plan
from gatebot.core.rounds import needs
from gatebot.core.stats.resampling import PERMUTATIONS
from gatebot.core.stats.single_case import CONFIRM_TRIALS
from gatebot.core.stats.strata import FloatArray
from gatebot.core.tracing import Known
from gatebot.core.view import MetricSample, Window
from gatebot.model.config import Gate
from gatebot.model.metric import METRICS, PRIMARY_METRIC
from gatebot.model.report import SideCount
from gatebot.model.trial import SIDES, Side


@dataclass(frozen=True, slots=True)
class Arm:
    """One side's outcomes: per metric an array cases x slots (NaN = ungraded).

    `fresh`: cases x confirming trials, 1 = passed; without it the slots after the regular rounds are used.
    """

    values: Mapping[str, FloatArray]
    fresh: FloatArray | None = None

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return next(iter(self.values.values())).shape[0]


@dataclass(frozen=True, slots=True)
class Arms:
    """Both sides' outcomes, slot 1 first; `recorded`: a base recorded earlier, if the evaluation starts with it."""

    base: Arm
    head: Arm
    recorded: Arm | None = None

    def of(self, side: Side) -> Arm:
        """The outcomes of a side that is run."""
        return self.base if side == "base" else self.head


@dataclass(frozen=True, slots=True)
class Played:
    """How a played evaluation ended: `trials` were run on both sides together, `rounds` of them regular."""

    state: Reached
    rounds: int
    trials: int
    fresh_base: bool
    suspects: tuple[str, ...]

    @property
    def red(self) -> bool:
        """Whether the gate closed."""
        return self.state.red


@dataclass(frozen=True, slots=True)
class ArrayView:
    """Outcomes as a look sees them."""

    arms: Arms
    confirming_cases: tuple[str, ...] = ()
    doubt: str = ""
    _samples: dict[tuple[str, Window | None], MetricSample] = field(
        default_factory=dict[tuple[str, Window | None], MetricSample]
    )

    def sample(self, name: str, window: Window | None = None) -> MetricSample:
        """The sample of one metric, as Evidence would give it."""
        found = self._samples.get((name, window))
        if found is None:
            found = self._samples[name, window] = self._sampled(name, window)
        return found

    def lost_share(self, side: Side, window: Window | None = None) -> float:
        """Nothing is lost here."""
        return 0.0 if side in SIDES else float(window is None)

    def fresh_count(self, case: str, side: Side) -> SideCount:
        """Passes of a case's confirming trials."""
        fresh = self.arms.of(side).fresh
        if fresh is None:
            return SideCount(0, 0)
        return SideCount(int(fresh[int(case)].sum()), fresh.shape[1])

    def _sampled(self, name: str, window: Window | None) -> MetricSample:
        arm = self.arms.recorded if window is not None and window.recorded_base else self.arms.base
        assert arm is not None  # noqa: S101 - a recorded window is only asked for where there are recordings
        recorded = window is not None and window.recorded_base
        base = _sliced(arm.values[name], None if window is None or recorded else window.base)
        head = _sliced(self.arms.head.values[name], None if window is None else window.head)
        both = [
            (f"{case:06}", b, h) for case, (b, h) in enumerate(zip(base, head, strict=True)) if b[1] and h[1]
        ]
        return MetricSample(
            metric=METRICS[name],
            cases=tuple(case for case, _, _ in both),
            base=tuple(b[1] for _, b, _ in both),
            head=tuple(h[1] for _, _, h in both),
            base_slots=tuple(b[0] for _, b, _ in both),
            head_slots=tuple(h[0] for _, _, h in both),
            ungraded=dict.fromkeys(SIDES, 0),
            unexplained=dict.fromkeys(SIDES, 0),
        )


def play(
    arms: Arms, gate: Gate, *, rounds: int, sequential: bool, permutations: int = PERMUTATIONS
) -> Played:
    """Play an evaluation of at most `rounds` rounds: looks, futility, suspects and their fresh trials, all as the gate does.

    The arms hold at least so many slots; with `sequential` and leg B on, `fresh` confirming trials too.
    """
    recorded = arms.recorded.values[PRIMARY_METRIC].shape[1] if arms.recorded is not None else 0
    looks = look_plan(gate, rounds, sequential=sequential, recorded_base=recorded)
    looks = replace(looks, permutations=permutations)
    course = Course(looks, looks.looks[0].rounds, was_recorded=recorded > 0)
    cases = arms.head.cases
    trials = cases * course.rounds * (1 if recorded else 2)
    view = ArrayView(arms)
    known: Known = ()
    while True:
        asked = needs(view, gate, course, known=known)
        known = asked.state.results
        if asked.confirm:
            view = replace(view, confirming_cases=tuple(sorted({*view.confirming_cases, *asked.confirm})))
            trials += 2 * CONFIRM_TRIALS * len(asked.confirm)
        if asked.fresh_base:
            trials += cases * course.rounds
            fresh = look_plan(gate, rounds, sequential=sequential, after_recorded=True)
            course, known = replace(course, looks=replace(fresh, permutations=permutations)), ()
        elif asked.until > course.rounds:
            trials += cases * (asked.until - course.rounds) * (1 if course.recorded_base else 2)
            course = replace(course, rounds=asked.until)
        elif not asked.confirm:
            used_fresh = course.was_recorded and not course.recorded_base
            return Played(asked.state, course.rounds, trials, used_fresh, view.confirming_cases)


def _sliced(values: FloatArray, slots: range | None) -> list[tuple[tuple[int, ...], tuple[float, ...]]]:
    """Per case the slots and values that are there, within `slots` (1-based)."""
    taken = values if slots is None else values[:, slots.start - 1 : min(slots.stop - 1, values.shape[1])]
    first = 1 if slots is None else slots.start
    places = tuple(range(first, first + taken.shape[1]))
    missing = np.isnan(taken)
    if not bool(missing.any()):
        return [(places, tuple(row)) for row in taken.tolist()]
    return [
        (
            tuple(place for place, gone in zip(places, holes, strict=True) if not gone),
            tuple(value for value, gone in zip(row, holes, strict=True) if not gone),
        )
        for row, holes in zip(taken.tolist(), missing.tolist(), strict=True)
    ]
