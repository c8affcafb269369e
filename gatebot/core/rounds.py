"""Which trials come next. One more slot for every case on both sides per round; then a look: go on, confirm, or stop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gatebot.core.stats.spacing import FULL_ROUNDS, look_rounds
from gatebot.model.config import Gate, Seeds
from gatebot.model.plan import Plan, Round
from gatebot.model.trial import Side, TrialKey

if TYPE_CHECKING:
    from gatebot.core.course import Course, Reached
    from gatebot.core.tracing import Known
    from gatebot.core.view import EvidenceView

CONFIRM_OFFSET = 1_000
"""Confirming trials have slots of their own: a side's first slot plus this."""
FRESH_BASE_OFFSET = 2_000
"""The number of the round that runs a recorded base after all."""


@dataclass(frozen=True, slots=True)
class SideSlots:
    """A side and the first slot it uses: `gatebot aa` gives the head slots of its own."""

    side: Side
    first: int = 1


@dataclass(frozen=True, slots=True)
class SeedPlan:
    """How many slots per case and side at most, and whether the gate looks in between."""

    count: int
    sequential: bool


def seed_plan(seeds: Seeds, override: int | None, *, compared: bool) -> SeedPlan:
    """The command line's number, the config's fixed one, or its maximum: from 10 on with looks (architecture).

    One side alone is not compared and has nothing to look at: half the maximum, at most five slots.
    """
    if override is not None:
        return SeedPlan(override, sequential=False)
    if seeds.fixed is not None:
        return SeedPlan(seeds.fixed, sequential=False)
    most = seeds.max or FULL_ROUNDS
    if not compared:
        return SeedPlan(min(most, FULL_ROUNDS // 2), sequential=False)
    return SeedPlan(most, sequential=most >= FULL_ROUNDS)


def regular_rounds(
    cases: Iterable[str], sides: Sequence[SideSlots], numbers: range, new: frozenset[str]
) -> tuple[Round, ...]:
    """Rounds `numbers`: round r holds slot first + r − 1 of every case; new cases run on the head alone."""
    ordered = sorted(cases)
    return tuple(
        Round(
            number=number,
            trials=tuple(
                TrialKey(case, side.side, side.first + number - 1)
                for case in ordered
                for side in sides
                if side.side == "head" or case not in new
            ),
        )
        for number in numbers
    )


def first_rounds(plan: Plan, cases: Iterable[str], new: frozenset[str]) -> tuple[Round, ...]:
    """The rounds until the first look."""
    until = look_rounds(plan.seeds)[0] if plan.sequential else plan.seeds
    return regular_rounds(cases, _run_sides(plan), range(1, until + 1), new)


@dataclass(frozen=True, slots=True)
class Needs:
    """What an evaluation asks for: `confirm` these suspects, run the base after all, and go on to round `until`.

    `until` equals the rounds run so far when no further round is needed. `state` is where it stands.
    """

    state: Reached
    confirm: tuple[str, ...]
    fresh_base: bool
    until: int


def needs(
    evidence: EvidenceView,
    gate: Gate,
    course: Course,
    *,
    beyond_no_sign: bool = False,
    known: Known = (),
) -> Needs:
    """What to run after the rounds of the course.

    `beyond_no_sign` goes on from a stop without a sign to the next look: running an inconclusive evaluation again adds
    evidence instead of starting over. `known` as in `trace`.
    """
    from gatebot.core.course import reached

    state = reached(evidence, gate, course, known)
    confirming = set(evidence.confirming_cases)
    confirm = tuple(case for case in state.suspects if case not in confirming)
    stop = state.last.stop if state.last is not None else "go on"
    look = course.looks.next_after(course.rounds) if course.looks.sequential else None
    goes_on = look is not None and (stop == "go on" or (beyond_no_sign and stop == "no sign"))
    until = look.rounds if look is not None and goes_on else course.rounds
    return Needs(state, confirm, stop == "fresh base", until)


def next_rounds(
    plan: Plan, evidence: EvidenceView, gate: Gate, new: frozenset[str], *, beyond_no_sign: bool = False
) -> tuple[Round, ...]:
    """What to run after the rounds of the plan, as `needs` says: empty when the evaluation has ended."""
    from gatebot.core.course import course_of

    course = course_of(plan, gate)
    if plan.base is None or plan.head is None or not (course.looks.sequential or course.recorded_base):
        return ()
    asked = needs(evidence, gate, course, beyond_no_sign=beyond_no_sign)
    regular = [round_ for round_ in plan.rounds if round_.kind == "regular"]
    cases = {key.case for round_ in regular for key in round_.trials}
    more = _confirm_round(plan, asked.confirm)
    if asked.fresh_base:
        more.append(_fresh_base_round(plan, cases - new, len(regular)))
    if asked.until > course.rounds:
        more.extend(regular_rounds(cases, _run_sides(plan), range(course.rounds + 1, asked.until + 1), new))
    return tuple(more)


def _fresh_base_round(plan: Plan, cases: Iterable[str], rounds: int) -> Round:
    """The base's trials of all rounds so far, slot by slot as the head's were."""
    slots = rounds if plan.sequential else plan.seeds
    keys = [
        TrialKey(case, "base", plan.base_first_slot + place)
        for place in range(slots)
        for case in sorted(cases)
    ]
    return Round(number=FRESH_BASE_OFFSET, trials=tuple(keys), kind="fresh_base")


def _confirm_round(plan: Plan, suspects: Sequence[str]) -> list[Round]:
    """Seven fresh trials per side of every suspect, in one round of its own."""
    if not suspects:
        return []
    from gatebot.core.stats.single_case import CONFIRM_TRIALS

    keys = [
        TrialKey(case, side.side, side.first + CONFIRM_OFFSET + place)
        for case in suspects
        for place in range(CONFIRM_TRIALS)
        for side in _sides(plan)
    ]
    return [Round(number=CONFIRM_OFFSET, trials=tuple(keys), kind="confirm")]


def _run_sides(plan: Plan) -> list[SideSlots]:
    """The sides whose regular rounds are run: not a base that is only recorded."""
    return [side for side in _sides(plan) if side.side == "head" or plan.runs_base()]


def _sides(plan: Plan) -> list[SideSlots]:
    sides: list[SideSlots] = []
    if plan.base is not None:
        sides.append(SideSlots("base", plan.base_first_slot))
    if plan.head is not None:
        sides.append(SideSlots("head", plan.head_first_slot))
    return sides
