"""The job's summary: the comment as people see it, without the hidden lines that find it again."""

from __future__ import annotations

MAX_PAGE_BYTES = 1_000_000
_HIDDEN = "<!-- gatebot:"


def visible_page(comment: str) -> str:
    """The comment without the hidden lines at its head."""
    lines = comment.split("\n")
    while lines and (lines[0].startswith(_HIDDEN) or not lines[0].strip()):
        lines.pop(0)
    return "\n".join(lines)
