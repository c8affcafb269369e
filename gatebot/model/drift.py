"""What a scheduled run has shown of an agent that nobody changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PROVEN_ALPHA = 0.005
"""Per direction: of a hundred scheduled runs in an unchanged world one at most proves a change (statistics, item 15)."""

DriftKind = Literal["changed", "unclear", "same", "not_evaluated"]


@dataclass(frozen=True, slots=True)
class Drift:
    """What a scheduled run has shown. `worse`, `better`: gating metrics that changed beyond chance; `cases`: single ones.

    `unclear`: nothing is proven, and a change that was proven before is not excluded either. `reason` is a sentence.
    """

    kind: DriftKind
    reason: str
    worse: tuple[str, ...] = ()
    better: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
