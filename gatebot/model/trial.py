"""One run of one case on one side in one slot, as the journal keeps it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import Trajectory, Usage

TRIAL_SCHEMA = "gatebot.trial/1"

Side = Literal["base", "head"]
SIDES: tuple[Side, Side] = ("base", "head")
Status = Literal["completed", "agent_error", "timeout", "infra_error"]

MEASURED_FIELDS = ("timing", "usage.cost_usd", "stderr_tail", "attempts", "cached", "reused", "trace_url")
"""Fields that are measured, not caused by case, seed and agent: "same bytes" means equal without them."""


class TrialKey(NamedTuple):
    """Names a trial: the plan says which keys should exist."""

    case: str
    side: Side
    slot: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdict of the source's own verifier on a recorded run, and nothing else."""

    passed: bool
    score: float | None = None
    verifier: str = ""


@dataclass(frozen=True, slots=True)
class Timing:
    """Measured: wall seconds of the agent, CPU seconds when known, seconds per user turn."""

    wall_s: float | None = None
    cpu_s: float | None = None
    turns_s: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class GraderResult:
    """What a command or python grader of the base said in the trial's sandbox, after the agent had ended.

    `score` in [0, 1]. `fault`: the grader itself failed (did not start, raised, answered no verdict); never a pass.
    """

    grader: str
    passed: bool
    score: float | None = None
    reason: str = ""
    fault: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """One line of trials.jsonl.

    `reason` says in one sentence why status is not `completed`. `state` None means that no state was reported.
    `seed` is a digest of case and slot in [0, 2**53), the same on both sides. `cached`: recorded by an earlier
    evaluation (a base that may spare trials and convicts nobody). `reused`: run by this same evaluation before, and
    taken from the store instead of being paid for twice.
    """

    case: str
    side: Side
    slot: int
    seed: int
    status: Status
    round: int = 1
    schema: str = TRIAL_SCHEMA
    reason: str = ""
    attempts: int = 1
    cached: bool = False
    reused: bool = False
    trajectory: Trajectory = field(default_factory=Trajectory)
    answer: str | None = None
    state: JsonValue = None
    outcome: Outcome | None = None
    grader_results: tuple[GraderResult, ...] = ()
    usage: Usage = field(default_factory=Usage)
    timing: Timing = field(default_factory=Timing)
    trace_url: str | None = None
    stderr_tail: str = ""

    @property
    def key(self) -> TrialKey:
        """The trial's name in the plan."""
        return TrialKey(self.case, self.side, self.slot)
