"""What models cost, as people write it in gatebot.yaml."""

from __future__ import annotations

from pydantic import Field

from gatebot.model.written import Written


class Price(Written):
    """What a model costs, in US dollars per million tokens."""

    input: float = Field(ge=0, description="Input tokens that were not cached.")
    output: float = Field(ge=0, description="Output tokens.")
    cached: float | None = Field(
        default=None, ge=0, description="Input tokens served from the cache; default: as `input`."
    )
