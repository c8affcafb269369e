"""What should exist: the trials of every round, and the digests that say which evaluation they belong to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gatebot.model.trial import TrialKey

PLAN_SCHEMA = "gatebot.plan/1"
MOST_SEEDS = 200
"""Slots per case and side that may be asked for."""
SetupStatus = Literal["not_run", "ok", "failed"]
Activity = Literal["gate", "run", "compare", "aa", "report"]
RoundKind = Literal["regular", "confirm", "fresh_base", "recorded", "sentinel"]


@dataclass(frozen=True, slots=True)
class SideInfo:
    """One side of an evaluation. `sha` the commit, `tree` the agent-tree digest; `dirty` = WORKTREE with changes."""

    sha: str
    tree: str
    label: str
    dirty: bool = False
    setup: SetupStatus = "not_run"
    setup_reason: str = ""


@dataclass(frozen=True, slots=True)
class Digests:
    """Hex digests (sha256): of the suite's run inputs, its grading, its policy, and the agent's configuration."""

    run: str
    grading: str
    policy: str
    agent: str


@dataclass(frozen=True, slots=True)
class Round:
    """The trials of one round, in the order they are started.

    A `confirm` round holds fresh trials of the suspects alone, in slots of their own; a `fresh_base` round the base's
    trials of all rounds so far, run after all because a recorded base convicts nobody. A `recorded` round names the
    base's recordings, in slots of their own: they are taken, not run. A `sentinel` round is one live round of a
    recorded base, which tells whether its recordings still hold.
    """

    number: int
    trials: tuple[TrialKey, ...]
    kind: RoundKind = "regular"


@dataclass(frozen=True, slots=True)
class CaseNotice:
    """A case that is on one side only: `new` runs on the head and does not gate, `removed` is only named."""

    case: str
    kind: Literal["new", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class Plan:
    """plan.json: grows round by round; `base` None when only one side is run.

    `no_baseline` says why there is nothing to compare with (the first pull request); `notes` are sentences for the
    report: degraded isolation, environment names that passed, changes of the configuration on the head. `stopped` says
    why a run ended early; `same_agent`: both sides hold the same agent tree and configuration, so nothing was run.
    `seeds`: slots per case and side at most; `sequential`: the gate looks in between and may stop early. `shard`:
    `2/4` when the rounds hold the second of four parts of the trials.
    `base_recorded`: slots per case that the base has in recordings; its trials are then not run, unless a look asks.
    `recorded_since`: the day (UTC, ISO) of the oldest of them.
    `emptied`: why the head cannot pass whatever its trials say: it keeps too little of the suite; "" where it does not.
    """

    activity: Activity
    suite: str
    digests: Digests
    head: SideInfo | None
    base: SideInfo | None = None
    seeds: int = 5
    rounds: tuple[Round, ...] = ()
    case_notices: tuple[CaseNotice, ...] = ()
    no_baseline: str = ""
    isolation: str = ""
    env_names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    schema: str = PLAN_SCHEMA
    finished: bool = False
    stopped: str = ""
    same_agent: bool = False
    sequential: bool = False
    shard: str = ""
    base_first_slot: int = 1
    head_first_slot: int = 1
    base_recorded: int = 0
    recorded_since: str = ""
    emptied: str = ""

    def runs_base(self) -> bool:
        """Whether the base is run: always, unless it comes from recordings and no look has asked for it yet."""
        return not self.base_recorded or any(round_.kind == "fresh_base" for round_ in self.rounds)

    def confirming(self) -> tuple[TrialKey, ...]:
        """The trials that only confirm suspects."""
        return self.keys_of("confirm")

    def keys_of(self, kind: RoundKind) -> tuple[TrialKey, ...]:
        """The trials of all rounds of one kind, in planned order."""
        return tuple(key for round_ in self.rounds if round_.kind == kind for key in round_.trials)

    def to_run(self) -> tuple[Round, ...]:
        """The rounds whose trials are run: all but recordings."""
        return tuple(round_ for round_ in self.rounds if round_.kind != "recorded")

    def regular_rounds(self) -> int:
        """How many regular rounds are planned so far."""
        return sum(round_.kind == "regular" for round_ in self.rounds)

    def keys(self) -> tuple[TrialKey, ...]:
        """Every trial that should exist, in planned order."""
        return tuple(key for round_ in self.rounds for key in round_.trials)
