"""Advisory: could calls have been made in one turn, and were dependent ones made together?"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise

from gatebot.graders.efficiency import may_change
from gatebot.graders.matching import UNMATCHED
from gatebot.graders.reference import ReferenceCalls
from gatebot.graders.steps import NOT_REPORTED, Steps
from gatebot.model.json_value import JsonValue, is_array, is_object
from gatebot.model.score import Score

VALUES_LIMIT = 50
CALLS_LIMIT = 1_000
LONGEST_VALUE = 200
TEXT_LIMIT = 200_000
REMEMBERED_LIMIT = 2_000


Remembered = dict[bytes, list[str]]
"""Informative values by the key of the arguments that hold them."""
Needs = dict[int, set[int]]
"""Call → calls that must come before it."""


NO_TOOLS: frozenset[str] = frozenset()


def parallelism(
    told: str,
    steps: Steps,
    remembered: Remembered | None = None,
    written: Needs | None = None,
    pure: frozenset[str] = NO_TOOLS,
) -> Score:
    """Turns that the dependencies need over turns taken, in [0, 1]. Never gates by default: it guesses dependencies.

    B depends on A if an informative value of B's arguments occurs in A's result and nowhere earlier, or the golden says
    so (`written`: call → the earlier ones it comes after). A tool that
    changes something, by its name, comes after everything before it and before everything after it. Tools in `pure` are
    left out: they need no turn and are in none, and what B has from a pure tool it has from what that one was given.
    Fewer than two other calls = ungraded by design; results not recorded = ungraded. `remembered` may be kept between
    the trials of a case.
    """
    if not steps.reported:
        return Score(None, NOT_REPORTED)
    kept = range(len(steps.calls))
    if not pure.isdisjoint(steps.by_name):
        kept = [index for index in kept if steps.names[index] not in pure]
    if len(kept) < 2:
        which = "" if len(kept) == len(steps.calls) else " of tools that are not pure"
        return Score(None, f"fewer than two calls{which}", by_design=True)
    if len(steps.calls) > CALLS_LIMIT:
        return Score(None, f"more than {CALLS_LIMIT} calls are too many to trace")
    if any(call.result is None for call in steps.calls):
        return Score(None, "not every tool result was recorded")
    sources = _sources(told, steps, {} if remembered is None else remembered)
    for index, needed in (written or {}).items():
        sources[index] = sources[index] | {earlier for earlier in needed if earlier < index}
    depths, unsafe = _depths(steps, sources, pure)
    taken, needed = len({steps.turn_of[index] for index in kept}), max(depths)
    value = min(1.0, needed / taken)
    joined = _could_join(steps, depths, kept) if value < 1.0 else ""
    reason = "" if value == 1.0 else f"expected {needed} turns with calls, got {taken}{joined}"
    if unsafe is not None:
        later, earlier = unsafe
        reason = f"step {later + 1}: `{steps.show(later)}` needs the result of step {earlier + 1}, made in the same turn"
    return Score(value, reason)


def needs_of(reference: ReferenceCalls, partner: Sequence[int]) -> Needs:
    """What `after:` of the golden says of the calls that are matched with golden calls."""
    found: Needs = {}
    if reference.ordered:
        call_of = {
            step.id: call for step, call in zip(reference.steps, partner, strict=True) if step.id is not None
        }
        for step, call in zip(reference.steps, partner, strict=True):
            earlier = {call_of.get(name, UNMATCHED) for name in step.after} - {UNMATCHED}
            if call != UNMATCHED and earlier:
                found[call] = earlier
    return found


def _could_join(steps: Steps, depths: list[int], kept: Sequence[int]) -> str:
    """The first step that did not need the turn before it."""
    found = next(
        (
            (earlier, later)
            for earlier, later in pairwise(kept)
            if depths[later] <= depths[earlier] and not steps.same_turn(earlier, later)
        ),
        None,
    )
    if found is None:
        return ""
    earlier, later = found
    return f": step {later + 1} (`{steps.show(later)}`) needs no result of step {earlier + 1}"


def _depths(
    steps: Steps, sources: list[set[int]], pure: frozenset[str]
) -> tuple[list[int], tuple[int, int] | None]:
    """Per call the length of the longest chain that ends in it; the first pair made together though dependent.

    A pure tool lengthens no chain and is in no such pair: it only hands on what it was given.
    """
    depths: list[int] = []
    barrier = deepest = 0
    unsafe: tuple[int, int] | None = None
    changing = {name for name in steps.by_name if may_change(name)}
    for index, (name, needed) in enumerate(zip(steps.names, sources, strict=True)):
        if name in pure:
            depths.append(max([barrier, *(depths[earlier] for earlier in needed)]))
            continue
        depth = barrier + 1
        if needed:
            depth = max(depth, 1 + max(depths[earlier] for earlier in needed))
            together = next(
                (
                    earlier
                    for earlier in sorted(needed)
                    if steps.same_turn(earlier, index) and steps.names[earlier] not in pure
                ),
                None,
            )
            if unsafe is None and together is not None:
                unsafe = (index, together)
        if name in changing:
            if depth <= deepest:
                depth = deepest + 1
            barrier = depth
        depths.append(depth)
        if depth > deepest:  # noqa: PLR1730 - max() would cost more than all the rest of a call
            deepest = depth
    return depths, unsafe


def _sources(told: str, steps: Steps, remembered: Remembered) -> list[set[int]]:
    """Per call the earlier calls in whose result a value of its arguments occurs first of all."""
    results = "\n".join([call.result or "" for call in steps.calls])[:TEXT_LIMIT]
    values = _values(steps, remembered)
    nothing: set[int] = set()
    # Most values are in no result; only the others need the whole conversation searched for where they come from.
    likely = {value for value in set(chain.from_iterable(values)) if value in results or "\n" in value}
    if not likely:
        return [nothing] * len(values)
    owner_of = _owners(told, steps, values, likely)
    return [
        {owner for value in mine if (owner := owner_of.get(value, index)) < index}
        if not likely.isdisjoint(mine)
        else nothing
        for index, mine in enumerate(values)
    ]


def _values(steps: Steps, remembered: Remembered) -> list[list[str]]:
    """The informative values of each call; trials of one case repeat each other's arguments."""
    if len(remembered) > REMEMBERED_LIMIT:
        remembered.clear()
    values: list[list[str]] = []
    for key, call in zip(steps.keys, steps.calls, strict=True):
        known = remembered.get(key) if key is not None else []
        if known is None:
            known = remembered[key or b""] = _informative(call.arguments or {})
        values.append(known)
    return values


