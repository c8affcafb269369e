"""Conditional requests: what was read before is asked for again by its ETag, which costs nothing of the rate limit.

Nothing is believed for longer than one answer: each read is a request, and GitHub says whether what we know still holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from gatebot.model.json_value import JsonValue

Asked: TypeAlias = tuple[str | tuple[str, str], ...]
"""A read by its address and query."""

NOT_MODIFIED = 304
MAX_KNOWN = 200


class Known:
    """The newest answers of reads that came with an ETag, at most `MAX_KNOWN` of them."""

    def __init__(self) -> None:
        self._held: dict[Asked, tuple[Mapping[str, str], JsonValue]] = {}

    def condition(self, asked: Asked | None) -> dict[str, str]:
        """The headers that make a read conditional; none for a write (None) and for what is not known."""
        held = self._held.get(asked) if asked is not None else None
        return {} if held is None else {"If-None-Match": held[0]["etag"]}

    def held(self, asked: Asked | None) -> tuple[Mapping[str, str], JsonValue]:
        """What is known of a read that was answered "not modified". Raises ValueError when nothing is."""
        found = self._held.get(asked) if asked is not None else None
        if found is None:
            raise ValueError("not modified, and nothing is known")
        return found

    def learn(self, asked: Asked | None, headers: Mapping[str, str], data: JsonValue) -> None:
        """Keep the answer of a read that came with an ETag; anything known of it before is forgotten."""
        if asked is None:
            return
        self._held.pop(asked, None)
        if headers.get("etag") and data is not None and len(self._held) < MAX_KNOWN:
            self._held[asked] = (headers, data)
