"""Numbers in prose: 1,000 is 1000, 1k is 1000, with the unit that stands beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TEXT_LIMIT = 200_000
NUMBERS_LIMIT = 10_000

# A sign counts only where no letter or digit stands before it; a number does not begin inside a word or another
# number. Thousands are grouped by commas or by the narrow spaces that typographers use.
_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>[-+\u2212](?=[$€£¥\dUCA]))?(?P<before>(?:(?:US|CA|AU)?[$€£¥]|USD|EUR|GBP|JPY|CHF)\s?)?"
    r"(?P<digits>\d{1,3}(?:[,\u00a0\u202f\u2009]\d{3})+(?!\d)|\d{1,309})(?P<fraction>\.\d{1,300})?"
    r"(?P<exponent>[eE][-+]?\d{1,3}(?![\w]))?"
    r"(?P<scale>k|K|m|M|bn|B|million\b|billion\b|thousand\b)?(?![\d])"
)
_UNIT_AFTER = re.compile(r"\s{0,2}(?P<unit>%|[$€£¥°]|[^\W\d_]{1,20}(?:/[^\W\d_]{1,10})?)")
_SCALES = {"k": 1e3, "m": 1e6, "bn": 1e9, "b": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_SPOKEN_SCALE = re.compile(r"\s(?P<scale>thousand|million|billion)\b", re.IGNORECASE)
_SAME_UNITS = {
    "usd": "$", "us$": "$", "dollar": "$", "dollars": "$", "eur": "€", "euro": "€", "euros": "€", "gbp": "£", "pound": "£",
    "pounds": "£", "jpy": "¥", "yen": "¥", "percent": "%", "pct": "%", "per cent": "%",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as one may read it, the units that stand beside it (folded), and its text."""

    value: float
    units: tuple[str, ...]
    text: str
    start: int


def unit_name(unit: str) -> str:
    """One name per unit: `USD`, `dollars` and `$` are `$`, `percent` is `%`, a plural is its singular."""
    folded = unit.strip().casefold()
    folded = _SAME_UNITS.get(folded, folded)
    return folded[:-1] if len(folded) > 3 and folded.endswith("s") and not folded.endswith("ss") else folded


def numbers_in(text: str) -> list[Quantity]:
    """The numbers in the text's first 200,000 characters, at most 10,000, in order.

    Each as it is read first: a scale glued to the number (1k, 2M) belongs to the number.
    """
    return [readings[0] for readings in readings_in(text)]


def readings_in(text: str) -> Iterator[list[Quantity]]:
    """For each number its readings: with its scale, and, since `5m` may be five metres, with that letter as unit."""
    bounded = text[:TEXT_LIMIT]
    for count, found in enumerate(_NUMBER.finditer(bounded)):
        if count >= NUMBERS_LIMIT:
            return
        yield list(_readings(bounded, found))


def _readings(text: str, found: re.Match[str]) -> Iterator[Quantity]:
    sign = -1.0 if found["sign"] in ("-", "\u2212") else 1.0
    digits = re.sub(r"[,\u00a0\u202f\u2009]", "", found["digits"])
    number = sign * float(digits + (found["fraction"] or "") + (found["exponent"] or ""))
    before = (unit_name(found["before"]),) if found["before"] else ()
    scale, end = found["scale"], found.end()
    glued = scale is not None and (end == len(text) or not (text[end].isalnum() or text[end] == "_"))
    spoken = _SPOKEN_SCALE.match(text, end) if scale is None else None
    if scale is not None and glued:
        yield _quantity(number * _SCALES[scale.lower()], before, text, (found.start(), end))
        yield Quantity(number, (*before, unit_name(scale)), found[0], found.start())
    elif spoken is not None:
        yield _quantity(
            number * _SCALES[spoken["scale"].lower()], before, text, (found.start(), spoken.end())
        )
    else:
        # `30kg`: what looked like a scale is the beginning of the unit.
        stop = end if scale is None else end - len(scale)
        yield _quantity(number, before, text, (found.start(), stop))


def _quantity(value: float, before: tuple[str, ...], text: str, span: tuple[int, int]) -> Quantity:
    after = _UNIT_AFTER.match(text, span[1])
    units = (*before, unit_name(after["unit"])) if after else before
    return Quantity(value, units, text[span[0] : span[1]], span[0])
