"""Tool names, whatever their arguments: overlap, selection, order, required and forbidden tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gatebot.graders.matching import UNMATCHED, maximum_matching
from gatebot.graders.reference import ReferenceCalls
from gatebot.graders.steps import NOT_REPORTED, Steps
from gatebot.graders.wording import clip, listed
from gatebot.model.score import FULL, Check, Score

NAME_METRICS = (
    "tool_iou",
    "tool_iou_set",
    "tool_precision",
    "tool_recall",
    "tool_selection",
    "order",
    "in_order",
)


def name_scores(reference: ReferenceCalls, steps: Steps) -> dict[str, Score]:
    """Every score of NAME_METRICS, all in [0, 1]: nothing expected and nothing called 1, one of the two empty 0.

    M = size of a largest matching on names. Multiset overlap M / (|E| + |A| − M); precision M / |A|, recall M / |E|,
    selection their F1. Optional golden calls count in E only where matched; a golden call with alternatives counts
    by the name that was called.
    """
    expected = _expected_names(reference, steps)
    actual = _actual_names(steps)
    if not expected and not actual:
        return dict.fromkeys(NAME_METRICS, FULL)
    if not expected or not actual:
        reason = _one_empty(expected, steps)
        return dict.fromkeys(NAME_METRICS, Score(0.0, reason))
    if expected == actual:
        return dict.fromkeys(NAME_METRICS, FULL)
    matched = _common(expected, actual)
    union = len(expected) + len(actual) - matched
    wanted, made = set(expected), set(actual)
    missing, extra = _missing(expected, actual), _extra(expected, actual, steps)
    reason = "; ".join(part for part in (missing, extra) if part)
    precision, recall = matched / len(actual), matched / len(expected)
    order, in_order = sequence_scores(expected, actual)
    order_reason = "" if order == 1.0 else f"expected order {listed(expected, 8)}; got {listed(actual, 8)}"
    return {
        "tool_iou": Score(matched / union, reason),
        "tool_iou_set": Score(len(wanted & made) / len(wanted | made), reason if wanted != made else ""),
        "tool_precision": Score(precision, extra),
        "tool_recall": Score(recall, missing),
        "tool_selection": Score(2 * matched / (len(expected) + len(actual)), reason),
        "order": Score(order, order_reason),
        "in_order": Score(in_order, order_reason if in_order < 1 else ""),
    }


def sequence_scores(expected: Sequence[str], actual: Sequence[str]) -> tuple[float, float]:
    """(1 − OSA distance / longer length, F1 of the longest common subsequence) of two non-empty name sequences."""
    from rapidfuzz.distance import OSA, LCSseq

    numbers: dict[str, int] = {}
    one = [numbers.setdefault(name, len(numbers)) for name in expected]
    other = [numbers.setdefault(name, len(numbers)) for name in actual]
    longer = max(len(one), len(other))
    order = 1.0 - OSA.distance(one, other) / longer
    return order, 2 * LCSseq.similarity(one, other) / (len(one) + len(other))


def _actual_names(steps: Steps) -> list[str]:
    """The names called, the calls of each turn sorted: parallel calls have no order."""
    names, turn_of = steps.names, steps.turn_of
    if not names or turn_of[-1] == turn_of[0] or len(set(turn_of)) == len(names):
        return names if not names or turn_of[-1] != turn_of[0] else sorted(names)
    pairs = sorted(zip(turn_of, names, strict=True))
    return [name for _, name in pairs]


def _expected_names(reference: ReferenceCalls, steps: Steps) -> list[str]:
    if reference.simple:
        return list(reference.name_order)
    edges = [step.namesakes(steps) for step in reference.steps]
    partner = maximum_matching(edges, reference.required_first)
    names: list[str] = []
    for group in reference.groups:
        counted = [i for i in group if partner[i] != UNMATCHED or not reference.steps[i].optional]
        names.extend(
            sorted(
                steps.names[partner[i]] if partner[i] != UNMATCHED else reference.steps[i].name
                for i in counted
            )
        )
    return names


def _common(expected: list[str], actual: list[str]) -> int:
    left: dict[str, int] = {}
    for name in expected:
        left[name] = left.get(name, 0) + 1
    common = 0
    for name in actual:
        if left.get(name):
            left[name] -= 1
            common += 1
    return common


def _one_empty(expected: list[str], steps: Steps) -> str:
    if expected:
        return f"no tool was called, expected {listed(expected)}"
    return f"no tool was expected, got {listed(steps.names)}"


def _missing(expected: list[str], actual: list[str]) -> str:
    surplus = _surplus(expected, actual)
    names = [clip(name, 60) + (f" ({count} times)" if count > 1 else "") for name, count in surplus]
    return f"expected but not called: {listed(names)}" if names else ""


def _extra(expected: list[str], actual: list[str], steps: Steps) -> str:
    """The calls beyond the expected ones, with the first step that is one too many of its tool."""
    names: list[str] = []
    for name, count in _surplus(actual, expected):
        step = steps.by_name[name][-count] + 1
        times = f"{count} times, from step {step}" if count > 1 else f"step {step}"
        names.append(f"{clip(name, 60)} ({times})")
    return f"called but not expected: {listed(names)}" if names else ""


def _surplus(names: list[str], others: list[str]) -> list[tuple[str, int]]:
    """Names that occur more often in the first list, with how much more often, sorted."""
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    for name in others:
        if name in counts:
            counts[name] -= 1
    return sorted((name, count) for name, count in counts.items() if count > 0)


def required_check(required: tuple[str, ...], steps: Steps) -> Check:
    """Whether every required tool was called, under its bare or its full name. None where the calls are unknown."""
    if not steps.reported:
        return Check("require", "required_tools", None, NOT_REPORTED)
    if all(name in steps.by_name for name in required):
        return Check("require", "required_tools", passed=True)
    made = names_made(steps)
    missing = [name for name in required if name not in made]
    reason = f"required tool not called: {listed(missing)}; called: {listed(sorted(steps.by_name)) or 'none'}"
    return Check("require", "required_tools", not missing, reason if missing else "")


def forbidden_check(forbidden: tuple[str, ...], steps: Steps) -> Check:
    """Whether no forbidden tool was called, under its bare or its full name. None where the calls are unknown."""
    if not steps.reported:
        return Check("forbid", "forbidden_tools", None, NOT_REPORTED)
    index = next(forbidden_steps(forbidden, steps), None)
    if index is None:
        return Check("forbid", "forbidden_tools", passed=True)
    reason = f"step {index + 1}: forbidden tool called: `{steps.show(index)}`"
    return Check("forbid", "forbidden_tools", passed=False, reason=reason)


def forbidden_steps(forbidden: tuple[str, ...], steps: Steps) -> Iterator[int]:
    """The calls of forbidden tools."""
    banned = frozenset(forbidden)
    return (
        index
        for index, call in enumerate(steps.calls)
        if steps.names[index] in banned or call.name in banned or call.raw_name in banned
    )


def names_made(steps: Steps) -> set[str]:
    """The names called, bare and full."""
    made = set(steps.by_name)
    made.update(call.raw_name for call in steps.calls if call.raw_name is not None)
    return made
