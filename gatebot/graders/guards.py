"""What two texts must agree in before their similarity says anything: dates, numbers, units, negation, names.

No similarity tells $30 from $300, or "booked" from "not booked".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from gatebot.graders.folding import fold
from gatebot.graders.numerals import numbers_in
from gatebot.graders.wording import listed, show_value

TEXT_LIMIT = 50_000

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})-(?P<number>\d{2})-(?P<day>\d{2})(?!\d)",
        r"\b" + _MONTH + r"\s(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,?\s(?P<year>\d{4}))?(?!\d)",
        r"(?<!\d)(?P<day>\d{1,2})(?:st|nd|rd|th)?\s(?:of\s)?" + _MONTH + r"(?:,?\s(?P<year>\d{4}))?(?!\d)",
    )
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|neither|nor|cannot|without|unable|impossible)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_SPOKEN = {
    "zero": 0, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
_SPOKEN_WORDS = re.compile(r"\b(?:" + "|".join(_SPOKEN) + r")\b", re.IGNORECASE)
_UNITS = frozenset((
    "$", "€", "£", "¥", "chf", "%", "°", "ms", "second", "min", "minute", "hr", "hour", "day", "night", "week", "month",
    "year", "mm", "cm", "km", "km/h", "mile", "mph", "lb", "kg", "kb", "mb", "gb", "tb", "bag", "item",
))  # fmt: skip


def disagreement(reference: str, answer: str, entities: Iterable[str] = ()) -> str:
    """The first guard that the answer breaks against the reference, as a clause; empty when they agree.

    Compared: the multisets of dates (a year only where both have one), of numbers with their units and currencies,
    whether the number of negations is odd, and that every entity occurs.
    """
    folded = fold(answer[:TEXT_LIMIT])
    missing = [name for name in entities if fold(name) not in folded]
    if missing:
        return f"entities: expected {listed(map(show_value, missing))}, got {show_value(answer)}"
    wanted_dates, wanted_text = _take_dates(reference[:TEXT_LIMIT])
    made_dates, made_text = _take_dates(answer[:TEXT_LIMIT])
    if len(wanted_dates) != len(made_dates) or not all(map(_same_date, wanted_dates, made_dates)):
        return f"dates: expected {_shown_dates(wanted_dates)}, got {_shown_dates(made_dates)}"
    wanted, made = _quantities(wanted_text), _quantities(made_text)
    if wanted != made:
        return f"numbers: expected {_shown(wanted - made)}, got {_shown(made - wanted)}"
    negations = [len(_NEGATION.findall(text)) for text in (wanted_text, made_text)]
    if negations[0] % 2 != negations[1] % 2:
        return f"negation: expected {negations[0]} negating words, got {negations[1]}"
    return ""


Date = tuple[int, int, str]


def _take_dates(text: str) -> tuple[list[Date], str]:
    """(month, day, year or "") of every date, sorted, and the text without them."""
    found: list[Date] = []

    def take(match: re.Match[str]) -> str:
        groups = match.groupdict()
        name = groups.get("month")
        month = _MONTHS.index(name[:3].lower()) + 1 if name else int(groups["number"])
        found.append((month, int(groups["day"]), groups["year"] or ""))
        return " "

    for pattern in _DATES:
        text = pattern.sub(take, text)
    return sorted(found), text


def _same_date(one: Date, other: Date) -> bool:
    return one[:2] == other[:2] and (one[2] == other[2] or not one[2] or not other[2])


def _quantities(text: str) -> Counter[tuple[float, str]]:
    """Every number with the known unit beside it, if any."""
    spelled = _SPOKEN_WORDS.sub(lambda match: str(_SPOKEN[match[0].lower()]), text)
    return Counter(
        (round(quantity.value, 9), next((unit for unit in quantity.units if unit in _UNITS), ""))
        for quantity in numbers_in(spelled)
    )


def _shown(quantities: Counter[tuple[float, str]]) -> str:
    return (
        listed(f"{value:g} {unit}".strip() for value, unit in sorted(quantities.elements()))
        or "no other number"
    )


def _shown_dates(dates: list[Date]) -> str:
    return listed(f"{year or '????'}-{month:02}-{day:02}" for month, day, year in dates) or "no date"
