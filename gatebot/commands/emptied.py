"""Whether a pull request empties the suite: what it leaves of the cases that gate, by its own configuration."""

from __future__ import annotations

import datetime
from collections.abc import Collection

from gatebot.commands.suite_at import case_ids
from gatebot.render.numbers import count
from gatebot.suite.loaded import ConfigFile
from gatebot.suite.source import FileSource


def emptied_suite(
    gating: Collection[str],
    left: Collection[str],
    head: FileSource,
    policy: ConfigFile,
    own: ConfigFile | None,
    today: datetime.date,
) -> str:
    """Why the head cannot pass, or "": it has no configuration, or fewer than half of the `gating` cases would gate.

    `left` are the ids of the head's cases by the policy's globs. Its own configuration counts where it names others or
    puts them in quarantine, since merging it is what is asked for. Raises ConfigError for cases that do not load.
    """
    path = policy.document.path
    if own is None:
        return f"this pull request removes {path}: once it is merged, nothing is gated"
    if own.config.cases != policy.config.cases:
        left = case_ids(head, head, path)
    away = {entry.case for entry in own.config.quarantine if entry.until >= today}
    kept = len((set(gating) & set(left)) - away)
    if kept * 2 >= len(gating):
        return ""
    return (
        f"this pull request leaves {kept or 'none'} of the {count(len(gating), 'case')} that gate: "
        "removed, moved to another id or put in quarantine"
    )
