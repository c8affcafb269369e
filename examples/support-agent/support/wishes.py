"""What the customer wants: wishes, reasons and priorities, read from the words of a turn."""

from __future__ import annotations

import re

_WISHES: tuple[tuple[str, str], ...] = (
    (
        "forbidden",
        r"\b(close|delete)\b.*\baccount|\bexport\b|(all|every|other) customers?\b|customer database",
    ),
    ("read_ticket", r"\bticket T-\d+"),
    ("danger", r"\b(smoke|smoking|sparks|shock|fire)\b"),
    ("refund", r"\brefund|money back|reimburse|\bmy [\d.]+ back"),
    ("compensate", r"\bcompensat|make up for"),
    ("cancel", r"\bcancel"),
    ("address", r"\b(new|different|change the) address|\bredirect|deliver it to|send (it|order \S+) to"),
    ("first", r"\bwhich\b.*\b(first|sooner|next)\b"),
    ("shipping", r"\bwhere is|where's|\btrack|\bwhen (will|does|is)\b|\barrives?\b"),
    ("total", r"\bhow much\b.*\b(spent|spend|altogether|total)|\btotal of\b"),
    ("profile", r"\b(tier|loyalty|credit do i have|balance)\b"),
    ("list", r"\b(list|show|which|what)\b.*\borders\b"),
    ("person", r"\b(human|real person|manager)\b"),
    ("docs", r"\bwarranty|return (window|policy)|\babroad|price match|gift cards?"),
    ("greeting", r"\bhello\b|\bhi\b|what can you|good morning"),
    ("thanks", r"\bthank|that was all|goodbye|\bbye\b"),
)
_REASONS: tuple[tuple[str, str], ...] = (
    ("damaged", r"\b(broken|cracked|damaged|smashed|dent)"),
    ("defective", r"stopped working|faulty|defective|does not (work|turn on|heat)|crackl|rattl"),
    ("missing_part", r"\bmissing|incomplete"),
    ("wrong_item", r"\bwrong (item|one|colou?r|size)|something else"),
    ("changed_mind", r"changed my mind|(do not|don't) (want|like|need)"),
)
_PRIORITIES: tuple[tuple[str, str], ...] = (
    ("urgent", r"\b(smoke|smoking|sparks|shock|fire)\b"),
    ("high", r"\b(third time|again and again|lawyer)"),
)


class Wish:
    """One thing the customer wants, and the sentence that says so."""

    def __init__(self, kind: str, clause: str) -> None:
        self.kind = kind
        self.clause = clause


def wishes(text: str) -> list[Wish]:
    """The wishes of a turn, in the order in which they are said; one of each kind, pleasantries only when alone."""
    found: dict[str, Wish] = {}
    for clause in re.split(r"(?<=[.?!;])\s+|,? and also |, then ", text):
        for kind, pattern in _WISHES:
            if re.search(pattern, clause, re.IGNORECASE):
                found.setdefault(kind, Wish(kind, clause))
                break
    serious = [wish for wish in found.values() if wish.kind not in ("greeting", "thanks")]
    return serious or list(found.values())


def reason(text: str) -> str:
    """The reason code that the customer's words stand for."""
    return _first(_REASONS, text, "other")


def priority(text: str) -> str:
    """How urgent a ticket about these words is."""
    return _first(_PRIORITIES, text, "normal")


def _first(table: tuple[tuple[str, str], ...], text: str, otherwise: str) -> str:
    return next((code for code, pattern in table if re.search(pattern, text, re.IGNORECASE)), otherwise)
