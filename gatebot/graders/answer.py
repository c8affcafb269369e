"""Checks of the final answer: exact, contains, regex, json, number."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from gatebot.errors import ConfigError
from gatebot.graders.difference import Comparison, within
from gatebot.graders.folding import fold
from gatebot.graders.numerals import readings_in, unit_name
from gatebot.graders.patterns import TEXT_LIMIT, compile_pattern
from gatebot.graders.wording import clip, listed, show_value
from gatebot.model.case import AllAny, AnswerExpectation, JsonExpectation, NumberExpectation
from gatebot.model.json_value import JsonValue, depth_within

JSON_LIMIT = 1_000_000
JSON_DEPTH = 64
NO_ANSWER = "the agent gave no answer"

Test = Callable[[str], str]
"""From an answer to the reason why it fails, empty when it holds."""


@dataclass(frozen=True, slots=True)
class AnswerTest:
    """One check of the answer by its name in the case file."""

    name: str
    test: Test


def answer_tests(expectation: AnswerExpectation, golden_answer: str | None) -> tuple[AnswerTest, ...]:
    """The checks that need only the answer. Raises ConfigError on one that could never be made, or always holds."""
    tests: list[AnswerTest] = []
    if expectation.exact is not None:
        wanted = golden_answer if expectation.exact is True else expectation.exact
        if wanted is None:
            message = "expect.answer.exact is true, but the golden has no answer"
            raise ConfigError(message, "write golden.answer, or the text itself in place of true")
        tests.append(AnswerTest("exact", _exact(wanted)))
    if expectation.contains is not None:
        tests.append(AnswerTest("contains", _contains(expectation.contains)))
    if expectation.regex is not None:
        tests.append(AnswerTest("regex", _regex(expectation.regex)))
    if expectation.json_ is not None:
        tests.append(AnswerTest("json", _json(expectation.json_)))
    if expectation.number is not None:
        number = expectation.number
        tests.append(
            AnswerTest(
                "number",
                _number(number if isinstance(number, NumberExpectation) else NumberExpectation(value=number)),
            )
        )
    return tuple(tests)


def _exact(wanted: str) -> Test:
    folded = fold(wanted)
    if not folded:
        message = "expect.answer.exact is empty after folding"
        raise ConfigError(message, "an empty expectation would never tell a good answer from a bad one")

    def test(answer: str) -> str:
        if fold(answer) == folded:
            return ""
        return f"expected the answer {show_value(wanted)}, got {show_value(answer)}"

    return test


def _contains(wanted: str | tuple[str, ...] | AllAny) -> Test:
    if isinstance(wanted, AllAny):
        every, some = wanted.all, wanted.any
    else:
        every, some = (wanted,) if isinstance(wanted, str) else wanted, ()
    if not all(fold(text) for text in (*every, *some)):
        message = "expect.answer.contains holds an empty string, which is in every answer"
        raise ConfigError(message, "remove it, or write what the answer must contain")

    def test(answer: str) -> str:
        folded = fold(answer)
        missing = [text for text in every if fold(text) not in folded]
        if missing:
            return (
                f"expected the answer to contain {listed(map(show_value, missing))}, got {show_value(answer)}"
            )
        if some and not any(fold(text) in folded for text in some):
            return f"expected the answer to contain one of {listed(map(show_value, some))}, got {show_value(answer)}"
        return ""

    return test


def _regex(source: str) -> Test:
    pattern = compile_pattern(source)

    def test(answer: str) -> str:
        try:
            if pattern.found_in(answer):
                return ""
        except TimeoutError:
            return f"/{clip(source)}/ takes more than a second on {show_value(answer)}: simplify the pattern"
        return f"expected the answer to match /{clip(source)}/, got {show_value(answer)}"

    return test


def _json(expectation: JsonExpectation) -> Test:
    how = Comparison(subset=not expectation.exact, tolerance=expectation.tolerance)
    wanted = cast("JsonValue", expectation.value)

    def test(answer: str) -> str:
        try:
            value = json_in(answer)
        except ValueError as error:
            return f"expected JSON in the answer: {clip(str(error))}; got {show_value(answer)}"
        difference = how.first_difference(wanted, value)
        return f"answer.json: {difference}" if difference else ""

    return test


_FENCE = re.compile(r"```(?:json|JSON)?[ \t]{0,20}\n(.*?)\n[ \t]{0,20}```", re.DOTALL)


def json_in(answer: str) -> JsonValue:
    """The JSON value of an answer: the whole text, a fenced block, or from the first brace or bracket on.

    Raises ValueError (and nothing else) when there is none, or it is too long, too deep, has NaN or duplicate keys.
    """
    if len(answer) > JSON_LIMIT:
        message = f"longer than {JSON_LIMIT} characters"
        raise ValueError(message)
    text = answer.strip()
    fenced = _FENCE.search(text)
    starts = [index for index in (text.find("{"), text.find("[")) if index >= 0]
    attempts = [text, fenced[1] if fenced else None, text[min(starts) :] if starts else None]
    problem = "no JSON value found"
    for attempt in attempts:
        if not attempt:
            continue
        try:
            value, end = _DECODER.raw_decode(attempt)
        except (ValueError, RecursionError) as error:
            problem = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            continue
        if attempt is text and attempt[end:].strip():
            # Prose that merely begins like JSON ("12 items …").
            problem = f"text after the JSON value at character {end}"
            continue
        parsed = cast("JsonValue", value)
        if depth_within(parsed, JSON_DEPTH):
            return parsed
        problem = f"nested more than {JSON_DEPTH} deep"
    raise ValueError(problem)


def _pairs(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) < len(pairs):
        message = "an object has a key twice"
        raise ValueError(message)
    return found


def _constant(name: str) -> JsonValue:
    message = f"{name} is not JSON"
    raise ValueError(message)


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)


def _number(expectation: NumberExpectation) -> Test:
    unit = unit_name(expectation.unit) if expectation.unit is not None else None
    shown = f"{expectation.value:g}"
    if expectation.tolerance:
        shown += f" ± {expectation.tolerance:g}"
    if expectation.unit is not None:
        shown += f" {clip(expectation.unit, 20)}"

    def test(answer: str) -> str:
        seen: list[str] = []
        for readings in readings_in(answer):
            for quantity in readings:
                fits = within(expectation.value, quantity.value, expectation.tolerance)
                if fits and (unit is None or unit in quantity.units):
                    return ""
            seen.append(readings[0].text)
        got = f"the numbers {listed(seen)}" if seen else "no number"
        return f"expected {shown} in the answer, got {got} in {show_value(answer[:TEXT_LIMIT])}"

    return test
