"""How the arguments of one tool are compared: a mode for all keys, or a rule per field."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from gatebot.graders.canonical import same
from gatebot.graders.difference import Comparison, describe_unlike, type_name
from gatebot.graders.field_rules import FieldTest, accepts, needs_expected, wanted
from gatebot.graders.patterns import compile_pattern
from gatebot.graders.wording import clip, show_value
from gatebot.model.case import ArgsMode, FieldMatcher, ToolArgs
from gatebot.model.json_value import JsonValue, is_array, is_object

PATH_LIMIT = 80

KeyFault = Literal["missing", "extra", "wrong_type", "wrong_value"]


@dataclass(frozen=True, slots=True)
class KeyVerdict:
    """One argument key of a pair of calls: right, or the kind of fault and how to say it.

    The sentence is made only when it is asked for: most pairs are compared to find the best one, not to be shown.
    """

    key: str
    fault: KeyFault | None = None
    say: Callable[[], str] = str

    @property
    def reason(self) -> str:
        """Key, expected and got in a clause; empty when the key is right."""
        return self.say()


@dataclass(frozen=True, slots=True)
class FieldNode:
    """Rules below one key: a test of the whole value, or rules for its fields (`filter.date`, `items.0`, `items.*`)."""

    test: FieldTest | None = None
    below: dict[str, FieldNode] = field(default_factory=dict[str, "FieldNode"])


@dataclass(frozen=True, slots=True)
class ArgumentRule:
    """The rule of one tool: `mode` for every key without a rule of its own in `fields`."""

    mode: ArgsMode = "exact"
    fields: FieldNode = field(default_factory=FieldNode)

    @property
    def plain(self) -> bool:
        """Whether the mode alone decides."""
        return not self.fields.below

    def matches(self, expected: Mapping[str, JsonValue], got: Mapping[str, JsonValue]) -> bool:
        """Whether `got` is accepted for `expected`: exact, or one contained in the other, key by key."""
        if self.mode == "ignore" and self.plain:
            return True
        return next(self.faults(expected, got), None) is None

    def faults(self, expected: Mapping[str, JsonValue], got: Mapping[str, JsonValue]) -> Iterator[KeyVerdict]:
        """The keys that the mode does not accept, expected ones first."""
        for verdict in self.verdicts(expected, got):
            if verdict.fault is None:
                continue
            if verdict.key not in self.fields.below:
                if self.mode == "ignore":
                    continue
                if (verdict.fault, self.mode) in (("missing", "subset"), ("extra", "superset")):
                    continue
            yield verdict

    def verdicts(
        self, expected: Mapping[str, JsonValue], got: Mapping[str, JsonValue]
    ) -> Iterator[KeyVerdict]:
        """A verdict per key of the union of both, but for ignored fields; extra keys count whatever the mode."""
        below = self.fields.below
        for key, value in expected.items():
            node = below.get(key)
            if node is not None and node.test is not None and node.test.rule == "ignore":
                continue
            if key not in got:
                yield _missing(key, key, value)
            elif node is None:
                yield _plain_verdict(key, key, value, got[key])
            else:
                yield _verdict(key, key, (value, got[key]), node)
        for key, value in got.items():
            if key in expected:
                continue
            node = below.get(key)
            test = None if node is None else node.test
            if test is None or test.rule != "ignore":
                yield _extra(key, key, value, test)


def compile_rules(
    rules: ArgsMode | dict[str, ToolArgs], default: ArgsMode
) -> tuple[dict[str, ArgumentRule], ArgumentRule]:
    """The rule of each tool named, and the rule of every other tool. Raises ConfigError on a bad pattern.

    Keys without a rule inside a tool's field rules are compared in the suite's default mode.
    """
    if isinstance(rules, str):
        return {}, ArgumentRule(rules)
    named = {tool: _compile(rule, default) for tool, rule in rules.items()}
    return named, named.pop("*", ArgumentRule(default))


def _compile(rule: ToolArgs, default: ArgsMode) -> ArgumentRule:
    if isinstance(rule, str):
        return ArgumentRule(rule)
    tree: dict[str, FieldNode] = {}
    for path, test in rule.items():
        pattern = (
            compile_pattern(test.regex) if isinstance(test, FieldMatcher) and test.regex is not None else None
        )
        *parents, last = path.split(".")
        level = tree
        for parent in parents:
            level = level.setdefault(parent, FieldNode()).below
        level[last] = FieldNode(FieldTest(test, pattern), level[last].below if last in level else {})
    return ArgumentRule(default, FieldNode(None, tree))


def _plain_verdict(key: str, path: str, expected: JsonValue, got: JsonValue) -> KeyVerdict:
    if same(expected, got):
        return KeyVerdict(key)
    fault: KeyFault = "wrong_value" if type_name(expected) == type_name(got) else "wrong_type"
    return KeyVerdict(key, fault, lambda: _say_unlike(path, expected, got))


def _say_unlike(path: str, expected: JsonValue, got: JsonValue) -> str:
    """Where inside two values the difference lies, if they are alike on the outside."""
    if is_object(expected) or is_array(expected):
        difference = Comparison().first_difference(expected, got)
        if difference is not None and difference.path:
            where = clip(f"{path}.{difference.path}", PATH_LIMIT)
            return f"{where} is {difference.got}, expected {difference.expected}"
    return f"{clip(path, PATH_LIMIT)} is {describe_unlike(expected, got)}, expected {show_value(expected)}"


def _missing(key: str, path: str, expected: JsonValue) -> KeyVerdict:
    return KeyVerdict(
        key, "missing", lambda: f"{clip(path, PATH_LIMIT)} is missing, expected {show_value(expected)}"
    )


def _extra(key: str, path: str, got: JsonValue, test: FieldTest | None) -> KeyVerdict:
    """A value that only the agent gave: right if its rule needs no expected value and accepts it."""
    if test is None or needs_expected(test):
        return KeyVerdict(
            key, "extra", lambda: f"{clip(path, PATH_LIMIT)}={show_value(got)} was not expected"
        )
    return _tested(key, path, (None, got), test)


def _tested(key: str, path: str, values: tuple[JsonValue, JsonValue], test: FieldTest) -> KeyVerdict:
    expected, got = values
    if accepts(test, expected, got):
        return KeyVerdict(key)
    return KeyVerdict(
        key,
        "wrong_value",
        lambda: f"{clip(path, PATH_LIMIT)} is {show_value(got)}, expected {wanted(test, expected)}",
    )


def _verdict(key: str, path: str, values: tuple[JsonValue, JsonValue], node: FieldNode) -> KeyVerdict:
    """The first fault under a value some of whose fields have rules; the other fields must be equal."""
    expected, got = values
    if node.test is not None:
        return _tested(key, path, values, node.test)
    both = (is_object(expected) and is_object(got)) or (is_array(expected) and is_array(got))
    if not node.below or not both:
        return _plain_verdict(key, path, expected, got)
    mine, theirs = _items(expected), _items(got)
    for name in dict.fromkeys([*mine, *theirs]):
        child = node.below.get(name, node.below.get("*", FieldNode()))
        if child.test is not None and child.test.rule == "ignore":
            continue
        here = f"{path}.{name}"
        if name not in theirs:
            return _missing(key, here, mine[name])
        if name not in mine:
            verdict = _extra(key, here, theirs[name], child.test)
        else:
            verdict = _verdict(key, here, (mine[name], theirs[name]), child)
        if verdict.fault is not None:
            return verdict
    return KeyVerdict(key)


def _items(value: JsonValue) -> Mapping[str, JsonValue]:
    if is_object(value):
        return value
    return {str(index): item for index, item in enumerate(value)} if is_array(value) else {}
