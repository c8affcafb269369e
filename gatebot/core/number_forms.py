"""How a golden writes whole numbers: an agent's 900.0 is written 900, unless the case itself writes it 900.0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from gatebot.model.json_value import JsonValue, is_array, is_object
from gatebot.model.suite import Case

_EXACT: Final = 2.0**53
"""Beyond it a float stands for several integers, so that writing one would claim what is not known."""


def whole_floats(case: Case) -> frozenset[float]:
    """The whole numbers that the case's golden writes as floats, in arguments and states."""
    held: list[JsonValue] = []
    for reference in case.references:
        held.append(reference.state)
        for call in reference.calls or ():
            held += [call.arguments, *(arguments for _, arguments in call.alternatives)]
    return frozenset(_whole(held))


def as_written(value: JsonValue, floats: frozenset[float]) -> JsonValue:
    """The value with its whole floats as integers, those in `floats` left; equal to `value` for every comparison."""
    if is_object(value):
        return {key: as_written(item, floats) for key, item in value.items()}
    if is_array(value):
        return [as_written(item, floats) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT and value not in floats:
        return int(value)
    return value


def _whole(values: Iterable[JsonValue]) -> Iterator[float]:
    for value in values:
        if is_object(value):
            yield from _whole(value.values())
        elif is_array(value):
            yield from _whole(value)
        elif isinstance(value, float) and value.is_integer():
            yield value
