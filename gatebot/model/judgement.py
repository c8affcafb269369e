"""judge.jsonl: what the judge said of trials and cases, and how its session went. Text in it is the judge's: untrusted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from gatebot.model.trial import Side, TrialKey

JUDGE_SCHEMA = "gatebot.judge/1"

JudgeFailureCategory = Literal["planning", "hallucination", "reasoning", "none"]
SessionStatus = Literal["healthy", "unhealthy", "did_not_run", "stopped"]


@dataclass(frozen=True, slots=True)
class Opinion:
    """One model's judgement of one trial on one rubric. `value` None = a judge error, and `error` says which.

    `answered_by`: the model the answer names, which may be a dated version of `model`. `cost_usd` None = no price known.
    """

    model: str
    sample: int
    value: float | None
    answered_by: str = ""
    explanation: str = ""
    steps: tuple[int, ...] = ()
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[str, ...] = ()
    failure_category: JudgeFailureCategory = "none"
    error: str = ""
    cached: bool = False
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the panel says of one trial for one metric.

    `value`: mean of the opinions in [0, 1], after the floor rules; None = ungraded, and `reason` says why.
    `disagreement`: largest minus smallest opinion. `floor` names the rule that bound the value. `subject` is the digest
    of what was judged by which rubric and models: a judgement of anything else does not count.
    """

    case: str
    side: Side
    slot: int
    metric: str
    value: float | None
    subject: str
    reason: str = ""
    disagreement: float | None = None
    floor: str = ""
    opinions: tuple[Opinion, ...] = ()

    @property
    def key(self) -> TrialKey:
        """The judged trial's name in the plan."""
        return TrialKey(self.case, self.side, self.slot)


@dataclass(frozen=True, slots=True)
class Canary:
    """One trial that must score low: what the judge gave it; `value` None = a judge error."""

    name: str
    metric: str
    model: str
    value: float | None
    passed: bool


@dataclass(frozen=True, slots=True)
class JudgeSession:
    """How a judging session went. The last one of a file counts. `reason` says why it is not `healthy`.

    `pending_batches`: batches that had not ended; a later session collects them instead of paying again.
    """

    status: SessionStatus
    reason: str = ""
    notes: tuple[str, ...] = ()
    canaries: tuple[Canary, ...] = ()
    calls: int = 0
    estimated_usd: float | None = None
    cost_usd: float | None = None
    pending_batches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a case's head did worse, in the judge's words; `subject` is the digest of what it was shown."""

    case: str
    subject: str
    text: str
    failure_category: JudgeFailureCategory = "none"
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class JudgeLine:
    """One line of judge.jsonl: exactly one of its parts."""

    judgement: Judgement | None = None
    session: JudgeSession | None = None
    explanation: Explanation | None = None
    schema: str = field(default=JUDGE_SCHEMA)
