"""How GitHub's runner reads a job's output: which lines it obeys (`::name::` at a line's start, `##[name]` anywhere)."""

from __future__ import annotations

import re

_NEW = re.compile(r"^\s*::([A-Za-z-]+)(?: [^:]*(?:(?!::).)*)?::(.*)$", re.DOTALL)
_OLD = re.compile(r"##\[([A-Za-z-]+)[^\]]*\]")
_LINE_ENDS = re.compile(r"\r\n|\n|\r|\x0b|\x0c|\x1c|\x1d|\x1e|\x85|\u2028|\u2029")
"""More than the runner splits at: what is harmless here is harmless there."""


def commands(log: str) -> list[tuple[str, str]]:
    """(command, the line) of every line that a runner would obey."""
    found: list[tuple[str, str]] = []
    for line in _LINE_ENDS.split(log):
        new = _NEW.match(line)
        if new:
            found.append((new.group(1), line))
        found += [(old.group(1), line) for old in _OLD.finditer(line)]
    return found
