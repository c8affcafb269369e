"""Untrusted text made visible: what the eye cannot see, or a terminal or CI log would obey, is spelled out."""

from __future__ import annotations

import re
import unicodedata

DEFAULT_LIMIT = 200
MAX_MARKS = 4
"""Combining marks kept in a row; some scripts need three, floods have hundreds."""

_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u2800\u3164\uffa0")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp", "Zs"})
_SPELLED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_COMMAND = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
_OLD_COMMAND = re.compile(r"##(?=\[)")


def clip(text: str, limit: int = DEFAULT_LIMIT) -> str:
    """The text, or its first `limit` characters and a note that says how many more there are."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit:,} more characters)"


def visible(text: str, limit: int = DEFAULT_LIMIT) -> str:
    r"""One line of untrusted text with nothing hidden in it.

    Line ends and tabs become `\n`, `\r`, `\t`; control, bidirectional, zero-width, tag, private-use and surrogate
    characters and unusual blanks become `\u{hex}`; combining marks are bounded; the start of a workflow command
    is broken. `limit` bounds the characters taken from the text.
    """
    return _spell(clip(text, limit), keep="")


def visible_block(text: str, limit: int = 20_000) -> str:
    """Like `visible`, but line ends stay (CR and CRLF become LF) and so do tabs."""
    lines = clip(text, limit).replace("\r\n", "\n").replace("\r", "\n")
    return _spell(lines, keep="\n\t")


def _spell(text: str, keep: str) -> str:
    if not (text.isascii() and text.isprintable()):
        text = "".join(_bound_marks([_character(char, keep) for char in text]))
    return _OLD_COMMAND.sub(r"#\\u{23}", _COMMAND.sub(r"\1\\u{3a}", text))


def _character(char: str, keep: str) -> str:
    if char == " " or char in keep:
        return char
    if char in _SPELLED:
        return _SPELLED[char]
    point = ord(char)
    ignorable = 0xE0000 <= point <= 0xE0FFF or 0xFFF0 <= point <= 0xFFF8 or point & 0xFFFE == 0xFFFE
    hidden = ignorable or char in _BLANK_LETTERS or unicodedata.category(char) in _HIDDEN_CATEGORIES
    return f"\\u{{{point:x}}}" if hidden and char != "\u3000" else char


def _bound_marks(pieces: list[str]) -> list[str]:
    """Cut runs of combining marks after `MAX_MARKS`, saying how many were left out."""
    bounded: list[str] = []
    run = 0
    for piece in pieces:
        is_mark = len(piece) == 1 and unicodedata.category(piece) in ("Mn", "Me")
        if not is_mark:
            if run > MAX_MARKS:
                bounded.append(f"\\u{{+{run - MAX_MARKS} marks}}")
            run = 0
            bounded.append(piece)
            continue
        run += 1
        if run <= MAX_MARKS:
            bounded.append(piece)
    if run > MAX_MARKS:
        bounded.append(f"\\u{{+{run - MAX_MARKS} marks}}")
    return bounded
