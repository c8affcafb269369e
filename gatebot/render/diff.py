"""Golden, base and head of one case side by side: what the agent was to call, and what it called."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from gatebot.model.suite import ExpectedCall, Reference
from gatebot.model.trajectory import ToolCall, Trajectory
from gatebot.render.alignment import (
    MAX_CALLS,
    Arguments,
    Pair,
    SameArguments,
    align,
    equal_arguments,
)
from gatebot.render.numbers import count
from gatebot.render.visible import clip

LineKind = Literal["title", "same", "missing", "extra", "note"]
VALUE_LIMIT = 70
NAME_LIMIT = 80
LINE_LIMIT = 300
ANSWER_LIMIT = 300
ERROR_LIMIT = 120


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a case's diff. The text is untrusted and unescaped: it goes through the Markdown sink, in a fence."""

    kind: LineKind
    text: str


@dataclass(frozen=True, slots=True)
class CaseDiff:
    """The diff of a case; no lines = nothing to show."""

    lines: tuple[DiffLine, ...] = ()


@dataclass(frozen=True, slots=True)
class DiffRules:
    """How the case compares calls: whether order matters, and which arguments count as equal."""

    any_order: bool = False
    same_arguments: SameArguments = field(default=equal_arguments)


STRICT = DiffRules()


def trajectory_diff(
    reference: Reference | None,
    base: Trajectory | None,
    head: Trajectory | None,
    rules: DiffRules = STRICT,
) -> CaseDiff:
    """The golden against the base, and against the head; without golden calls, the base against the head.

    A side that is None is left out. Lines are bounded in length, not in number: the sink cuts visibly.
    """
    if reference is not None and reference.calls is not None:
        lines = [*_against_golden(reference.calls, base, head, rules), *_answers(reference, base, head)]
    else:
        lines = [*_base_against_head(base, head, rules), *_answers(reference, base, head)]
    return CaseDiff(tuple(DiffLine(line.kind, clip(line.text, LINE_LIMIT + ANSWER_LIMIT)) for line in lines))


def _against_golden(
    golden: Sequence[ExpectedCall], base: Trajectory | None, head: Trajectory | None, rules: DiffRules
) -> list[DiffLine]:
    lines: list[DiffLine] = []
    if base is not None:
        pairs = _aligned(golden, base, rules)
        if all(pair.kind == "same" for pair in pairs) and not _has_errors(pairs):
            lines.append(DiffLine("title", f"golden → base: the same {count(len(base.calls()), 'call')}"))
        else:
            lines += [DiffLine("title", "golden → base"), *_pair_lines(pairs), *_left_out(golden, base)]
    if head is not None:
        if base is not None and base.calls() and _plain_calls(base) == _plain_calls(head):
            return [*lines, DiffLine("title", "golden → head: the same calls as the base")]
        pairs = _aligned(golden, head, rules)
        lines += [DiffLine("title", "golden → head"), *_pair_lines(pairs), *_left_out(golden, head)]
    return lines


def _base_against_head(base: Trajectory | None, head: Trajectory | None, rules: DiffRules) -> list[DiffLine]:
    if base is not None and head is not None:
        steps = [ExpectedCall(call.name, call.arguments, group) for group, call in enumerate(base.calls())]
        pairs = _aligned(steps, head, rules)
        return [DiffLine("title", "base → head"), *_pair_lines(pairs), *_left_out(steps, head)]
    only, name = (base, "base") if base is not None else (head, "head")
    if only is None:
        return []
    shown = [DiffLine("same", _actual_text(call)) for call in only.calls()[:MAX_CALLS]]
    return [DiffLine("title", name), *shown, *_left_out((), only)]


def _aligned(golden: Sequence[ExpectedCall], side: Trajectory, rules: DiffRules) -> tuple[Pair, ...]:
    return align(golden, side.calls(), same=rules.same_arguments, any_order=rules.any_order)


def _has_errors(pairs: Sequence[Pair]) -> bool:
    return any(pair.actual is not None and pair.actual.is_error for pair in pairs)


def _plain_calls(side: Trajectory) -> list[tuple[str, Arguments, bool | None]]:
    return [(call.name, call.arguments, call.is_error) for call in side.calls()]


def _left_out(golden: Sequence[ExpectedCall], side: Trajectory) -> list[DiffLine]:
    beyond = max(len(golden), len(side.calls())) - MAX_CALLS
    return [DiffLine("note", f"… {count(beyond, 'more call')} not compared")] if beyond > 0 else []


