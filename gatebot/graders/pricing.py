"""What a trial cost where its agent reports tokens and no money: the user's own table, and never a guess."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from gatebot.model.price import Price
from gatebot.model.trajectory import Usage
from gatebot.model.trial import Trial

_PER_TOKENS: Final = 1_000_000


def priced(trial: Trial, prices: Mapping[str, Price]) -> Trial:
    """The trial with `usage.cost_usd` from the table; as it is when the agent said what it cost.

    An unknown price is unknown, not 0: no model named, one that is not in the table, several of different prices, or
    a token count that is missing.
    """
    if not prices or trial.usage.cost_usd is not None:
        return trial
    found = [prices.get(model) for model in trial.trajectory.models]
    price = found[0] if found and all(one == found[0] for one in found) else None
    usage = _tokens(trial)
    if price is None or usage is None:
        return trial
    return replace(trial, usage=replace(trial.usage, cost_usd=cost(usage, price)))


def cost(usage: Usage, price: Price) -> float | None:
    """US dollars, or None when input or output tokens are unknown. Cached input is part of the input."""
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = min(usage.cached_input_tokens or 0, usage.input_tokens)
    cheap = price.input if price.cached is None else price.cached
    parts = (
        (usage.input_tokens - cached) * price.input,
        cached * cheap,
        usage.output_tokens * price.output,
    )
    return math.fsum(parts) / _PER_TOKENS


def _tokens(trial: Trial) -> Usage | None:
    """Tokens of the whole trial, else the sum over its responses if every one of them says its own."""
    if trial.usage.input_tokens is not None and trial.usage.output_tokens is not None:
        return trial.usage
    responses = [message.usage for message in trial.trajectory.turns()]
    known = [usage for usage in responses if usage is not None]
    if not known or len(known) < len(responses):
        return None
    if any(usage.input_tokens is None or usage.output_tokens is None for usage in known):
        return None
    return Usage(
        input_tokens=sum(usage.input_tokens or 0 for usage in known),
        output_tokens=sum(usage.output_tokens or 0 for usage in known),
        cached_input_tokens=sum(usage.cached_input_tokens or 0 for usage in known),
    )