def _owners(
    told: str, steps: Steps, values: Sequence[Iterable[str]], likely: Iterable[str]
) -> dict[str, int]:
    """The call in whose result each of the likely values occurs first, for those that occur nowhere earlier."""
    starts: list[int] = [0]
    owners: list[int | None] = [None]
    parts = [told]
    length = len(told) + 1
    for index, (call, mine) in enumerate(zip(steps.calls, values, strict=True)):
        for text, owner in (("\n".join(mine), None), (call.result or "", index)):
            starts.append(length)
            owners.append(owner)
            parts.append(text)
            length += len(text) + 1
    everything = "\n".join(parts)[:TEXT_LIMIT]
    found: dict[str, int] = {}
    for value in likely:
        at = everything.find(value)
        owner = owners[bisect.bisect_right(starts, at) - 1] if at >= 0 else None
        if owner is not None:
            found[value] = owner
    return found


def _informative(arguments: Mapping[str, JsonValue]) -> list[str]:
    """Strings of three or more characters and numbers of three or more digits, at most fifty."""
    stack: list[JsonValue] = list(arguments.values())
    found: list[str] = []
    while stack and len(found) < VALUES_LIMIT:
        node = stack.pop()
        kind = type(node)
        if isinstance(node, str):
            if 3 <= len(node) <= LONGEST_VALUE:
                found.append(node)
        elif kind is int and isinstance(node, int):
            if 100 <= abs(node) < 10**18:
                found.append(str(node))
        elif kind is bool or node is None or kind is float:
            continue
        elif is_object(node):
            stack.extend(node.values())
        elif is_array(node):
            stack.extend(node)
    return found
