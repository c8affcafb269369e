"""Text made comparable: NFC, case folded, runs of space as one space."""

from __future__ import annotations

import unicodedata


def fold(text: str) -> str:
    """The text in NFC, case folded, trimmed, every run of white space one space."""
    folded = text.casefold() if text.isascii() else unicodedata.normalize("NFC", text).casefold()
    joined = " ".join(folded.split())
    return joined if joined.isascii() else unicodedata.normalize("NFC", joined)
