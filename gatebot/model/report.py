"""report.json: what others script against. Numbers are JSON numbers or null, never NaN."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from gatebot.model.metric import Direction
from gatebot.model.plan import SideInfo
from gatebot.model.score import Divergence, OtherFailure
from gatebot.model.trajectory import Usage

REPORT_SCHEMA = "gatebot.report/1"

Conclusion = Literal["pass", "fail", "inconclusive", "not_evaluated"]
Verdict = Literal["regressed", "improved", "unchanged", "inconclusive", "not_evaluated"]
CaseLabel = Literal["regressed", "suspect", "flaky", "improved", "stable", "new", "removed", "not_evaluated"]
TargetVerdict = Literal["met", "missed", "below", "unproven", "not_evaluated"]

MEASURED_REPORT_FIELDS = (
    "cost",
    "wall_s",
    "metrics[latency_s]",
    "metrics[cost_usd]",
    "isolation",
    "trials.cached",
)
"""Fields of the report that are measured: left out when two reports are compared for equality.

`metrics[name]` is that metric wherever it stands: over the suite, and in every case.
"""


@dataclass(frozen=True, slots=True)
class SeedCounts:
    """Slots behind a number, per side: the smallest count over cases."""

    base: int
    head: int


@dataclass(frozen=True, slots=True)
class SmallestDrop:
    """What this run could have seen: a drop of `drop` (metric units) would be found with probability `power`."""

    drop: float | None
    power: float = 0.8


@dataclass(frozen=True, slots=True)
class TargetResult:
    """A target judged on the head alone. `below`: the point misses it but the interval does not prove so."""

    value: float
    verdict: TargetVerdict
    interval: tuple[float, float] | None
    inherited: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MetricResult:
    """One metric over the suite: base against head.

    `delta` = head − base (for `ratio` metrics the ratio head / base of geometric means, and so is `interval`).
    `ungraded` counts trials without a value, per side added up. `reason` explains the verdict in one sentence.
    `margin_interval`: the 90% interval that the margin is judged by, where `interval` is another one (several looks).
    """

    name: str
    gating: bool
    direction: Direction
    scale: str
    base: float | None
    head: float | None
    delta: float | None
    interval: tuple[float, float] | None
    confidence: float | None
    p_value: float | None
    n_cases: int
    seeds: SeedCounts
    margin: float | None
    target: float | None
    verdict: Verdict
    ungraded: int
    reason: str = ""
    base_sd: float | None = None
    head_sd: float | None = None
    p_adjusted: float | None = None
    min_effect: float = 0.0
    target_result: TargetResult | None = None
    smallest_drop: SmallestDrop | None = None
    margin_interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class SideCount:
    """Trials of a case on a side: `passed` of `trials` in the sample (infrastructure errors left out)."""

    passed: int
    trials: int


@dataclass(frozen=True, slots=True)
class CaseMetric:
    """Mean of a metric over a case's trials, per side; None = ungraded."""

    base: float | None
    head: float | None
    base_sd: float | None = None
    head_sd: float | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """The most frequent failure of the head's trials in a case, and how many trials show it.

    `reason`, `steps` and `others`, the categories that other rules give, are those of the trial that is shown.
    """

    category: str
    reason: str
    trials: int
    steps: tuple[int, ...] = ()
    others: tuple[OtherFailure, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case. `label` per statistics; `gating` False for new, removed and quarantined cases.

    `shown_slot`: the head slot whose trajectory illustrates the case in the comment. `explanation`: the judge's words
    on why the head did worse; untrusted, and of no consequence. `fresh_base`, `fresh_head`: its confirming trials, when
    it was a suspect; they are no part of `base` and `head`.
    """

    id: str
    label: CaseLabel
    base: SideCount
    head: SideCount
    metrics: dict[str, CaseMetric] = field(default_factory=dict[str, CaseMetric])
    first_divergence: Divergence | None = None
    failure: Failure | None = None
    gating: bool = True
    reason: str = ""
    p_value: float | None = None
    tags: tuple[str, ...] = ()
    shown_slot: int | None = None
    shown_base_slot: int | None = None
    fresh_base: SideCount | None = None
    fresh_head: SideCount | None = None
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class TrialCounts:
    """What became of the planned trials, both sides together."""

    planned: int = 0
    completed: int = 0
    agent_error: int = 0
    timeout: int = 0
    infra_error: int = 0
    missing: int = 0
    cached: int = 0


@dataclass(frozen=True, slots=True)
class PassHatK:
    """pass^k per side: k as a string → estimate; None for a side without trials.

    `base_intervals`, `head_intervals`: k → 90 % interval, for those k that every case has two trials more of.
    """

    base: dict[str, float] | None
    head: dict[str, float] | None
    base_intervals: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    head_intervals: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])


@dataclass(frozen=True, slots=True)
class FailureShare:
    """How often a category is the primary failure, per side."""

    category: str
    base: int
    head: int


@dataclass(frozen=True, slots=True)
class NextRun:
    """What another run of this suite finds and takes, at the pass rates of this one.

    `drop` of the mean pass rate is found with probability .8 (None: there is not so much to lose). `trials` if every
    round is run, both sides together; expected with early stops and suspects: `unchanged` if nothing changed, `dropped`
    if the pass rate fell by `drop`.
    """

    drop: float | None
    trials: int
    unchanged: float
    dropped: float | None


@dataclass(frozen=True, slots=True)
class RecordedBase:
    """A base from recordings: `slots` a case at least, the oldest of the day `since` (UTC, ISO).

    `spared`: trials of the base that were not run. `run_because`: why it was run after all; empty when it was not, and
    every verdict against the base then rests on recordings.
    """

    slots: int
    since: str
    spared: int
    run_because: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """How the decision was made: test, level, looks, seeds. Goes into the comment's method paragraph."""

    method: str
    alpha: float
    mean_level: float
    case_level: float
    looks: tuple[str, ...] = ()
    resamples: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """The whole report."""

    conclusion: Conclusion
    reason: str
    advice: str
    suite: str
    mode: str
    base_sha: str | None
    head_sha: str | None
    metrics: tuple[MetricResult, ...]
    cases: tuple[CaseResult, ...]
    trials: TrialCounts
    pass_hat_k: PassHatK
    pass_at_k: PassHatK
    failures: tuple[FailureShare, ...]
    worst_cases: tuple[str, ...]
    evidence: Evidence
    base: SideInfo | None = None
    head: SideInfo | None = None
    alerts: tuple[str, ...] = ()
    would_have: Conclusion | None = None
    isolation: str = ""
    cost: dict[str, Usage] = field(default_factory=dict[str, Usage])
    wall_s: float | None = None
    recorded_base: RecordedBase | None = None
    next_run: NextRun | None = None
    result_digest: str = ""
    gatebot_version: str = ""
    schema: str = REPORT_SCHEMA
