"""Words of a file inside words of ours: what a terminal or a log could take for a command is shown, not obeyed."""

LONGEST = 500


def printable(text: str) -> str:
    """`text` on one line of at most 500 characters, with everything unprintable as an escape."""
    shown = text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"
