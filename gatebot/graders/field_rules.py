"""How one argument is compared where the case has a rule for it."""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.graders.canonical import canonical, same
from gatebot.graders.difference import Comparison, is_number, within
from gatebot.graders.folding import fold
from gatebot.graders.patterns import Pattern
from gatebot.graders.similarity import similarity
from gatebot.graders.wording import clip, show_value
from gatebot.model.case import FieldMatcher, FieldRule
from gatebot.model.json_value import JsonValue


@dataclass(frozen=True, slots=True)
class FieldTest:
    """A field rule made ready: its pattern compiled."""

    rule: FieldRule
    pattern: Pattern | None = None


def needs_expected(test: FieldTest) -> bool:
    """Whether the rule compares with the golden's value; `any`, `regex` and `one_of` judge the agent's alone."""
    rule = test.rule
    if isinstance(rule, FieldMatcher):
        return rule.regex is None and rule.one_of is None
    return rule != "any"


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
    if rule.similar is not None and isinstance(expected, str) and isinstance(got, str):
        return (similarity(expected, got).value or 0.0) >= rule.similar
    return same(expected, got)


def wanted(test: FieldTest, expected: JsonValue) -> str:
    """What the rule would have accepted, for a sentence."""
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
