"""Whether the calls match the golden calls in the case's mode, by maximum one-to-one matching."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gatebot.graders.matching import UNMATCHED, maximum_matching
from gatebot.graders.reference import ReferenceCalls
from gatebot.graders.steps import NOT_REPORTED, Steps
from gatebot.model.case import MatchMode

ORDERINGS_LIMIT = 2_000
COMPARISONS_LIMIT = 200_000


@dataclass(frozen=True, slots=True)
class Fit:
    """The verdict of one mode. `passed` None = no verdict, and `reason` says why.

    `partner`: per golden call the index of its call in a largest matching, or -1. `vacuous`: every run would pass,
    so that passing says nothing.
    """

    passed: bool | None
    partner: tuple[int, ...]
    reason: str = ""
    vacuous: bool = False

    def cut_short(self, reference: ReferenceCalls, steps: Steps) -> bool:
        """Whether every call is a golden one and what is missing comes after all of them in the golden."""
        matched = [index for index, call in enumerate(self.partner) if call != UNMATCHED]
        missing = [index for index in reference.required if self.partner[index] == UNMATCHED]
        return (
            bool(missing)
            and len(matched) == len(steps.calls)
            and max(matched, default=UNMATCHED) < missing[0]
        )

    def credit(self, reference: ReferenceCalls) -> float | None:
        """Share of the golden calls matched one to one; optional ones count only where matched. None: no golden call."""
        matched = sum(index != UNMATCHED for index in self.partner)
        unmatched = sum(self.partner[index] == UNMATCHED for index in reference.required)
        return matched / (matched + unmatched) if matched + unmatched else None


def judge(reference: ReferenceCalls, steps: Steps, mode: MatchMode) -> Fit:
    """The verdict in one mode.

    superset: every required golden call was made. subset: nothing else was made. unordered: both. strict: both, and
    group after group in the golden's order, no turn reaching into the next group. Calls of one golden group may be
    made in any order, in one turn or several. Where arguments are unknown, the verdict is None if it hangs on them;
    where no messages were reported, there is none in any mode.
    """
    partner = pair(reference, steps)
    if mode == "superset" and not reference.required:
        return Fit(None, partner, "no golden call is required, so every run would contain them", vacuous=True)
    if not steps.reported:
        return Fit(None, partner, NOT_REPORTED)
    if mode == "subset" and not steps.calls and reference.required:
        return Fit(None, partner, "no tool was called, so there is nothing to find in the golden calls")
    if _passes(reference, steps, mode, partner):
        return Fit(True, partner)
    if steps.unknown and _passes(
        reference, steps, mode, pair(reference, steps, optimistic=True), optimistic=True
    ):
        step = steps.unknown[0] + 1
        return Fit(None, partner, f"the arguments of step {step} ({steps.show(step - 1)}) were not recorded")
    return Fit(False, partner)


def pair(reference: ReferenceCalls, steps: Steps, *, optimistic: bool = False) -> tuple[int, ...]:
    """A largest one-to-one matching of golden calls to calls that serves as many required golden calls as possible."""
    if reference.lookups is not None and not (optimistic and steps.unknown):
        of_key, none = steps.by_key.get, list[int]()
        return tuple(
            maximum_matching([of_key(lookup, none) for lookup in reference.lookups], reference.required_first)
        )
    compared = sum(
        len(steps.by_name.get(option.name, ()))
        for step in reference.steps
        for option in step.options
        if option.lookup is None and option.arguments is not None
    )
    if compared > COMPARISONS_LIMIT:
        message = f"{len(steps.calls)} calls are too many to compare with {len(reference.steps)} golden calls by rules"
        raise ValueError(message)
    edges = [step.candidates(steps, optimistic=optimistic) for step in reference.steps]
    return tuple(maximum_matching(edges, reference.required_first))


def _passes(
    reference: ReferenceCalls,
    steps: Steps,
    mode: MatchMode,
    partner: Sequence[int],
    *,
    optimistic: bool = False,
) -> bool:
    if not _covers(reference, steps, mode, partner):
        return False
    if mode == "strict" and not Walk(reference, steps, optimistic=optimistic).complete:
        return False
    if not reference.ordered:
        return True
    orderings = orderings_of(reference, steps, optimistic=optimistic)
    return any(_covers(reference, steps, mode, ordering) for ordering in orderings)


def _covers(reference: ReferenceCalls, steps: Steps, mode: MatchMode, partner: Sequence[int]) -> bool:
    if mode != "subset" and any(partner[index] == UNMATCHED for index in reference.required):
        return False
    return mode == "superset" or len(steps.calls) == sum(index != UNMATCHED for index in partner)


class Walk:
    """Golden groups laid along the calls, one after the other, as far as they go.

    `laid`: number of groups that fit. `position`: calls used by them. `complete`: all groups fit and no call is left.
    """

    def __init__(self, reference: ReferenceCalls, steps: Steps, *, optimistic: bool = False) -> None:
        self._reference = reference
        self._steps = steps
        self._optimistic = optimistic
        self.laid = 0
        ends = {0}
        for group in reference.groups:
            further = {end for start in sorted(ends) for end in self._ends(group, start)}
            if not further:
                break
            ends = further
            self.laid += 1
        self.position = max(ends)
        self.complete = self.laid == len(reference.groups) and self.position == len(steps.calls)

    def _ends(self, group: tuple[int, ...], start: int) -> Iterator[int]:
        """Where the group may end if it begins at call `start`."""
        reference, steps = self._reference, self._steps
        least = sum(not reference.steps[index].optional for index in group)
        if least == 0:
            yield start
        if start and start < len(steps.calls) and steps.same_turn(start - 1, start):
            return
        for end in range(start + max(least, 1), min(start + len(group), len(steps.calls)) + 1):
            if self.fits(group, start, end, least):
                yield end

    def fits(self, group: tuple[int, ...], start: int, end: int, least: int | None = None) -> bool:
        """Whether the calls from `start` up to `end` are all in the group (and cover its `least` required ones)."""
        reference, steps = self._reference, self._steps
        if len(group) == 1:
            return reference.steps[group[0]].admits(steps, start, optimistic=self._optimistic)
        if reference.lookups is not None and not self._optimistic:
            return _counts_fit(reference, steps, group, range(start, end), whole=least is not None)
        members = sorted(group, key=lambda index: reference.steps[index].optional)
        edges = [
            [
                i
                for i in range(start, end)
                if reference.steps[index].admits(steps, i, optimistic=self._optimistic)
            ]
            for index in members
        ]
        partner = maximum_matching(edges)
        if sum(index != UNMATCHED for index in partner) < end - start:
            return False
        return least is None or UNMATCHED not in partner[:least]


def _counts_fit(
    reference: ReferenceCalls, steps: Steps, group: tuple[int, ...], calls: range, *, whole: bool
) -> bool:
    """Whether the calls are among the group's, where only equal calls match (and, if `whole`, cover its required ones)."""
    lookups = reference.lookups or ()
    made = Counter((steps.names[call], steps.keys[call]) for call in calls)
    if made - Counter[tuple[str, bytes | None]](lookups[index] for index in group):
        return False
    required = Counter(lookups[index] for index in group if not reference.steps[index].optional)
    return not whole or all(made[lookup] >= count for lookup, count in required.items())


