"""The golden calls of a case, made ready for matching once per case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from gatebot.graders.arguments import ArgumentRule
from gatebot.graders.canonical import canonical
from gatebot.graders.steps import Lookup, Steps
from gatebot.graders.wording import show_call
from gatebot.model.json_value import JsonValue
from gatebot.model.suite import ExpectedCall


@dataclass(frozen=True, slots=True)
class Option:
    """One call that will do. `arguments` None = not compared, else `key` is theirs.

    `lookup` is set where only an equal call will do.
    """

    name: str
    arguments: dict[str, JsonValue] | None
    rule: ArgumentRule
    key: bytes | None = None
    lookup: Lookup | None = None

    def admits(self, steps: Steps, index: int, *, optimistic: bool = False) -> bool:
        """Whether the call does; unknown arguments do only when `optimistic`."""
        call = steps.calls[index]
        if call.name != self.name:
            return False
        if self.arguments is None:
            return True
        if call.arguments is None:
            return optimistic and call.arguments_error is None
        if self.lookup is not None:
            return self.lookup[1] == steps.keys[index]
        return self.rule.matches(self.arguments, call.arguments)


@dataclass(frozen=True, slots=True)
class ExpectedStep:
    """One golden call: the options that satisfy it, the one written first leading."""

    options: tuple[Option, ...]
    shown: str
    optional: bool = False
    id: str | None = None
    after: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The tool of the leading option."""
        return self.options[0].name

    def admits(self, steps: Steps, index: int, *, optimistic: bool = False) -> bool:
        """Whether the call satisfies this golden call."""
        return any(option.admits(steps, index, optimistic=optimistic) for option in self.options)

    def names(self, name: str) -> bool:
        """Whether the tool is one of the options'."""
        return any(option.name == name for option in self.options)

    def candidates(self, steps: Steps, *, optimistic: bool = False) -> list[int]:
        """The calls that satisfy this golden call, in order."""
        if len(self.options) == 1:
            return _candidates(self.options[0], steps, optimistic=optimistic)
        found = (_candidates(option, steps, optimistic=optimistic) for option in self.options)
        return sorted({index for indexes in found for index in indexes})

    def namesakes(self, steps: Steps) -> list[int]:
        """The calls of a tool that will do, whatever their arguments."""
        if len(self.options) == 1:
            return steps.by_name.get(self.options[0].name, [])
        return sorted({i for name in {o.name for o in self.options} for i in steps.by_name.get(name, ())})


def _candidates(option: Option, steps: Steps, *, optimistic: bool) -> list[int]:
    if option.arguments is None:
        return steps.by_name.get(option.name, [])
    if option.lookup is not None and not (optimistic and steps.unknown):
        return steps.by_key.get(option.lookup, [])
    return [i for i in steps.by_name.get(option.name, ()) if option.admits(steps, i, optimistic=optimistic)]


@dataclass(frozen=True, slots=True)
class Menu:
    """The golden calls of one group by tool: those with one option first, for the others can do what they cannot."""

    indexes: tuple[int, ...]
    by_name: dict[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class ReferenceCalls:
    """All golden calls of one reference; `groups` are runs of indexes that have no order among themselves.

    `required_first`: indexes in the order in which a matching serves them. `simple`: every call is required, has
    one option and no `after`. `lookups`: what each call must equal, where nothing but equal calls will do for all.
    """

    steps: tuple[ExpectedStep, ...]
    groups: tuple[tuple[int, ...], ...]
    required: tuple[int, ...]
    required_first: tuple[int, ...]
    simple: bool
    counts: Counter[str] = field(default_factory=Counter[str])
    name_order: tuple[str, ...] = ()
    menus: tuple[Menu, ...] = ()
    whole_menu: Menu = field(default_factory=lambda: Menu((), {}))
    lookups: tuple[Lookup, ...] | None = None

    def earlier_of(self, index: int) -> tuple[int, ...]:
        """The golden calls that `after:` of this one names."""
        after = self.steps[index].after
        return tuple(i for i, step in enumerate(self.steps) if step.id in after) if after else ()

    @property
    def ordered(self) -> bool:
        """Whether some call must come after another by `after:`."""
        return not self.simple and any(step.after for step in self.steps)


def prepare(
    calls: tuple[ExpectedCall, ...], named: dict[str, ArgumentRule], other: ArgumentRule
) -> ReferenceCalls:
    """The golden calls with the rule of each tool looked up and keys computed.

    `name_order` is the tools' sequence with each group sorted: calls without order in one canonical order.
    """
    steps: list[ExpectedStep] = []
    grouped: dict[int, list[int]] = {}
    for index, call in enumerate(calls):
        pairs = ((call.name, call.arguments), *call.alternatives)
        options = tuple(_option(name, arguments, named.get(name, other)) for name, arguments in pairs)
        shown = " or ".join(f"`{show_call(name, arguments)}`" for name, arguments in pairs[:4])
        steps.append(ExpectedStep(options, shown, call.optional, call.id, call.after))
        grouped.setdefault(call.group, []).append(index)
    # Groups keep the order in which they first occur: a golden is written from top to bottom.
    groups = tuple(tuple(indexes) for indexes in grouped.values())
    required = tuple(index for index, step in enumerate(steps) if not step.optional)
    optional = tuple(index for index, step in enumerate(steps) if step.optional)
    simple = not optional and all(len(step.options) == 1 and not step.after for step in steps)
    return ReferenceCalls(
        tuple(steps),
        groups,
        required,
        (*required, *optional),
        simple,
        Counter(step.name for step in steps),
        tuple(name for group in groups for name in sorted(steps[index].name for index in group)),
        tuple(_menu(steps, group) for group in groups),
        _menu(steps, tuple(range(len(steps)))),
        _lookups(steps),
    )


def _lookups(steps: Sequence[ExpectedStep]) -> tuple[Lookup, ...] | None:
    found = [step.options[0].lookup for step in steps if len(step.options) == 1]
    known = tuple(lookup for lookup in found if lookup is not None)
    return known if len(known) == len(steps) else None


def _menu(steps: Sequence[ExpectedStep], indexes: tuple[int, ...]) -> Menu:
    by_name: dict[str, list[int]] = {}
    for index in sorted(indexes, key=lambda i: len(steps[i].options)):
        for name in dict.fromkeys(option.name for option in steps[index].options):
            by_name.setdefault(name, []).append(index)
    return Menu(indexes, {name: tuple(found) for name, found in by_name.items()})


def _option(name: str, arguments: dict[str, JsonValue] | None, rule: ArgumentRule) -> Option:
    compared = None if rule.mode == "ignore" and rule.plain else arguments
    if compared is None:
        return Option(name, None, rule)
    key = canonical(compared)
    return Option(name, compared, rule, key, (name, key) if rule.plain and rule.mode == "exact" else None)
