"""Whether the facts of an answer come from somewhere: tool results, or what the user said."""

from __future__ import annotations

import re
from collections.abc import Iterator

import orjson

from gatebot.graders.folding import fold
from gatebot.graders.numerals import numbers_in
from gatebot.graders.steps import Steps
from gatebot.graders.wording import listed, show_value
from gatebot.model.score import FULL, Score
from gatebot.model.suite import Case

FACTS_LIMIT = 200
ANSWER_LIMIT = 50_000
EVIDENCE_LIMIT = 2_000_000

_URL = re.compile(r"https?://[^\s<>\"'\])}]{1,500}")
_ID = re.compile(r"(?<![\w-])(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[A-Za-z])[\w][\w-]{1,60}[\w](?![\w-])")
_QUOTE = re.compile(r"[\"\u201c]([^\"\u201c\u201d\n]{3,200})[\"\u201d]")
_ORDINAL_OR_UNIT = re.compile(r"\d{1,4}(?:st|nd|rd|th|am|pm|k|m|kg|km|gb|mb|ms|min|h|x)", re.IGNORECASE)


def case_text(case: Case) -> str:
    """What the agent was told: turns, history and context."""
    said = [*case.turns, *(turn.content for turn in case.history)]
    if case.context:
        said.append(orjson.dumps(case.context, default=str).decode())
    return "\n".join(said)


def grounded(told: str, steps: Steps, answer: str) -> Score:
    """Share of the answer's URLs, ids, quotes and numbers that occur in a tool result or in what was told.

    Single digits without a unit are left out (they count things). Nothing checkable = ungraded by the case's design;
    calls whose results were not recorded and unexplained facts = ungraded.
    """
    facts = list(dict.fromkeys(_facts(answer[:ANSWER_LIMIT])))[:FACTS_LIMIT]
    if not facts:
        return Score(None, "the answer states no id, number, URL or quote", by_design=True)
    results = [call.result for call in steps.calls if call.result is not None]
    evidence, told = fold("\n".join(results)[:EVIDENCE_LIMIT]), fold(told)
    values: set[float] | None = None
    missing: list[str] = []
    for fact, number in facts:
        if _occurs(fact, evidence) or _occurs(fact, told):
            continue
        if number is not None:
            if values is None:
                values = {quantity.value for text in (evidence, told) for quantity in numbers_in(text)}
            if number in values:
                continue
        missing.append(fact)
    if not missing:
        return FULL
    if len(results) < len(steps.calls):
        return Score(
            None, f"not every tool result was recorded, so {show_value(missing[0])} may come from one"
        )
    reason = (
        f"expected in a tool result or the input, got only in the answer: {listed(map(show_value, missing))}"
    )
    return Score(1.0 - len(missing) / len(facts), reason)


def _facts(answer: str) -> Iterator[tuple[str, float | None]]:
    """(folded text, value if it is a number) of every checkable fact; each part of the answer gives one fact."""

    def blank(match: re.Match[str]) -> str:
        return " " * len(match[0])

    for match in _URL.finditer(answer):
        yield fold(match[0].rstrip(".,;:!?")), None
    rest = _URL.sub(blank, answer)
    for match in _QUOTE.finditer(rest):
        yield fold(match[1]), None
    rest = _QUOTE.sub(blank, rest)
    for match in _ID.finditer(rest):
        if not _ORDINAL_OR_UNIT.fullmatch(match[0]):
            yield fold(match[0]), None
    rest = _ID.sub(lambda m: m[0] if _ORDINAL_OR_UNIT.fullmatch(m[0]) else blank(m), rest)
    for quantity in numbers_in(rest):
        trivial = (
            abs(quantity.value) < 10
            and quantity.value.is_integer()
            and not {"%", "$", "€", "£", "¥"} & set(quantity.units)
        )
        if not trivial:
            yield fold(quantity.text.lstrip("$€£¥+")), quantity.value


def _occurs(fact: str, text: str) -> bool:
    """Whether the fact occurs in the text on its own, not inside a longer word or number."""
    at = text.find(fact)
    while at >= 0:
        end = at + len(fact)
        before = at == 0 or not (text[at - 1].isalnum() and fact[0].isalnum())
        after = end == len(text) or not (text[end].isalnum() and fact[-1].isalnum())
        if before and after:
            return True
        at = text.find(fact, at + 1)
    return False
