"""Where two JSON values first differ, under a tolerance, ignored paths, and lists without order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gatebot.graders.canonical import canonical, same
from gatebot.graders.matching import UNMATCHED, maximum_matching
from gatebot.graders.wording import clip, show_value
from gatebot.model.json_value import JsonValue, is_array, is_object

COMPARISONS_LIMIT = 100_000


class TooManyComparisonsError(ValueError):
    """Two lists without order are too long to be paired within the limit."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: dotted path (empty: the whole value), and what was expected and got there, ready to print."""

    path: str
    expected: str
    got: str

    def __str__(self) -> str:
        where = f"at {clip(self.path, 120)}: " if self.path else ""
        return f"{where}expected {self.expected}, got {self.got}"


@dataclass(slots=True)
class Comparison:
    """How two values are compared. `subset`: what is expected is contained in what is got; further keys are allowed.

    `ignore`: dotted paths with `*` for any key or index. `ignore_order`: lists are compared as multisets.
    Values of different types differ (true is not 1), numbers may differ by `tolerance`.
    """

    subset: bool = False
    tolerance: float = 0.0
    ignore_order: bool = False
    ignore: tuple[str, ...] = ()
    _left: int = field(default=COMPARISONS_LIMIT, init=False, repr=False)
    _ignored: tuple[tuple[str, ...], ...] = field(default=(), init=False, repr=False)

    def __post_init__(self) -> None:
        self._ignored = tuple(tuple(path.split(".")) for path in self.ignore)

    def first_difference(self, expected: JsonValue, got: JsonValue) -> Difference | None:
        """The first difference, or None. Raises TooManyComparisonsError on lists too long to pair without order."""
        self._left = COMPARISONS_LIMIT
        return self._compare(expected, got, ())

    def _compare(self, expected: JsonValue, got: JsonValue, path: tuple[str, ...]) -> Difference | None:
        self._left -= 1
        if self._left < 0:
            message = f"more than {COMPARISONS_LIMIT} comparisons at {'.'.join(path) or 'the top'}"
            raise TooManyComparisonsError(message)
        if self._is_ignored(path):
            return None
        if is_object(expected) and is_object(got):
            return self._compare_objects(expected, got, path)
        if is_array(expected) and is_array(got):
            if self.subset or self.ignore_order:
                return self._compare_multisets(expected, got, path)
            return self._compare_lists(expected, got, path)
        if is_number(expected) and is_number(got) and within(expected, got, self.tolerance):
            return None
        if same(expected, got):
            return None
        return Difference(".".join(path), show_value(expected), describe_unlike(expected, got))

    def _compare_objects(
        self, expected: Mapping[str, JsonValue], got: Mapping[str, JsonValue], path: tuple[str, ...]
    ) -> Difference | None:
        for key, value in expected.items():
            here = (*path, key)
            if key in got:
                difference = self._compare(value, got[key], here)
                if difference is not None:
                    return difference
            elif not self._is_ignored(here):
                return Difference(".".join(here), show_value(value), "nothing")
        if not self.subset:
            for key, value in got.items():
                if key not in expected and not self._is_ignored((*path, key)):
                    return Difference(".".join((*path, key)), "nothing", show_value(value))
        return None

    def _compare_lists(
        self, expected: Sequence[JsonValue], got: Sequence[JsonValue], path: tuple[str, ...]
    ) -> Difference | None:
        for index, (one, other) in enumerate(zip(expected, got, strict=False)):
            difference = self._compare(one, other, (*path, str(index)))
            if difference is not None:
                return difference
        if len(expected) != len(got):
            return Difference(".".join(path), f"{len(expected)} items", f"{len(got)} items")
        return None

    def _compare_multisets(
        self, expected: Sequence[JsonValue], got: Sequence[JsonValue], path: tuple[str, ...]
    ) -> Difference | None:
        if not self.subset and len(expected) != len(got):
            return Difference(".".join(path), f"{len(expected)} items", f"{len(got)} items")
        if len(expected) == len(got) and self._compare_lists(expected, got, path) is None:
            return None
        wanted, offered = list(range(len(expected))), list(range(len(got)))
        if not self.tolerance and not self._ignored:
            wanted, offered = _without_equals(expected, got)
        edges = [
            [column for column, other in enumerate(offered) if self._alike(expected[one], got[other], path)]
            for one in wanted
        ]
        partner = maximum_matching(edges)
        if UNMATCHED not in partner:
            return None
        unpaired = wanted[partner.index(UNMATCHED)]
        taken = set(partner)
        spare = [other for column, other in enumerate(offered) if column not in taken]
        if len(spare) == 1 and is_object(expected[unpaired]):
            # The one item left over on the other side is the one meant: say where the two part.
            return self._compare(expected[unpaired], got[spare[0]], (*path, str(unpaired)))
        shown = f"no such item; left over: {show_value(got[spare[0]])}" if spare else "no such item"
        return Difference(".".join((*path, str(unpaired))), show_value(expected[unpaired]), shown)

    def _alike(self, expected: JsonValue, got: JsonValue, path: tuple[str, ...]) -> bool:
        return self._compare(expected, got, (*path, "*")) is None

    def _is_ignored(self, path: tuple[str, ...]) -> bool:
        return any(
            len(pattern) == len(path)
            and all(p in ("*", part) or part == "*" for p, part in zip(pattern, path, strict=True))
            for pattern in self._ignored
        )


def _without_equals(expected: Sequence[JsonValue], got: Sequence[JsonValue]) -> tuple[list[int], list[int]]:
    """Indexes left on both sides after equal items are paired off: safe, for without tolerance equality is transitive."""
    places: dict[bytes, list[int]] = {}
    for index in reversed(range(len(got))):
        places.setdefault(canonical(got[index]), []).append(index)
    wanted: list[int] = []
    for index, value in enumerate(expected):
        equal = places.get(canonical(value))
        if equal:
            equal.pop()
        else:
            wanted.append(index)
    return wanted, sorted(index for indexes in places.values() for index in indexes)


def is_number(value: JsonValue) -> bool:
    """Whether the value is a JSON number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def within(expected: JsonValue, got: JsonValue, tolerance: float) -> bool:
    """Whether two numbers differ by at most `tolerance` (beside rounding in the ninth digit when it is not 0)."""
    if not isinstance(expected, int | float) or not isinstance(got, int | float):
        return False
    if expected == got:
        return True
    try:
        gap = abs(expected - got)
        slack = 1e-9 * max(abs(expected), abs(got), tolerance) if tolerance else 0.0
    except OverflowError:
        return False
    return gap <= tolerance + slack


def describe_unlike(expected: JsonValue, got: JsonValue) -> str:
    """The value got, with its type where only the type tells it from the expected one."""
    shown = show_value(got)
    if type_name(expected) != type_name(got):
        return f"{shown} ({type_name(got)} instead of {type_name(expected)})"
    return shown


def type_name(value: JsonValue) -> str:
    """JSON's word for the value's type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if is_number(value):
        return "number"
    return "object" if is_object(value) else "list"
