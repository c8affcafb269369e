"""Slots as a person writes them."""

from __future__ import annotations

import pytest

from gatebot.commands.compare import MOST_SLOTS, parse_slots
from gatebot.errors import UsageError


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        (None, None),
        ("3", range(3, 4)),
        ("0-3", range(4)),
        ("7-7", range(7, 8)),
        (f"1-{MOST_SLOTS}", range(1, MOST_SLOTS + 1)),
    ],
)
def test_slots(text: str | None, slots: range | None) -> None:
    assert parse_slots(text) == slots


@pytest.mark.parametrize(
    "text", ["", "-", "a", "1-", "-1", "1-a", "1..3", "3-1", "1-2-3", " 1", f"0-{MOST_SLOTS}", "9" * 13]
)
def test_what_is_no_range_of_slots(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_slots(text)
    assert caught.value.hint
