"""What a person asks of an evaluation, as the command line hands it on."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """Where the suite is, which cases, where results go. `environment`: what names in `agent.env` are taken from.

    `config` is relative to `repo`. `cases` empty = all. `seeds` None = as configured. `today` (UTC) decides which
    quarantines are over.
    """

    repo: Path
    config: str
    out: Path
    today: datetime.date
    cases: tuple[str, ...] = ()
    seeds: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
