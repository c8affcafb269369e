"""Advisory: could calls have been made in one turn, and were dependent ones made together?"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Mapping

from gatebot.graders.efficiency import NOT_REPORTED, may_change
from gatebot.graders.steps import Steps
from gatebot.model.json_value import JsonValue, is_array, is_object
from gatebot.model.score import Score

VALUES_LIMIT = 50
CALLS_LIMIT = 1_000
LONGEST_VALUE = 200
TEXT_LIMIT = 200_000


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
    if len(steps.calls) > CALLS_LIMIT:
        return Score(None, f"more than {CALLS_LIMIT} calls are too many to trace")
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
        depth = barrier + 1
        if needed:
            depth = max(depth, 1 + max(depths[earlier] for earlier in needed))
            together = next((earlier for earlier in sorted(needed) if steps.same_turn(earlier, index)), None)
            if unsafe is None and together is not None:
                unsafe = (index, together)
        if may_change(steps.names[index]):
            depth = max(depth, deepest + 1)
            barrier = depth
        depths.append(depth)
        deepest = max(deepest, depth)
    return depths, unsafe


def _sources(told: str, steps: Steps) -> list[set[int]]:
    """Per call the earlier calls in whose result a value of its arguments occurs first of all."""
    starts: list[int] = [0]
    owners: list[int | None] = [None]
    parts = [told]
    length = len(told) + 1
    values: list[list[str]] = []
    for index, call in enumerate(steps.calls):
        mine = list(_informative(call.arguments or {}))
        values.append(mine)
        for text, owner in (("\n".join(mine), None), (call.result or "", index)):
            starts.append(length)
            owners.append(owner)
            parts.append(text)
            length += len(text) + 1
    everything = "\n".join(parts)[:TEXT_LIMIT]
    owner_of: dict[str, int | None] = {}
    found: list[set[int]] = []
    for index, mine in enumerate(values):
        needed: set[int] = set()
        for value in mine:
            if value not in owner_of:
                at = everything.find(value)
                owner_of[value] = owners[bisect.bisect_right(starts, at) - 1] if at >= 0 else None
            owner = owner_of[value]
            if owner is not None and owner < index:
                needed.add(owner)
        found.append(needed)
    return found


def _informative(arguments: Mapping[str, JsonValue]) -> Iterator[str]:
    """Strings of three or more characters and numbers of three or more digits, at most fifty."""
    stack: list[JsonValue] = list(arguments.values())
    count = 0
    while stack and count < VALUES_LIMIT:
        node = stack.pop()
        if isinstance(node, str):
            if 3 <= len(node) <= LONGEST_VALUE:
                count += 1
                yield node
        elif isinstance(node, int):
            if not isinstance(node, bool) and 100 <= abs(node) < 10**18:
                count += 1
                yield str(node)
        elif is_object(node):
            stack.extend(node.values())
        elif is_array(node):
            stack.extend(node)
