"""gatebot.yaml as frozen models: what people write about agent, suite and gate. Unknown keys are errors."""

from __future__ import annotations

import datetime
import difflib
import re
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from gatebot.model.agent import BUILTIN_AGENTS, AgentConfig, HttpAgent
from gatebot.model.grading import ArgsMode, MatchMode, Tools, TrajectoryDefault
from gatebot.model.judge import JudgeConfig
from gatebot.model.metric import METRICS, is_judge_metric
from gatebot.model.price import Price
from gatebot.model.written import Several, Slug, Text, Written, mistake

__all__ = [
    "BUILTIN_AGENTS",
    "CONFIG_SCHEMA_NAME",
    "Accept",
    "AgentConfig",
    "ArgsMode",
    "Budget",
    "Config",
    "Gate",
    "HttpAgent",
    "MatchMode",
    "MetricGate",
    "Price",
    "Quarantine",
    "Seeds",
    "TrajectoryDefault",
]

CONFIG_SCHEMA_NAME = "config.v1.json"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


class Seeds(Written):
    """How many slots: `{max: 10}` looks after 3, 5, 7, 10 rounds; `{fixed: 5}` is one look."""

    max: int | None = Field(
        default=None, ge=1, le=50, description="Upper bound of rounds of the sequential gate."
    )
    fixed: int | None = Field(
        default=None, ge=1, le=200, description="Exactly this many slots per case and side."
    )

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.max is None) == (self.fixed is None):
            raise mistake("seeds needs exactly one of max and fixed", "write {max: 10} or {fixed: 5}")
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
    alpha: float = Field(
        default=0.05, gt=0, lt=0.5, description="Chance of a false red per pull request, one-sided."
    )
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
        if not value:
            raise mistake("no metric gates: every pull request would pass", "name one, e.g. `pass_rate: {}`")
        for name, gate in value.items():
            metric = METRICS.get(name)
            if metric is None:
                near = difflib.get_close_matches(name, METRICS, n=1)
                hint = (
                    f"did you mean '{near[0]}'?" if near else f"known metrics: {', '.join(sorted(METRICS))}"
                )
                raise mistake(f"unknown metric '{name}'", hint, key=(name,))
            if gate.margin is not None and metric.scale == "ratio" and gate.margin <= 1:
                message = f"{name} is compared as a ratio: its margin must be above 1"
                raise mistake(message, "1.25 allows a quarter more", key=(name, "margin"))
            if gate.margin is not None and metric.scale in ("binary", "unit") and gate.margin >= 1:
                message = f"{name} lies in [0, 1]: its margin must be below 1"
                raise mistake(message, "0.10 is ten points", key=(name, "margin"))
            if gate.target is not None and metric.scale in ("binary", "unit") and not 0 <= gate.target <= 1:
                message = f"{name} lies in [0, 1]: so must its target"
                raise mistake(message, "0.90 is ninety per cent", key=(name, "target"))
        return value


class Quarantine(Written):
    """A case shown but not gating."""

    case: Slug = Field(description="Id of the case.")
    reason: str = Field(min_length=3, max_length=300, description="Why, for whoever reads the report.")
    until: datetime.date = Field(strict=False, description="Quarantine ends on this date, YYYY-MM-DD.")

    @field_validator("until", mode="before")
    @classmethod
    def _a_date(cls, value: object) -> object:
        """Take a date as text and nothing else: pydantic alone would read a bare number as seconds since 1970."""
        if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
            return value
        try:
            if isinstance(value, str) and _DATE.fullmatch(value):
                return datetime.date.fromisoformat(value)
        except ValueError:
            pass
        raise mistake(f"'until' must be a day of the calendar, found {value!r}", "write YYYY-MM-DD")


