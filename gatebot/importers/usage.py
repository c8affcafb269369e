"""Token counts of one response in the words of each provider; what is not said stays unknown."""

from __future__ import annotations

from gatebot.importers.fields import count, first, inner, number, obj
from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import Usage

_OUTPUT_KEYS = (
    "output_tokens",
    "completion_tokens",
    "outputTokens",
    "candidatesTokenCount",
    "candidates_token_count",
)
_INPUT_KEYS = ("input_tokens", "prompt_tokens", "inputTokens", "promptTokenCount", "prompt_token_count")


def usage_of(value: JsonValue, *, cost_usd: float | None = None) -> Usage | None:
    """Usage in OpenAI's, LangChain's, Bedrock's or Gemini's words: input includes what came from the cache."""
    source = obj(value)
    input_tokens = count(first(source, *_INPUT_KEYS))
    output_tokens = count(first(source, *_OUTPUT_KEYS))
    if input_tokens is None and output_tokens is None and cost_usd is None:
        return None
    thoughts = count(first(source, "thoughtsTokenCount", "thoughts_token_count"))
    if thoughts is not None and output_tokens is not None:
        output_tokens += thoughts  # Gemini counts them beside the candidates, and bills them as output
    cached = first(
        source, "cached_tokens", "cachedContentTokenCount", "cached_content_token_count", "cache_read_tokens"
    )
    for details, key in (
        ("prompt_tokens_details", "cached_tokens"),
        ("input_tokens_details", "cached_tokens"),
        ("input_token_details", "cache_read"),
    ):
        cached = cached if cached is not None else inner(source, details).get(key)
    return Usage(input_tokens, output_tokens, count(cached), cost_usd, responses=1)


def anthropic_usage(value: JsonValue, *, cost_usd: float | None = None) -> Usage | None:
    """Usage in Anthropic's words: `input_tokens` leaves out what was read from and written to the cache."""
    source = obj(value)
    plain = count(source.get("input_tokens"))
    read = count(first(source, "cache_read_input_tokens", "cacheReadInputTokens"))
    written = count(first(source, "cache_creation_input_tokens", "cacheWriteInputTokens"))
    output_tokens = count(source.get("output_tokens"))
    if plain is None and output_tokens is None and cost_usd is None:
        return None
    input_tokens = None if plain is None else plain + (read or 0) + (written or 0)
    return Usage(input_tokens, output_tokens, read, cost_usd, responses=1)


def cost_of(value: JsonValue) -> float | None:
    """US dollars, or None for anything but a finite number from 0."""
    cost = number(value)
    return cost if cost is not None and cost >= 0 else None
