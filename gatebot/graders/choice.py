"""Whether the tool chosen at each step was one that the golden allows at that point."""

from __future__ import annotations

from collections.abc import Iterable

from gatebot.graders.reference import ReferenceCalls
from gatebot.graders.steps import Steps
from gatebot.graders.tools import forbidden_steps
from gatebot.graders.wording import clip, listed
from gatebot.model.score import FULL, Score


def tool_choice(
    reference: ReferenceCalls,
    steps: Steps,
    *,
    ordered: bool,
    always: Iterable[str] = (),
    never: tuple[str, ...] = (),
) -> Score:
    """Share of steps whose tool was allowed given the steps before it, in [0, 1].

    Allowed: a tool of a golden call still open (`ordered`: of the first group still open, and of later ones once
    only optional calls are left in between), whose `after:` calls have been made; and tools in `always` (polling)
    once they have been called; but no tool in `never` (forbidden), whatever the golden says. Edges: nothing expected and nothing called 1, one of the two empty 0.
    """
    if not steps.calls:
        if not reference.required:
            return FULL
        return Score(0.0, f"no tool was called, expected {reference.steps[reference.required[0]].shown}")
    if not reference.steps:
        return Score(0.0, f"step 1: expected no tool, got {clip(steps.names[0], 60)}")
    forbidden = frozenset(forbidden_steps(never, steps)) if never else frozenset[int]()
    if not forbidden and not ordered and reference.simple and _all_expected(reference, steps):
        return FULL
    walk = _Walk(reference, ordered=ordered)
    repeatable = frozenset(always)
    wrong, reason = 0, ""
    for index, name in enumerate(steps.names):
        allowed = walk.take(name) or (name in repeatable and steps.by_name[name][0] < index)
        if index in forbidden or not allowed:
            wrong += 1
            if wrong == 1:
                wanted = walk.allowed() or "no further tool"
                reason = f"step {index + 1}: expected {wanted}, got `{steps.show(index)}`"
                reason += ", which is forbidden" if index in forbidden else ""
    return Score(1.0 - wrong / len(steps.calls), reason)


class _Walk:
    """The golden calls still open while the steps go by."""

    def __init__(self, reference: ReferenceCalls, *, ordered: bool) -> None:
        self._reference = reference
        self._menus = reference.menus if ordered else (reference.whole_menu,)
        self._position = 0
        self._done: set[int] = set()
        self._required = [sum(not reference.steps[i].optional for i in menu.indexes) for menu in self._menus]

    def take(self, name: str) -> bool:
        """Use up an open golden call of that tool; False when there is none."""
        for position in range(self._position, len(self._menus)):
            for index in self._menus[position].by_name.get(name, ()):
                if index not in self._done and self._after_is_done(index):
                    self._done.add(index)
                    self._required[position] -= not self._reference.steps[index].optional
                    # Whoever goes on to a later group has passed over the optional calls before it.
                    self._position = position
                    return True
            if self._required[position]:
                return False
        return False

    def _after_is_done(self, index: int) -> bool:
        reference = self._reference
        return (
            all(earlier in self._done for earlier in reference.earlier_of(index))
            if not reference.simple
            else True
        )

    def allowed(self) -> str:
        """The tools allowed now, for a sentence."""
        names: set[str] = set()
        for position in range(self._position, len(self._menus)):
            for name, indexes in self._menus[position].by_name.items():
                if any(index not in self._done and self._after_is_done(index) for index in indexes):
                    names.add(name)
            if self._required[position]:
                break
        return " or ".join(sorted(names)) if len(names) <= 3 else listed(sorted(names))


def _all_expected(reference: ReferenceCalls, steps: Steps) -> bool:
    """Whether no tool was called more often than the golden has it."""
    counts = reference.counts
    return all(len(indexes) <= counts[name] for name, indexes in steps.by_name.items())
