"""gatebot.yaml as frozen models: what people write about agent, suite and gate. Unknown keys are errors."""

from __future__ import annotations

import datetime
import difflib
import re
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from gatebot.model.agent import BUILTIN_AGENTS, AgentConfig, HttpAgent
from gatebot.model.gate import Gate, MetricGate
from gatebot.model.grading import ArgsMode, MatchMode, Tools, TrajectoryDefault
from gatebot.model.judge import JudgeConfig
from gatebot.model.metric import is_judge_metric
from gatebot.model.plan import MOST_SEEDS
from gatebot.model.price import Price
from gatebot.model.written import Several, Slug, Text, Written, mistake

__all__ = [
    "BUILTIN_AGENTS",
    "CONFIG_SCHEMA_NAME",
    "Accept",
    "AgentConfig",
    "ArgsMode",
    "Budget",
    "CommentMode",
    "Config",
    "Forks",
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
CommentMode = Literal["always", "changes", "regressions", "off"]
Forks = Literal["live", "recorded"]
"""What can pass a head of another repository: only a maintainer's live run, or the fork's own recording too."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


class Seeds(Written):
    """How many slots: `{max: 10}` looks after 3, 5, 7, 10 rounds; `{fixed: 5}` is one look."""

    max: int | None = Field(
        default=None, ge=1, le=50, description="Upper bound of rounds of the sequential gate."
    )
    fixed: int | None = Field(
        default=None, ge=1, le=MOST_SEEDS, description="Exactly this many slots per case and side."
    )

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.max is None) == (self.fixed is None):
            raise mistake("seeds needs exactly one of max and fixed", "write {max: 10} or {fixed: 5}")
        return self


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
    network: Literal["none", "loopback", "open"] = Field(
        default="open",
        description="Network of the agent; `loopback`: each trial has one of its own, and reaches nothing else.",
    )
    isolation: Literal["auto", "required"] = Field(
        default="auto", description="required: refuse to run where a layer of the sandbox is missing."
    )
    seeds: Seeds = Field(
        default_factory=lambda: Seeds(max=10), description="How many slots per case and side."
    )
    concurrency: int = Field(default=4, ge=1, le=256, description="Trials at the same time.")
    gate: Gate = Field(default_factory=Gate, description="What closes the gate.")
    quarantine: Several[Quarantine] = Field(default=(), description="Cases shown but not gating.")
    base: Literal["merge-base", "branch"] = Field(
        default="merge-base",
        description="The base side's commit. merge-base: where the pull request left the base branch, so that only its own "
        "changes count. branch: the base branch's tip, whose newer changes count as the pull request's.",
    )
    on_missing_base: Literal["pass", "fail"] = Field(
        default="pass",
        description="A pull request whose base has no configuration: passes with a table of its head alone, or fails.",
    )
    paths: Several[Text] = Field(
        default=(),
        description="Globs of files, from the repository's root: a pull request that changes none of them, and nothing of "
        "the suite, passes on GitHub without being run. None: every pull request is run.",
    )
    comment: CommentMode = Field(
        default="changes",
        description="When a comment is made. always; changes: where there is more to say than passed; regressions: "
        "where the gate is not passed; off: never. One that is there is always kept up to date.",
    )
    job_exit: Literal["verdict", "published"] = Field(
        default="verdict",
        description="The job's exit code on GitHub. published: 0 once the verdict is safely in the check, which you require.",
    )
    forks: Forks = Field(
        default="live",
        description="What can pass a head of another repository. live: only a run that a maintainer starts. recorded: what "
        "the fork's own run recorded, too, though nobody can verify it.",
    )
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
