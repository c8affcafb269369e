"""gatebot.yaml as frozen models: what people write about agent, suite and gate. Unknown keys are errors."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from gatebot.model.metric import METRICS

CONFIG_SCHEMA_NAME = "config.v1.json"

Slug = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
EnvName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
Command = Annotated[tuple[Annotated[str, Field(max_length=4096)], ...], Field(min_length=1, max_length=256)]


class Written(BaseModel):
    """A model for a file people write: frozen, strict, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class HttpAgent(Written):
    """An agent behind a URL, optionally started by a command."""

    url: str = Field(description="Where the request is POSTed as JSON.", pattern=r"^https?://")
    start: Command | None = Field(default=None, description="Command that starts the server, run once per side.")
    health: str | None = Field(default=None, description="URL that answers 200 when the server is ready.")


class AgentConfig(Written):
    """How to run one trial. Exactly one of command, python, http, replay, builtin."""

    command: Command | None = Field(default=None, description="Program and arguments; one process per trial.")
    python: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$",
        description='"package.module:function", sync or async, run under the side\'s own interpreter.',
    )
    http: HttpAgent | None = Field(default=None, description="An agent behind a URL.")
    replay: str | None = Field(default=None, description="Recorded trials: a trials.jsonl or its directory.")
    builtin: Literal["oracle", "nop"] | None = Field(
        default=None, description="`oracle` plays the golden, `nop` does nothing. `agent: oracle` is short for it."
    )
    setup: tuple[str, ...] = Field(default=(), description="Shell commands run once per side before its trials.")
    env: tuple[EnvName, ...] = Field(default=(), description="Names that may pass to the agent; all else is withheld.")
    timeout: float = Field(default=120.0, gt=0, le=86400, description="Seconds per trial (all turns together).")
    max_output_mb: float = Field(default=16.0, gt=0, le=1024, description="Cap on what a trial may print, in MB.")

    @model_validator(mode="after")
    def _exactly_one_kind(self) -> Self:
        kinds = ("command", "python", "http", "replay", "builtin")
        given = [kind for kind in kinds if getattr(self, kind) is not None]
        if len(given) != 1:
            said = " and ".join(given) if given else "none"
            message = f"an agent needs exactly one of {', '.join(kinds)}; given: {said}"
            raise ValueError(message)
        return self

    @property
    def kind(self) -> Literal["command", "python", "http", "replay", "oracle", "nop"]:
        """Which kind of agent this is: the name plugins look up."""
        if self.builtin is not None:
            return self.builtin
        if self.command is not None:
            return "command"
        if self.python is not None:
            return "python"
        return "http" if self.http is not None else "replay"


class Seeds(Written):
    """How many slots: `{max: 10}` looks after 3, 5, 7, 10 rounds; `{fixed: 5}` is one look."""

    max: int | None = Field(default=None, ge=1, le=50, description="Upper bound of rounds of the sequential gate.")
    fixed: int | None = Field(default=None, ge=1, le=200, description="Exactly this many slots per case and side.")

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.max is None) == (self.fixed is None):
            message = "seeds needs exactly one of max and fixed"
            raise ValueError(message)
        return self


class MetricGate(Written):
    """What one gating metric must hold."""

    margin: float | None = Field(
        default=None,
        gt=0,
        description="Drop the interval must exclude before we say unchanged: a difference for [0, 1] metrics and "
        "counts (default 0.10), a ratio above 1 for positive quantities (default 1.25).",
    )
    target: float | None = Field(default=None, description="Absolute target, judged on the head alone.")
    proof: bool = Field(default=False, description="Demand that the interval lies beyond the target.")
    inherited: Literal["warn", "fail"] = Field(
        default="warn", description="A missed target the base already misses: warn, or fail all the same."
    )
    min_effect: float = Field(default=0.0, ge=0, description="A red also needs a change at least this large.")


