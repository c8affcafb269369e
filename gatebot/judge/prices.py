"""What judging costs: a table of prices, the tokens an answer names, and a ledger with an upper bound."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import orjson

from gatebot.judge.answer import Spent
from gatebot.model.json_value import JsonObject
from gatebot.model.judge import ModelPrice

_TABLE: tuple[tuple[str, float, float], ...] = (
    ("claude-opus-4-1", 15.0, 75.0),
    ("claude-opus", 5.0, 25.0),
    ("claude-sonnet", 3.0, 15.0),
    ("claude-haiku", 1.0, 5.0),
)
"""Beginning of the model's name → US dollars per million tokens read and written; the first that fits counts."""
CACHE_WRITE, CACHE_READ, BATCH = 1.25, 0.10, 0.50
CHARACTERS_PER_TOKEN = 3.0
"""Deliberately low: JSON has more tokens than prose, and an estimate should not be too small."""
EXPECTED_OUTPUT = 400


def price_of(model: str, prices: Mapping[str, ModelPrice]) -> ModelPrice | None:
    """The price of a model: the configuration's, else the table's, else None."""
    if model in prices:
        return prices[model]
    found = next(((read, written) for name, read, written in _TABLE if model.startswith(name)), None)
    return None if found is None else ModelPrice(input=found[0], output=found[1])


def cost_of(spent: Spent, price: ModelPrice | None, *, batch: bool = False) -> float | None:
    """US dollars of one answer; None when no price is known."""
    if price is None:
        return None
    read = spent.input + CACHE_WRITE * spent.written + CACHE_READ * spent.read
    whole = (read * price.input + spent.output * price.output) / 1e6
    return whole * BATCH if batch else whole


def estimate_of(body: JsonObject, price: ModelPrice | None) -> float | None:
    """US dollars one request will cost at about the usual length of an answer; None when no price is known."""
    tokens = len(orjson.dumps(body)) / CHARACTERS_PER_TOKEN
    return cost_of(Spent(input=int(tokens), output=EXPECTED_OUTPUT), price)


@dataclass(slots=True)
class _Sum:
    """Exact, so that the sum does not depend on which thread books first."""

    exact: Fraction = field(default_factory=Fraction)
    unpriced: int = 0


class Ledger:
    """Counts what is spent, and says when the next request would exceed the bound. Threads may share one."""

    def __init__(self, bound: float | None) -> None:
        self._bound = bound
        self._sum = _Sum()
        self._reserved = 0.0
        self._lock = threading.Lock()

    def reserve(self, estimate: float | None) -> bool:
        """Whether a request of that estimate fits; its money is set aside until `book`."""
        with self._lock:
            wanted = float(self._sum.exact) + self._reserved + (estimate or 0.0)
            if self._bound is not None and wanted > self._bound:
                return False
            self._reserved += estimate or 0.0
            return True

    def book(self, estimate: float | None, cost: float | None) -> None:
        """Replace what was set aside by what it cost (None: unknown)."""
        with self._lock:
            self._reserved -= estimate or 0.0
            self._sum.exact += Fraction(cost or 0.0)
            self._sum.unpriced += cost is None

    @property
    def usd(self) -> float | None:
        """Dollars spent; None when a request had no known price."""
        return None if self._sum.unpriced else float(self._sum.exact)