def orderings_of(reference: ReferenceCalls, steps: Steps, *, optimistic: bool = False) -> Iterator[list[int]]:
    """Largest matchings in which every call comes in a later turn than those its `after:` names.

    Raises ValueError when more than 2,000 would have to be tried.
    """
    edges = [step.candidates(steps, optimistic=optimistic) for step in reference.steps]
    ids = {step.id: index for index, step in enumerate(reference.steps) if step.id is not None}
    before = {
        index: tuple(ids[name] for name in step.after if name in ids)
        for index, step in enumerate(reference.steps)
        if step.after
    }
    constrained = sorted({*before, *(index for indexes in before.values() for index in indexes)})

    def in_order(chosen: dict[int, int]) -> bool:
        return all(
            steps.turn_of[chosen[earlier]] < steps.turn_of[chosen[later]]
            for later, indexes in before.items()
            if chosen.get(later, UNMATCHED) != UNMATCHED
            for earlier in indexes
            if chosen.get(earlier, UNMATCHED) != UNMATCHED
        )

    for tried, chosen in enumerate(_choices(constrained, edges, in_order)):
        if tried >= ORDERINGS_LIMIT:
            message = f"more than {ORDERINGS_LIMIT} ways to satisfy `after:`: name fewer calls in it"
            raise ValueError(message)
        taken = set(chosen.values())
        rest = [
            ([chosen[index]] if chosen[index] != UNMATCHED else [])
            if index in chosen
            else [right for right in edges[index] if right not in taken]
            for index in range(len(edges))
        ]
        yield maximum_matching(rest, reference.required_first)


def _choices(
    constrained: list[int], edges: list[list[int]], in_order: Callable[[dict[int, int]], bool]
) -> Iterator[dict[int, int]]:
    """Every way to give the constrained golden calls different calls (or none) in an allowed order, depth first."""
    stack: list[dict[int, int]] = [{}]
    while stack:
        chosen = stack.pop()
        if len(chosen) == len(constrained):
            yield chosen
            continue
        index = constrained[len(chosen)]
        taken = set(chosen.values())
        options = [*(right for right in edges[index] if right not in taken), UNMATCHED]
        stack.extend(more for right in reversed(options) if in_order(more := {**chosen, index: right}))