def _pair_lines(pairs: Sequence[Pair]) -> list[DiffLine]:
    """Unified-diff style: `missing` what the golden has, `extra` what the agent did; a wrong argument is both."""
    if not pairs:
        return [DiffLine("note", "no calls, as expected")]
    lines: list[DiffLine] = []
    for pair in pairs:
        want, got = pair.expected, pair.actual
        if pair.kind == "wrong_args" and want is not None and got is not None:
            lines += _wrong_arguments(want, got)
        elif got is None and want is not None:
            lines.append(DiffLine("missing", _call_text(want.name, want.arguments)))
        elif got is not None:
            kind: LineKind = "same" if pair.kind == "same" else "extra"
            remark = "  ← out of order" if pair.kind == "moved" else ""
            lines.append(DiffLine(kind, _actual_text(got) + remark))
    return lines


def _wrong_arguments(want: ExpectedCall, got: ToolCall) -> list[DiffLine]:
    forms = ((want.name, want.arguments), *want.alternatives)
    wanted = next(arguments for name, arguments in forms if name == got.name)
    differing = _differing_keys(wanted, got.arguments)
    focus = {key: _first_difference(_value(wanted, key), _value(got.arguments, key)) for key in differing}
    remark = f"  ← differs: {', '.join(clip(key, 40) for key in differing[:5])}" if differing else ""
    return [
        DiffLine("missing", _call_text(got.name, wanted, focus)),
        DiffLine("extra", _actual_text(_reordered(got, wanted), focus) + remark),
    ]


def _reordered(got: ToolCall, wanted: Arguments) -> ToolCall:
    """The call with its arguments in the golden's order, so that the two lines read side by side."""
    if got.arguments is None or wanted is None:
        return got
    keys = [key for key in wanted if key in got.arguments] + [
        key for key in got.arguments if key not in wanted
    ]
    return replace(got, arguments={key: got.arguments[key] for key in keys})


def _differing_keys(wanted: Arguments, made: Arguments) -> list[str]:
    if wanted is None or made is None:
        return []
    absent = object()
    return [key for key in {**wanted, **made} if wanted.get(key, absent) != made.get(key, absent)]


def _value(arguments: Arguments, key: str) -> str:
    return json.dumps(arguments[key], ensure_ascii=False) if arguments and key in arguments else ""


def _first_difference(one: str, other: str) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _window(shown: str, around: int) -> str:
    """A long value cut around the place where it differs, so that the cut never hides the difference."""
    start = max(0, around - VALUE_LIMIT // 2)
    if start < 12:
        return clip(shown, VALUE_LIMIT)
    return f"…{clip(shown[start:], VALUE_LIMIT)}"


def _call_text(name: str, arguments: Arguments, focus: dict[str, int] | None = None) -> str:
    """`search(query="refund", limit=3)`; arguments that are not compared or not known are one ellipsis."""
    shown_name = clip(name, NAME_LIMIT)
    if arguments is None:
        return f"{shown_name}(…)"
    at = focus or {}
    # What differs is shown even where there is no room for every argument.
    keys = list(arguments)
    kept = set(sorted(keys, key=lambda key: (key not in at, keys.index(key)))[:12])
    parts = [
        f"{clip(key, 40)}={_window(_value(arguments, key), at.get(key, 0))}" for key in keys if key in kept
    ]
    if len(kept) < len(keys):
        parts.append(f"… {count(len(keys) - len(kept), 'more argument')}")
    return f"{shown_name}({', '.join(parts)})"


def _actual_text(call: ToolCall, focus: dict[str, int] | None = None) -> str:
    shown = _call_text(call.name, call.arguments, focus)
    if call.arguments is None and call.raw_arguments is not None:
        shown = f"{clip(call.name, NAME_LIMIT)}({clip(call.raw_arguments, VALUE_LIMIT)})  ← arguments not readable"
    if call.is_error:
        shown += f"  → error: {clip(' '.join((call.result or 'no text').split()), ERROR_LIMIT)}"
    return shown


def _answers(reference: Reference | None, base: Trajectory | None, head: Trajectory | None) -> list[DiffLine]:
    """Golden, base and head answers, one line each. Answers are prose: no line is called right or wrong here."""
    golden = reference.answer if reference is not None else None
    told = [
        ("golden", golden),
        ("base", base.final_text() if base is not None else None),
        ("head", head.final_text() if head is not None else None),
    ]
    given = [(name, answer) for name, answer in told if answer]
    if len(given) > 1 and given[-1][1] == given[-2][1]:
        given[-2:] = [(f"{given[-2][0]}, {given[-1][0]}", given[-1][1])]
    if not given:
        return []
    width = max(len(name) for name, _ in given)
    shown = [
        DiffLine("note", f"{name.ljust(width)}  {clip(' '.join(answer.split()), ANSWER_LIMIT)}")
        for name, answer in given
    ]
    return [DiffLine("title", "answers"), *shown]