class Accept(Written):
    """Who may accept new behaviour, and how."""

    label: str = Field(
        default="gatebot:accept",
        min_length=1,
        max_length=50,
        description="Label that accepts the new behaviour.",
    )
    override_label: str = Field(
        default="gatebot:override",
        min_length=1,
        max_length=50,
        description="Label that lets one head pass as it is and accepts nothing.",
    )
    roles: Several[Text] = Field(
        default=("write", "maintain", "admin"),
        min_length=1,
        description="Roles in the repository whose label counts.",
    )
    by_author: bool = Field(default=True, description="May the pull request's author accept?")


class Budget(Written):
    """Upper bounds; what exceeds them is `not_evaluated`, never a regression."""

    trials: int = Field(default=1000, ge=1, description="Trials started, both sides together.")
    seconds: float = Field(default=3600.0, gt=0, description="Wall seconds of the whole run.")
    usd: float | None = Field(default=None, gt=0, description="US dollars, as the agents report them.")
    tokens: int | None = Field(default=None, ge=1, description="Tokens, as the agents report them.")


class Config(Written):
    """The whole of gatebot.yaml."""

    version: Literal[1] = Field(description="Version of this file's format.")
    suite: Slug = Field(description="Names the comment and the check.")
    agent: AgentConfig = Field(description="How to run one trial.")
    cases: Several[Text] = Field(
        default=("golden/*.yaml",),
        min_length=1,
        description="Globs of case files, relative to this file; `*.jsonl` holds one case a line, each with its `id`.",
    )
    trajectory: TrajectoryDefault = Field(
        default_factory=TrajectoryDefault,
        description="Default mode for golden calls without `expect.trajectory`.",
    )
    tools: Tools | None = Field(
        default=None,
        description="JSON Schema of the arguments per tool (`search: {type: object, …}`), or the name of a JSON file beside "
        "this one that holds them so, as MCP's answer to `tools/list`, or as a request to OpenAI or Anthropic has them.",
    )
    network: Literal["none", "loopback", "open"] = Field(default="open", description="Network of the agent.")
    isolation: Literal["auto", "required"] = Field(
        default="auto", description="required: refuse to run where a layer of the sandbox is missing."
    )
    seeds: Seeds = Field(
        default_factory=lambda: Seeds(max=10), description="How many slots per case and side."
    )
    concurrency: int = Field(default=4, ge=1, le=256, description="Trials at the same time.")
    gate: Gate = Field(default_factory=Gate, description="What closes the gate.")
    quarantine: Several[Quarantine] = Field(default=(), description="Cases shown but not gating.")
    accept: Accept = Field(default_factory=Accept, description="How new behaviour is accepted.")
    budget: Budget = Field(default_factory=Budget, description="Upper bounds of a run.")
    prices: dict[Text, Price] = Field(
        default_factory=dict[str, Price],
        description="Model → price, for cost_usd of trials whose agents report tokens and no money.",
    )
    judge: JudgeConfig | None = Field(
        default=None, description="A model's second opinion; without this section there is none."
    )

    @model_validator(mode="after")
    def _can_be_asked(self) -> Self:
        if self.network == "none" and self.agent.http is not None and self.agent.http.start is not None:
            raise mistake(
                "a server without network cannot be asked",
                "say `network: loopback`, or run the agent as command or python",
                key=("network",),
            )
        return self

    @model_validator(mode="after")
    def _judged_what_gates(self) -> Self:
        judged = self.judge.metrics if self.judge is not None else ()
        for name in self.gate.metrics:
            if is_judge_metric(name) and name not in judged:
                hint = (
                    f"judged are {', '.join(judged)}"
                    if judged
                    else "add `judge: {rubrics: […]}`, see docs/judge.md"
                )
                raise mistake(f"{name} gates, but nothing judges it", hint, key=("gate", "metrics", name))
        return self

    @field_validator("agent", mode="before")
    @classmethod
    def _short_form(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        if value not in BUILTIN_AGENTS:
            near = difflib.get_close_matches(value, BUILTIN_AGENTS, n=1)
            hint = f"did you mean '{near[0]}'?" if near else 'a program of your own: {command: ["./agent"]}'
            raise mistake(f"there is no built-in agent '{value[:60]}'", hint)
        return {"builtin": value}
