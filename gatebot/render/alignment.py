"""Which golden call an actual call stands for: pairs in order, then what was only moved. Pure and bounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from gatebot.model.json_value import JsonValue
from gatebot.model.suite import ExpectedCall
from gatebot.model.trajectory import ToolCall

Arguments = dict[str, JsonValue] | None
SameArguments = Callable[[str, Arguments, Arguments], bool]
"""(tool name, golden arguments, actual arguments) → whether the case's rules call them equal."""

PairKind = Literal["same", "wrong_args", "missing", "extra", "moved"]
MAX_CALLS = 200
"""Calls of a side that are aligned; the rest is counted. Alignment costs the product of both lengths."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A line of the alignment: a golden call, an actual call, or both."""

    kind: PairKind
    expected: ExpectedCall | None
    actual: ToolCall | None


def equal_arguments(_name: str, expected: Arguments, actual: Arguments) -> bool:
    """The strictest rule: equal JSON; golden arguments None are not compared."""
    return expected is None or expected == actual


def align(
    expected: Sequence[ExpectedCall],
    actual: Sequence[ToolCall],
    *,
    same: SameArguments = equal_arguments,
    any_order: bool = False,
) -> tuple[Pair, ...]:
    """Pair golden and actual calls so that the fewest lines differ, in order of the actual calls.

    A call with the right name and other arguments is `wrong_args`. What pairs only out of order is `moved`, or
    `same` where order does not matter: with `any_order`, or within one group of parallel golden calls.
    At most `MAX_CALLS` of each are looked at.
    """
    golden, made = expected[:MAX_CALLS], actual[:MAX_CALLS]
    costs = [[_cost(want, got, same) for got in made] for want in golden]
    matched = {} if any_order else _regrouped(_in_order(costs), costs, golden)
    moved = _out_of_order(costs, matched)
    return _lines(golden, made, matched | moved, _Judge(costs, moved, golden, any_order))


def _forms(want: ExpectedCall) -> tuple[tuple[str, Arguments], ...]:
    return ((want.name, want.arguments), *want.alternatives)


def _cost(want: ExpectedCall, got: ToolCall, same: SameArguments) -> int:
    """0 the same call · 1 the same tool · 2 another tool, which never pairs."""
    named = [arguments for name, arguments in _forms(want) if name == got.name]
    if any(same(got.name, arguments, got.arguments) for arguments in named):
        return 0
    return 1 if named else 2


def _in_order(costs: list[list[int]]) -> dict[int, int]:
    """Golden index → actual index of the cheapest order-keeping pairing (edit distance; a pair of cost 2 is none)."""
    rows, columns = len(costs), len(costs[0]) if costs else 0
    best = [[rows - i + columns - j for j in range(columns + 1)] for i in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            best[i][j] = min(costs[i][j] + best[i + 1][j + 1], 1 + best[i + 1][j], 1 + best[i][j + 1])
    pairs: dict[int, int] = {}
    i = j = 0
    while i < rows and j < columns:
        if costs[i][j] < 2 and best[i][j] == costs[i][j] + best[i + 1][j + 1]:
            pairs[i] = j
            i, j = i + 1, j + 1
        elif best[i][j] == 1 + best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _regrouped(
    pairs: dict[int, int], costs: list[list[int]], golden: Sequence[ExpectedCall]
) -> dict[int, int]:
    """Within a group of parallel calls, give an actual call to the golden call it equals, not to the one in its place."""
    for i in sorted(pairs):
        j = pairs.get(i)
        if j is None or not costs[i][j]:
            continue
        peers = [k for k, want in enumerate(golden) if k != i and want.group == golden[i].group]
        fit = next((k for k in peers if not costs[k][j] and (k not in pairs or costs[k][pairs[k]])), None)
        if fit is None:
            continue
        left = pairs.pop(fit, None)
        pairs[fit] = j
        del pairs[i]
        if left is not None and costs[i][left] < 2:
            pairs[i] = left
    return pairs


def _out_of_order(costs: list[list[int]], matched: dict[int, int]) -> dict[int, int]:
    """Pairs among what is left, equal calls first."""
    taken = set(matched.values())
    moved: dict[int, int] = {}
    for wanted in (0, 1):
        for i, row in enumerate(costs):
            if i in matched or i in moved:
                continue
            free = next((j for j, cost in enumerate(row) if cost == wanted and j not in taken), None)
            if free is not None:
                moved[i] = free
                taken.add(free)
    return moved


@dataclass(frozen=True, slots=True)
class _Judge:
    """What a pair is called."""

    costs: list[list[int]]
    moved: dict[int, int]
    golden: Sequence[ExpectedCall]
    any_order: bool

    def kind(self, i: int, j: int, pairs: dict[int, int]) -> PairKind:
        if self.costs[i][j]:
            return "wrong_args"
        return "moved" if i in self.moved and not self.any_order and self._crosses(i, j, pairs) else "same"

    def _crosses(self, i: int, j: int, pairs: dict[int, int]) -> bool:
        """Whether a call of an earlier group came later, or one of a later group earlier."""
        group = self.golden[i].group
        return any(
            (self.golden[other].group < group and at > j) or (self.golden[other].group > group and at < j)
            for other, at in pairs.items()
        )


def _lines(
    golden: Sequence[ExpectedCall], made: Sequence[ToolCall], pairs: dict[int, int], judge: _Judge
) -> tuple[Pair, ...]:
    """Lines in the order of the actual calls; a missing golden call stands before the next golden call that was made."""
    by_actual = {j: i for i, j in pairs.items()}
    missing = [i for i in range(len(golden)) if i not in pairs and not golden[i].optional]
    lines: list[Pair] = []
    for j, got in enumerate(made):
        i = by_actual.get(j)
        if i is None:
            lines.append(Pair("extra", None, got))
            continue
        while missing and missing[0] < i:
            lines.append(Pair("missing", golden[missing.pop(0)], None))
        lines.append(Pair(judge.kind(i, j, pairs), golden[i], got))
    lines.extend(Pair("missing", golden[i], None) for i in missing)
    return tuple(lines)
