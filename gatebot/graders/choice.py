"""Whether the tool chosen at each step was one that the golden allows at that point."""

from __future__ import annotations

from collections.abc import Iterable

from gatebot.graders.reference import ReferenceCalls
from gatebot.graders.steps import Steps
from gatebot.graders.wording import clip, listed
from gatebot.model.score import Score


def tool_choice(
    reference: ReferenceCalls, steps: Steps, *, ordered: bool, always: Iterable[str] = ()
) -> Score:
    """Share of steps whose tool was allowed given the steps before it, in [0, 1].

    Allowed: a tool of a golden call still open (`ordered`: of the first group still open, and of later ones once
    only optional calls are left in between), whose `after:` calls have been made; and tools in `always` (polling)
    once they have been called. Edges: nothing expected and nothing called 1, one of the two empty 0.
    """
    if not steps.calls:
        if not reference.required:
            return Score(1.0)
        return Score(0.0, f"no tool was called, expected {reference.steps[reference.required[0]].shown}")
    if not reference.steps:
        return Score(0.0, f"step 1: expected no tool, got {clip(steps.names[0], 60)}")
    walk = _Walk(reference, ordered=ordered)
    repeatable = frozenset(always)
    wrong: list[tuple[int, str]] = []
    for index, name in enumerate(steps.names):
        if not walk.take(name) and not (name in repeatable and steps.by_name[name][0] < index):
            wrong.append((index, walk.allowed()))
    if not wrong:
        return Score(1.0)
    index, allowed = wrong[0]
    reason = f"step {index + 1}: expected {allowed or 'no further tool'}, got {clip(steps.names[index], 60)}"
    return Score(1.0 - len(wrong) / len(steps.calls), reason)


class _Walk:
    """The golden calls still open while the steps go by."""

    def __init__(self, reference: ReferenceCalls, *, ordered: bool) -> None:
        self._reference = reference
        self._groups = (
            [list(group) for group in reference.groups] if ordered else [list(range(len(reference.steps)))]
        )
        self._ids = {step.id: index for index, step in enumerate(reference.steps) if step.id is not None}
        self._done: set[int] = set()

    def take(self, name: str) -> bool:
        """Use up an open golden call of that tool; False when there is none."""
        for position, index in self._open():
            if self._reference.steps[index].names(name) and self._after_is_done(index):
                self._groups[position].remove(index)
                # Whoever goes on to a later group has passed over the optional calls before it.
                self._groups = self._groups[position:]
                self._done.add(index)
                return True
        return False

    def _open(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for position, group in enumerate(self._groups):
            # A call with alternatives is used last: it can do what others cannot.
            found.extend(
                (position, i) for i in sorted(group, key=lambda i: len(self._reference.steps[i].options))
            )
            if any(not self._reference.steps[index].optional for index in group):
                break
        return found

    def _after_is_done(self, index: int) -> bool:
        after = self._reference.steps[index].after
        return all(name not in self._ids or self._ids[name] in self._done for name in after)

    def allowed(self) -> str:
        """The tools allowed now, for a sentence."""
        names = {
            option.name
            for _, index in self._open()
            if self._after_is_done(index)
            for option in self._reference.steps[index].options
        }
        return " or ".join(sorted(names)[:3]) if len(names) <= 3 else listed(sorted(names))
