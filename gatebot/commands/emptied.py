"""Whether a pull request empties the suite: what it keeps of the cases that gate, by its own configuration."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from gatebot.commands.suite_at import cases_at
from gatebot.model.config import TrajectoryDefault
from gatebot.model.suite import Case
from gatebot.render.numbers import count
from gatebot.suite.loaded import ConfigFile
from gatebot.suite.snapshot import case_grading_digest, case_run_digest
from gatebot.suite.source import FileSource

SMALL: Final = 4
"""A suite of fewer cases is still being begun: its cases may all give way to others."""


def emptied_suite(
    gating: Sequence[Case],
    left: Sequence[Case],
    head: FileSource,
    policy: ConfigFile,
    own: ConfigFile | None,
    today: datetime.date,
) -> str:
    """Why the head cannot pass, or "": it has no configuration, or fewer than half of the `gating` cases would gate.

    `left` are the head's cases by the policy's globs. Its own configuration counts where it names others or puts them
    in quarantine, since merging it is what is asked for. A case under another id that is otherwise the same is kept.
    Raises ConfigError for cases that do not load.
    """
    path = policy.document.path
    if own is None:
        return f"this pull request removes {path}: once it is merged, nothing is gated"
    if own.config.cases != policy.config.cases:
        left = cases_at(head, own)
    away = {entry.case for entry in own.config.quarantine if entry.until >= today}
    left = [case for case in left if case.id not in away]
    kept = _kept(gating, left, policy.config.trajectory)
    if kept * 2 >= len(gating) or (len(gating) < SMALL and left):
        return ""
    how = "removed, moved to another id or put in quarantine"
    if len(gating) == 1:
        return f"this pull request keeps no case that gates: {how}"
    return f"this pull request keeps {kept or 'none'} of the {count(len(gating), 'case')} that gate: {how}"


def _kept(gating: Sequence[Case], left: Sequence[Case], default: TrajectoryDefault) -> int:
    ids = {case.id for case in left}
    same = {_content(case, default) for case in left}
    return sum(case.id in ids or _content(case, default) in same for case in gating)


def _content(case: Case, default: TrajectoryDefault) -> tuple[str, str]:
    """What a case asks and expects, whatever it is called."""
    nameless = replace(case, id="")
    return case_run_digest(nameless), case_grading_digest(nameless, default)
