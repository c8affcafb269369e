"""How the arguments of one tool are compared: a mode for all keys, or a rule per field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from gatebot.graders.canonical import canonical, same
from gatebot.graders.difference import Comparison, describe_unlike, is_number, within
from gatebot.graders.folding import fold
from gatebot.graders.patterns import Pattern, compile_pattern
from gatebot.graders.wording import clip, show_value
from gatebot.model.case import ArgsMode, FieldMatcher, FieldRule, ToolArgs
from gatebot.model.json_value import JsonValue, is_array, is_object

KeyFault = Literal["missing", "extra", "wrong_type", "wrong_value"]


@dataclass(frozen=True, slots=True)
class KeyVerdict:
    """One argument key of a pair of calls: right, or the kind of fault and a sentence that names expected and got."""

    key: str
    fault: KeyFault | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FieldTest:
    """A field rule made ready: its pattern compiled."""

    rule: FieldRule
    pattern: Pattern | None = None


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
                yield KeyVerdict(key, "missing", f"{clip(key, 40)} is missing, expected {show_value(value)}")
            elif node is None:
                yield _plain_verdict(key, value, got[key])
            else:
                yield _verdict(key, value, got[key], node)
        for key, value in got.items():
            if key in expected:
                continue
            node = below.get(key)
            if node is None or node.test is None:
                yield KeyVerdict(key, "extra", f"{clip(key, 40)}={show_value(value)} was not expected")
            elif node.test.rule != "ignore":
                yield _extra_verdict(key, value, node.test)


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


def _plain_verdict(key: str, expected: JsonValue, got: JsonValue) -> KeyVerdict:
    if same(expected, got):
        return KeyVerdict(key)
    return _unlike(key, expected, got)


def _unlike(key: str, expected: JsonValue, got: JsonValue) -> KeyVerdict:
    text = describe_unlike(expected, got)
    fault: KeyFault = "wrong_type" if text.endswith(")") and text != show_value(got) else "wrong_value"
    if fault == "wrong_value" and (is_object(expected) or is_array(expected)):
        difference = Comparison().first_difference(expected, got)
        if difference is not None and difference.path:
            path = clip(f"{key}.{difference.path}", VALUE_PATH)
            return KeyVerdict(key, fault, f"{path} is {difference.got}, expected {difference.expected}")
    return KeyVerdict(key, fault, f"{clip(key, 40)} is {text}, expected {show_value(expected)}")


VALUE_PATH = 120


def _verdict(key: str, expected: JsonValue, got: JsonValue, node: FieldNode) -> KeyVerdict:
    if node.test is not None:
        if accepts(node.test, expected, got):
            return KeyVerdict(key)
        return KeyVerdict(
            key,
            "wrong_value",
            f"{clip(key, 40)} is {show_value(got)}, expected {_wanted(node.test, expected)}",
        )
    problem = _below(key, expected, got, node)
    return KeyVerdict(key) if problem is None else problem


def _below(path: str, expected: JsonValue, got: JsonValue, node: FieldNode) -> KeyVerdict | None:
    """The first fault under a value some of whose fields have rules; the other fields must be equal."""
    top = path.split(".", 1)[0]
    if node.test is not None:
        verdict = _verdict(path, expected, got, node)
        return None if verdict.fault is None else KeyVerdict(top, verdict.fault, verdict.reason)
    if not node.below or not (
        (is_object(expected) and is_object(got)) or (is_array(expected) and is_array(got))
    ):
        verdict = _plain_verdict(path, expected, got)
        return None if verdict.fault is None else KeyVerdict(top, verdict.fault, verdict.reason)
    mine, theirs = _items(expected), _items(got)
    for name in dict.fromkeys([*mine, *theirs]):
        child = node.below.get(name, node.below.get("*", FieldNode()))
        if child.test is not None and child.test.rule == "ignore":
            continue
        here = f"{path}.{name}"
        if name not in theirs:
            return KeyVerdict(
                top, "missing", f"{clip(here, 80)} is missing, expected {show_value(mine[name])}"
            )
        if name not in mine:
            if child.test is not None and _extra_verdict(here, theirs[name], child.test).fault is None:
                continue
            return KeyVerdict(top, "extra", f"{clip(here, 80)}={show_value(theirs[name])} was not expected")
        problem = _below(here, mine[name], theirs[name], child)
        if problem is not None:
            return problem
    return None


def _items(value: JsonValue) -> Mapping[str, JsonValue]:
    if is_object(value):
        return value
    return {str(index): item for index, item in enumerate(value)} if is_array(value) else {}


def _extra_verdict(key: str, got: JsonValue, test: FieldTest) -> KeyVerdict:
    """A key that only the agent gave: right if its rule needs no expected value and accepts it."""
    matcher = test.rule
    needs_expected = not (
        matcher == "any"
        or (isinstance(matcher, FieldMatcher) and (matcher.regex is not None or matcher.one_of is not None))
    )
    if needs_expected:
        return KeyVerdict(key, "extra", f"{clip(key, 40)}={show_value(got)} was not expected")
    if accepts(test, None, got):
        return KeyVerdict(key)
    return KeyVerdict(
        key, "wrong_value", f"{clip(key, 40)} is {show_value(got)}, expected {_wanted(test, None)}"
    )


def accepts(test: FieldTest, expected: JsonValue, got: JsonValue) -> bool:
    """Whether a field's rule accepts the value got. Raises TimeoutError when a pattern takes more than a second."""
    rule = test.rule
    if rule in ("any", "ignore"):
        return True
    if rule == "exact":
        return same(expected, got)
    if rule == "case_insensitive":
        if isinstance(expected, str) and isinstance(got, str):
            return fold(expected) == fold(got)
        return same(expected, got)
    if rule == "unordered":
        return Comparison(ignore_order=True).first_difference(expected, got) is None
    if test.pattern is not None:
        return test.pattern.found_in(got if isinstance(got, str) else canonical(got).decode())
    if rule.one_of is not None:
        return any(same(option, got) for option in rule.one_of)
    if rule.tolerance is not None:
        return is_number(expected) and is_number(got) and within(expected, got, rule.tolerance)
    return same(expected, got)


def _wanted(test: FieldTest, expected: JsonValue) -> str:
    rule = test.rule
    if isinstance(rule, FieldMatcher):
        if rule.regex is not None:
            return f"a match of /{clip(rule.regex)}/"
        if rule.one_of is not None:
            return f"one of {show_value(list(rule.one_of))}"
        if rule.tolerance is not None:
            return f"{show_value(expected)} ± {rule.tolerance:g}"
        return f"something similar to {show_value(expected)} (at least {rule.similar:g})"
    if rule == "unordered":
        return f"{show_value(expected)} in any order"
    if rule == "case_insensitive":
        return f"{show_value(expected)} in any case"
    return show_value(expected)
