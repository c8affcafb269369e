"""Tokens and money as agents report them: gatebot's own names, and the raw usage of two model APIs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final

from gatebot.model.json_value import JsonValue, is_object
from gatebot.model.trajectory import Trajectory, Usage

_MOST: Final = 2**53
_CACHE_PARTS: Final = ("cache_read_input_tokens", "cache_creation_input_tokens")


def read_usage(value: JsonValue) -> Usage:
    """A `usage` object: input_tokens, output_tokens, cached_input_tokens, cost_usd, responses; null = unknown.

    `prompt_tokens` and `completion_tokens` (OpenAI) are taken for input and output. Where input is reported
    without what the cache served (Anthropic's `cache_*_input_tokens` beside it), that is added, because
    `input_tokens` includes it. Raises ValueError with the reason.
    """
    if not is_object(value):
        message = "usage is no JSON object"
        raise ValueError(message)
    inputs = _count(value, "input_tokens", "prompt_tokens")
    cached = _count(value, "cached_input_tokens")
    parts = [_count(value, name) for name in _CACHE_PARTS]
    if cached is None and any(part is not None for part in parts):
        inputs = (inputs or 0) + sum(part or 0 for part in parts)
        cached = parts[0]
    return Usage(
        input_tokens=inputs,
        output_tokens=_count(value, "output_tokens", "completion_tokens"),
        cached_input_tokens=cached,
        cost_usd=_money(value),
        responses=_count(value, "responses"),
    )


def usage_of_messages(trajectory: Trajectory | None) -> Usage:
    """The sum over the messages that carry usage; all unknown when none does."""
    reported = [message.usage for message in (trajectory.messages if trajectory else ()) if message.usage]
    if not reported:
        return Usage()
    return _sum(reported, all_must_know=False)


def usage_of_turns(turns: Iterable[Usage]) -> Usage:
    """The sum over a trial's turns; a figure that one turn leaves unknown is unknown for the trial."""
    return _sum(list(turns), all_must_know=True)


def _sum(parts: list[Usage], *, all_must_know: bool) -> Usage:
    def total(figures: list[int | None]) -> int | None:
        known = [figure for figure in figures if figure is not None]
        return sum(known) if known and (len(known) == len(parts) or not all_must_know) else None

    costs = [part.cost_usd for part in parts if part.cost_usd is not None]
    return Usage(
        input_tokens=total([part.input_tokens for part in parts]),
        output_tokens=total([part.output_tokens for part in parts]),
        cached_input_tokens=total([part.cached_input_tokens for part in parts]),
        cost_usd=math.fsum(costs) if costs and (len(costs) == len(parts) or not all_must_know) else None,
        responses=total([part.responses for part in parts]),
    )


def _count(usage: Mapping[str, JsonValue], *names: str) -> int | None:
    """The first of the names that is there, as a whole number from 0 up."""
    for name in names:
        value = usage.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not _is_whole(value):
            message = f"usage.{name} is no whole number from 0 to 2**53"
            raise ValueError(message)
        return int(value)
    return None


def _is_whole(value: float) -> bool:
    return 0 <= value <= _MOST and value == math.floor(value)


def _money(usage: Mapping[str, JsonValue]) -> float | None:
    value = usage.get("cost_usd")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
        message = "usage.cost_usd is no amount of dollars"
        raise ValueError(message)
    return float(value)
