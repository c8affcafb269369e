"""Regular expressions in cases: they must compile, and compiling them must stay small.

A case may come from a pull request, and the `regex` library unrolls counted repeats: `((a{1000}){1000}){1000}` alone
would take all memory. How long a pattern takes on an agent's text is bounded where they meet: graders give it a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_UNROLLED = 5_000
MAX_NESTED = 20
_TOKEN = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{(\d*)(?:(,)(\d*))?\}|\(\?[a-zA-Z0-9]*[xV]|.", re.DOTALL
)


def pattern_fault(pattern: str) -> str | None:
    """What is wrong with `pattern` in Python's dialect, in words; None when it can be used."""
    try:
        _measure(pattern)
    except ValueError as error:
        return str(error)
    import regex

    try:
        regex.compile(pattern)
    except (regex.error, OverflowError, RecursionError, ValueError) as error:
        return f"not a regular expression: {error or type(error).__name__}"
    return None


def _tokens(pattern: str) -> Iterator[tuple[str, int | None]]:
    """(part, repeats): `repeats` is the larger bound of a counted quantifier, None for any other part."""
    for match in _TOKEN.finditer(pattern):
        low, comma, high = match.groups()
        counted = match[0].startswith("{") and (low or comma)
        yield match[0], int(high or low or 1) if counted else None


def _measure(pattern: str) -> None:
    """Raise ValueError when counted repeats unroll to too much or groups nest too deeply."""
    open_groups: list[int] = []
    size, last = 0, 0
    for part, repeats in _tokens(pattern):
        if repeats is not None:
            size += last * max(repeats - 1, 0)
            last *= max(repeats, 1)
        elif part.startswith("(?") and part[-1] in "xV":
            message = f"the flag {part[-1]} is not supported in patterns"
            raise ValueError(message)
        elif part == "(":
            open_groups.append(size)
            size = last = 0
        elif part == ")" and open_groups:
            last = size + 1
            size = open_groups.pop() + last
        elif part not in "?*+":
            last = 1
            size += 1
        if size > MAX_UNROLLED or len(open_groups) > MAX_NESTED:
            what = (
                "counted repeats amount to too much"
                if size > MAX_UNROLLED
                else "groups are nested too deeply"
            )
            raise ValueError(f"{what} for one pattern")
