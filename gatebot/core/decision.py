"""What a decision consists of, and what is said of it. Apart from how it is reached: one side alone needs no statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gatebot.core.view import MetricSample
from gatebot.model.config import Gate, MetricGate
from gatebot.model.report import Conclusion, SideCount, TargetResult, Verdict
from gatebot.model.trial import Side

if TYPE_CHECKING:
    from gatebot.core.compare import Comparison
    from gatebot.core.tracing import LookResult

ADVICE: dict[Conclusion, str] = {
    "pass": "Nothing to do.",
    "fail": "Fix the cases below or, if the new behaviour is intended, have a maintainer accept it.",
    "inconclusive": "Run more seeds to exclude the margin, or widen the margin.",
    "not_evaluated": "Remove the cause, which the reason or a note below names, and run again; this is not a pass.",
}
"""What to do after each conclusion, where nothing more exact can be said."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict with the sentence that explains it."""

    verdict: Verdict
    reason: str


@dataclass(frozen=True, slots=True)
class SingleCases:
    """What leg B found: `regressed` cases, and each tested case's adjusted p-value.

    `fresh`: a suspect's confirming trials per side. `unconfirmed`: suspects whose confirming trials are missing.
    `level` is what the adjusted p-values were held against, 0 when the leg was off.
    """

    regressed: frozenset[str] = frozenset()
    adjusted: Mapping[str, float] = field(default_factory=dict[str, float])
    fresh: Mapping[str, Mapping[Side, SideCount]] = field(default_factory=dict[str, Mapping[Side, SideCount]])
    unconfirmed: tuple[str, ...] = ()
    level: float = 0.0


@dataclass(frozen=True, slots=True)
class MetricDecision:
    """One metric's verdict; `comparison` None when there was nothing to compare."""

    name: str
    gating: bool
    sample: MetricSample
    comparison: Comparison | None
    judged: Judged
    target: TargetResult | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Everything decided, before it is written down. `looks`: every look made; `alpha`: the whole level."""

    conclusion: Conclusion
    reason: str
    advice: str
    metrics: tuple[MetricDecision, ...]
    singles: SingleCases
    alpha: float
    looks: tuple[LookResult, ...] = ()
    would_have: Conclusion | None = None

    @property
    def compares(self) -> bool:
        """Whether base and head were compared on any metric."""
        return any(metric.comparison is not None for metric in self.metrics)


def observing(decision: Decision, gate: Gate) -> Decision:
    """The decision as the gate's mode has it: a gate that only observes passes, and says what it would have concluded."""
    if gate.mode != "observe":
        return decision
    return replace(decision, conclusion="pass", would_have=decision.conclusion)


def closes(target: TargetResult, gate: MetricGate) -> bool:
    """A missed target closes the gate, unless the base missed it already and that is only to warn."""
    if target.verdict not in ("missed", "unproven"):
        return False
    return not (target.inherited and gate.inherited == "warn")


def listed(names: list[str]) -> str:
    """Names in a sentence, five at most."""
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"


def target_missed(missed: list[str]) -> str:
    """The reason for missed targets of these metrics."""
    return (
        f"the target of {listed(missed)} is missed"
        if len(missed) == 1
        else f"the targets of {listed(missed)} are missed"
    )
