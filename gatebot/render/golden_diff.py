"""What accepting would change, as lines for a terminal."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from gatebot.model.acceptance import CaseCandidate, Undecided
from gatebot.model.publication import FileChange
from gatebot.render.visible import visible

MAX_DIFF_LINES = 400


def diff_lines(changes: Iterable[FileChange]) -> Iterator[str]:
    """The changes as a unified diff, three lines of context, each line made visible; cut after 400 lines a file."""
    for change in changes:
        before, after = (
            side.decode("utf-8", "replace").splitlines() for side in (change.before, change.after)
        )
        name = visible(change.path)
        lines = list(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}", lineterm=""))
        yield from (visible(line, 1000) for line in lines[:MAX_DIFF_LINES])
        if len(lines) > MAX_DIFF_LINES:
            yield f"… {len(lines) - MAX_DIFF_LINES:,} more lines"


def agreement_lines(cases: Iterable[CaseCandidate], undecided: Iterable[Undecided]) -> Iterator[str]:
    """How many head trials showed what is accepted, what it does not cure, and what has no candidate."""
    for case in cases:
        doubt = f"; still fails: {visible(case.still_fails, 300)}" if case.still_fails else ""
        yield f"{visible(case.case)}: {case.took} of {case.of} trials of the head behave so{doubt}"
    for one in undecided:
        yield f"{visible(one.case)}: nothing to accept: {visible(one.reason, 300)}"
