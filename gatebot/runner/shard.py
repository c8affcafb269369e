"""A part of a fixed plan, for one machine of several: every trial is in exactly one part, and both sides of a pair in the same."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from gatebot.errors import UsageError
from gatebot.model.config import Budget
from gatebot.model.plan import Round
from gatebot.model.trial import TrialKey

MOST_SHARDS: Final = 256
"""Jobs that a matrix of GitHub Actions may have."""

_WRITTEN = re.compile(r"([0-9]{1,4})/([0-9]{1,4})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `index` of `count`, counted from 1. As text: `2/4`."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """The shard that `2/4` names. Raises UsageError."""
        found = _WRITTEN.fullmatch(text)
        index, count = (int(found[1]), int(found[2])) if found else (0, 0)
        if not 1 <= index <= count <= MOST_SHARDS:
            raise UsageError(
                f"there is no shard {text!a}",
                f"write part/parts, such as 2/4, with at most {MOST_SHARDS} parts; `gatebot shards 4` lists them",
            )
        return cls(index, count)

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def of(self, rounds: Sequence[Round]) -> tuple[Round, ...]:
        """This shard's trials of a whole plan, whose rounds are in the order they are started.

        Trials are dealt out by pairs, so that what is compared was run on the same machine at the same time.
        """
        dealt = 0
        kept: list[Round] = []
        for round_ in rounds:
            mine: list[TrialKey] = []
            for pair in _pairs(round_.trials):
                if dealt % self.count == self.index - 1:
                    mine.extend(pair)
                dealt += 1
            kept.append(dataclasses.replace(round_, trials=tuple(mine)))
        return tuple(kept)

    def share(self, budget: Budget) -> Budget:
        """The part of an evaluation's budget that this shard may spend; wall seconds pass everywhere alike."""
        changed: dict[str, int | float | None] = {
            "trials": -(-budget.trials // self.count),
            "usd": None if budget.usd is None else budget.usd / self.count,
            "tokens": None if budget.tokens is None else max(1, budget.tokens // self.count),
        }
        return budget.model_copy(update=changed)


def matrix(count: int) -> str:
    """The shards as the JSON of a job matrix of GitHub Actions: `{"shard": ["1/4", …]}`. Raises UsageError."""
    if not 1 <= count <= MOST_SHARDS:
        raise UsageError(
            f"a matrix has from 1 to {MOST_SHARDS} jobs, not {count}",
            "raise `concurrency` within each shard instead: docs/scaling.md works out how far it goes",
        )
    return json.dumps({"shard": [str(Shard(index, count)) for index in range(1, count + 1)]})


def _pairs(trials: Sequence[TrialKey]) -> list[list[TrialKey]]:
    """Neighbours that are the two sides of one case; a trial alone where a case runs on one side."""
    pairs: list[list[TrialKey]] = []
    for key in trials:
        last = pairs[-1] if pairs else []
        if len(last) == 1 and last[0].case == key.case and last[0].side != key.side:
            last.append(key)
        else:
            pairs.append([key])
    return pairs
