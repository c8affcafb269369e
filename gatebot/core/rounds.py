"""Which trials come next. One more slot for every case on both sides per round; then a look: go on, confirm, or stop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gatebot.core.course import course_of, reached, suspects_of
from gatebot.core.evidence import Evidence
from gatebot.core.looks import FULL_ROUNDS
from gatebot.core.stats.single_case import CONFIRM_TRIALS
from gatebot.model.config import Gate, Seeds
from gatebot.model.plan import Plan, Round
from gatebot.model.trial import Side, TrialKey

CONFIRM_OFFSET = 1_000
"""Confirming trials have slots of their own: a side's first slot plus this."""


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


def first_rounds(plan: Plan, cases: Iterable[str], gate: Gate, new: frozenset[str]) -> tuple[Round, ...]:
    """The rounds until the first look."""
    look = course_of(plan, gate).looks.looks[0]
    return regular_rounds(cases, _sides(plan), range(1, look.rounds + 1), new)


def next_rounds(
    plan: Plan, evidence: Evidence, gate: Gate, new: frozenset[str], *, beyond_no_sign: bool = False
) -> tuple[Round, ...]:
    """What to run after the rounds of the plan: the way to the next look, and once the suspects' confirming trials.

    Empty when the evaluation has ended. `beyond_no_sign` goes on from a stop without a sign to the next look: running
    an inconclusive evaluation again adds evidence instead of starting over.
    """
    course = course_of(plan, gate)
    if not course.looks.sequential or plan.base is None or plan.head is None:
        return ()
    state = reached(evidence, gate, course)
    more: list[Round] = []
    if not evidence.confirming:
        more.extend(_confirm_round(plan, suspects_of(evidence, course)))
    look = course.looks.next_after(course.rounds)
    stop = state.last.stop if state.last is not None else "go on"
    if look is not None and (stop == "go on" or (beyond_no_sign and stop == "no sign")):
        numbers = range(course.rounds + 1, look.rounds + 1)
        cases = {key.case for round_ in plan.rounds if round_.kind == "regular" for key in round_.trials}
        more.extend(regular_rounds(cases, _sides(plan), numbers, new))
    return tuple(more)


def _confirm_round(plan: Plan, suspects: Sequence[str]) -> list[Round]:
    """Seven fresh trials per side of every suspect, in one round of its own."""
    if not suspects:
        return []
    keys = [
        TrialKey(case, side.side, side.first + CONFIRM_OFFSET + place)
        for case in suspects
        for place in range(CONFIRM_TRIALS)
        for side in _sides(plan)
    ]
    return [Round(number=CONFIRM_OFFSET, trials=tuple(keys), kind="confirm")]


def _sides(plan: Plan) -> list[SideSlots]:
    sides: list[SideSlots] = []
    if plan.base is not None:
        sides.append(SideSlots("base", plan.base_first_slot))
    if plan.head is not None:
        sides.append(SideSlots("head", plan.head_first_slot))
    return sides