class Gate(Written):
    """What closes the gate."""

    mode: Literal["detect", "prove", "observe"] = Field(
        default="detect",
        description="detect: red on a proven regression. prove: red unless shown no worse. observe: never red.",
    )
    alpha: float = Field(default=0.05, gt=0, lt=0.5, description="Chance of a false red per pull request, one-sided.")
    scope: Literal["suite", "generalize"] = Field(
        default="suite", description="suite: these cases; generalize: cases like these (needs 10 or more)."
    )
    metrics: dict[str, MetricGate] = Field(
        default_factory=lambda: {"pass_rate": MetricGate()},
        description="Metrics that can close the gate, with margins and targets; all others inform.",
    )

    @field_validator("metrics", mode="before")
    @classmethod
    def _null_is_default(cls, value: object) -> object:
        if isinstance(value, dict):
            return {k: {} if v is None else v for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType]
        return value

    @field_validator("metrics")
    @classmethod
    def _known(cls, value: dict[str, MetricGate]) -> dict[str, MetricGate]:
        for name, gate in value.items():
            metric = METRICS.get(name)
            if metric is None:
                message = f"unknown metric {name!r}; known: {', '.join(sorted(METRICS))}"
                raise ValueError(message)
            if gate.margin is not None and metric.scale == "ratio" and gate.margin <= 1:
                message = f"{name} is compared as a ratio: its margin must be above 1 (1.25 = a quarter more)"
                raise ValueError(message)
            if gate.margin is not None and metric.scale in ("binary", "unit") and gate.margin >= 1:
                message = f"{name} lies in [0, 1]: its margin must be below 1 (0.10 = ten points)"
                raise ValueError(message)
            if gate.target is not None and metric.scale in ("binary", "unit") and not 0 <= gate.target <= 1:
                message = f"{name} lies in [0, 1]: so must its target"
                raise ValueError(message)
        return value


class Quarantine(Written):
    """A case shown but not gating."""

    case: Slug
    reason: str = Field(min_length=3, max_length=300)
    until: datetime.date = Field(strict=False, description="Quarantine ends on this date, YYYY-MM-DD.")


class Accept(Written):
    """Who may accept new behaviour, and how."""

    label: str = Field(default="gatebot:accept", min_length=1, max_length=50)
    override_label: str = Field(default="gatebot:override", min_length=1, max_length=50)
    roles: tuple[str, ...] = Field(default=("write", "maintain", "admin"), min_length=1)
    by_author: bool = Field(default=True, description="May the pull request's author accept?")


class Budget(Written):
    """Upper bounds; what exceeds them is `not_evaluated`, never a regression."""

    trials: int = Field(default=1000, ge=1)
    seconds: float = Field(default=3600.0, gt=0)
    usd: float | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, ge=1)


class TrajectoryDefault(Written):
    """How golden calls are graded where a case does not say."""

    match: Literal["strict", "unordered", "superset", "subset"] = "superset"
    args: Literal["exact", "ignore", "subset", "superset"] = "exact"


class Config(Written):
    """The whole of gatebot.yaml."""

    version: Literal[1] = Field(description="Version of this file's format.")
    suite: Slug = Field(description="Names the comment and the check.")
    agent: AgentConfig = Field(description="How to run one trial.")
    cases: tuple[str, ...] = Field(
        default=("golden/*.yaml",), min_length=1, description="Globs of case files, relative to this file."
    )
    trajectory: TrajectoryDefault = Field(
        default_factory=TrajectoryDefault, description="Default mode for golden calls without `expect.trajectory`."
    )
    network: Literal["none", "loopback", "open"] = Field(default="open", description="Network of the agent.")
    isolation: Literal["auto", "required"] = Field(
        default="auto", description="required: refuse to run where a layer of the sandbox is missing."
    )
    seeds: Seeds = Field(default_factory=lambda: Seeds(max=10), description="How many slots per case and side.")
    concurrency: int = Field(default=4, ge=1, le=256, description="Trials at the same time.")
    gate: Gate = Field(default_factory=Gate, description="What closes the gate.")
    quarantine: tuple[Quarantine, ...] = Field(default=(), description="Cases shown but not gating.")
    accept: Accept = Field(default_factory=Accept, description="How new behaviour is accepted.")
    budget: Budget = Field(default_factory=Budget, description="Upper bounds of a run.")

    @field_validator("agent", mode="before")
    @classmethod
    def _short_form(cls, value: object) -> object:
        return {"builtin": value} if value in ("oracle", "nop") else value
