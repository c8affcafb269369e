"""The protocols a plugin author reads: Agent, Grader, Importer, Judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Protocol

from gatebot.model.json_value import JsonValue
from gatebot.model.judgement import Judgement
from gatebot.model.score import Score
from gatebot.model.suite import Case
from gatebot.model.trajectory import Trajectory
from gatebot.model.trial import Side, Trial, TrialKey

REQUEST_SCHEMA = "gatebot.request/1"


@dataclass(frozen=True, slots=True)
class TrialTask:
    """One trial to run: the case, its key, its seed in [0, 2**53), the round, and the deadline in seconds."""

    case: Case
    key: TrialKey
    seed: int
    round: int
    timeout_s: float


@dataclass(frozen=True, slots=True)
class SideEnvironment:
    """Where a side's trials run: its checkout, its setup environment's bin directory, and what may pass.

    `variables` are the only environment variables beside the fixed ones (HOME, TMPDIR, PATH, LANG, GATEBOT_SEED …).
    `readable`: what trials may read beside `checkout` and the environments of `bin_dirs`; `writable`: what they may
    write beside their own run directories.
    """

    side: Side
    checkout: PurePath
    bin_dirs: tuple[PurePath, ...] = ()
    variables: dict[str, str] = field(default_factory=dict[str, str])
    network: str = "open"
    readable: tuple[PurePath, ...] = ()
    writable: tuple[PurePath, ...] = ()


class Agent(Protocol):
    """Runs one trial and returns it; an agent's failure is a status, an infrastructure fault is `infra_error`."""

    def run(self, task: TrialTask, environment: SideEnvironment) -> Trial:
        """Run one trial to its end. Never raises on anything the agent does."""
        ...


class Grader(Protocol):
    """Turns a completed trial into scores for one or more metrics."""

    def grade(self, case: Case, trial: Trial) -> dict[str, Score]:
        """Metric name → score. May raise on hostile data: the caller scores 0 and flags a grader fault."""
        ...


class Importer(Protocol):
    """Turns parsed JSON of one format into a trajectory."""

    name: str

    def detects(self, document: JsonValue) -> bool:
        """Whether the document looks like this format; cheap, never raises."""
        ...

    def load(self, document: JsonValue) -> Trajectory:
        """The trajectory. Raises ImportFormatError, and nothing else, when the document breaks the format."""
        ...


class Judge(Protocol):
    """A second opinion on trials, given by a model."""

    def judge(self, case: Case, trial: Trial) -> dict[str, Judgement]:
        """Metric name → judgement, for every rubric. Never raises on what the trial holds or the model answers."""
        ...
