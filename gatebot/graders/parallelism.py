"""Advisory: could calls have been made in one turn, and were dependent ones made together?"""

from __future__ import annotations

import bisect
from collections.abc import Iterator

from gatebot.graders.efficiency import NOT_REPORTED, may_change
from gatebot.graders.steps import Steps
from gatebot.model.json_value import JsonValue, is_array, is_object
from gatebot.model.score import Score

VALUES_LIMIT = 50
TEXT_LIMIT = 2_000_000


def parallelism(told: str, steps: Steps) -> Score:
    """Turns that the dependencies need over turns taken, in [0, 1]. Never gates by default: it guesses dependencies.

    B depends on A if an informative value of B's arguments occurs in A's result and nowhere earlier. A tool that
    changes something, by its name, comes after everything before it and before everything after it. Fewer than two
    calls = ungraded by design; results not recorded = ungraded.
    """
    if not steps.reported:
        return Score(None, NOT_REPORTED)
    if len(steps.calls) < 2:
        return Score(None, "fewer than two calls", by_design=True)
    if any(call.result is None for call in steps.calls):
        return Score(None, "not every tool result was recorded")
    depths, unsafe = _depths(steps, _sources(told, steps))
    taken, needed = len(set(steps.turn_of)), max(depths)
    value = min(1.0, needed / taken)
    reason = "" if value == 1.0 else f"{taken} turns with calls, {needed} would do"
    if unsafe is not None:
        later, earlier = unsafe
        reason = f"step {later + 1}: `{steps.show(later)}` needs the result of step {earlier + 1}, made in the same turn"
    return Score(value, reason)


def _depths(steps: Steps, sources: list[set[int]]) -> tuple[list[int], tuple[int, int] | None]:
    """Per call the length of the longest chain that ends in it; the first pair made together though dependent."""
    depths: list[int] = []
    barrier = deepest = 0
    unsafe: tuple[int, int] | None = None
    for index, needed in enumerate(sources):
        depth = 1 + max((depths[earlier] for earlier in needed), default=0)
        depth = max(depth, barrier + 1)
        if may_change(steps.names[index]):
            depth = max(depth, deepest + 1)
            barrier = depth
        depths.append(depth)
        deepest = max(deepest, depth)
        together = next((earlier for earlier in sorted(needed) if steps.same_turn(earlier, index)), None)
        if unsafe is None and together is not None:
            unsafe = (index, together)
    return depths, unsafe


def _sources(told: str, steps: Steps) -> list[set[int]]:
    """Per call the earlier calls in whose result a value of its arguments occurs first of all."""
    starts: list[int] = [0]
    owners: list[int | None] = [None]
    parts = [told, "\n"]
    length = len(told) + 1
    values: list[list[str]] = []
    for index, call in enumerate(steps.calls):
        values.append(list(_informative(call.arguments))[:VALUES_LIMIT])
        for text, owner in (("\n".join(values[-1]), None), ((call.result or "").casefold(), index)):
            starts.append(length)
            owners.append(owner)
            parts += [text, "\n"]
            length += len(text) + 1
    everything = "".join(parts)[:TEXT_LIMIT]
    found: list[set[int]] = []
    for index in range(len(steps.calls)):
        needed: set[int] = set()
        for value in values[index]:
            at = everything.find(value)
            owner = owners[bisect.bisect_right(starts, at) - 1] if at >= 0 else None
            if owner is not None and owner < index:
                needed.add(owner)
        found.append(needed)
    return found


def _informative(value: JsonValue) -> Iterator[str]:
    """Strings of three or more characters and numbers of three or more digits, folded."""
    stack: list[JsonValue] = [value]
    while stack:
        node = stack.pop()
        if is_object(node):
            stack.extend(node.values())
        elif is_array(node):
            stack.extend(node)
        elif isinstance(node, str):
            if 3 <= len(node) <= 200:
                yield node.casefold()
        elif isinstance(node, int) and not isinstance(node, bool) and 100 <= abs(node) < 10**18:
            yield str(node)
