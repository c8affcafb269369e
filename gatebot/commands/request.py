"""What a person asks of an evaluation, as the command line hands it on."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gatebot.process.nursery import Nursery
from gatebot.runner.shard import Shard


def _nobody(text: str) -> None:
    del text


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """Where the suite is, which cases, where results go. `environment`: what names in `agent.env` are taken from.

    `config` is relative to `repo`. `cases` empty = all. `seeds` None = as configured. `today` (UTC) decides which
    quarantines are over. `cache`: where checkouts, environments and finished trials outlive the run; None = a
    place of this user's. `store`: where finished trials are, when not in the cache; without `reuse` none are taken
    from there or kept. `shard`: run this part of the trials alone. `unsafe`: agents may be started where they could
    reach what gatebot holds. `alpha_share`: this evaluation's part of the policy's alpha, in (0, 1], where several
    judge one head together. `replace_unfinished`: what another evaluation that has
    not ended left in `out` may be removed. `nursery`: where the launchers of agents come from, started or not. `tell` hears what a
    person should know and no report says.
    """

    repo: Path
    config: str
    out: Path
    today: datetime.date
    cases: tuple[str, ...] = ()
    seeds: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    cache: Path | None = None
    store: Path | None = None
    reuse: bool = True
    shard: Shard | None = None
    unsafe: bool = False
    alpha_share: float = 1.0
    replace_unfinished: bool = False
    nursery: Nursery = field(default_factory=Nursery, repr=False, compare=False)
    tell: Callable[[str], None] = field(default=_nobody, repr=False)
