"""What a look needs to see of the evidence: samples, losses, fresh counts. Evidence is one such view; a simulation another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from gatebot.model.metric import Metric
from gatebot.model.report import SideCount
from gatebot.model.trial import Side


@dataclass(frozen=True, slots=True)
class Window:
    """The slots of each side that a look may use; `recorded_base`: the base's recordings, all of them, instead."""

    base: range
    head: range
    recorded_base: bool = False

    def slots(self, side: Side) -> range:
        """The slots of a side."""
        return self.base if side == "base" else self.head


@dataclass(frozen=True, slots=True)
class MetricSample:
    """One metric: per case (sorted by id) the graded values of base and head; only cases graded on both sides.

    `base_slots`, `head_slots`: the slot of every value. `ungraded` counts trials of the sample without a value, per
    side; `unexplained` leaves out those the case's own definition rules out. `one_sided` names the cases graded on one
    side only.
    """

    metric: Metric
    cases: tuple[str, ...]
    base: tuple[tuple[float, ...], ...]
    head: tuple[tuple[float, ...], ...]
    base_slots: tuple[tuple[int, ...], ...]
    head_slots: tuple[tuple[int, ...], ...]
    ungraded: dict[Side, int]
    unexplained: dict[Side, int]
    one_sided: tuple[str, ...] = ()


class EvidenceView(Protocol):
    """Evidence as the looks see it."""

    @property
    def doubt(self) -> str:
        """Why recordings do not stand for the base after all; empty while they do, and where there are none."""
        ...

    @property
    def confirming_cases(self) -> tuple[str, ...]:
        """The cases whose confirming trials are planned, sorted."""
        ...

    def sample(self, name: str, window: Window | None = None) -> MetricSample:
        """The sample of one metric within `window`; None = all trials that are not confirming."""
        ...

    def lost_share(self, side: Side, window: Window | None = None) -> float:
        """Share of a side's planned gating trials that are missing or were lost to infrastructure."""
        ...

    def fresh_count(self, case: str, side: Side) -> SideCount:
        """Passes and trials of a case's confirming trials on a side."""
        ...
