"""How an agent is run, as people write it in gatebot.yaml."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from gatebot.model.written import (
    FUNCTION_PATTERN,
    URL_PATTERN,
    Command,
    EnvName,
    Several,
    Text,
    Written,
    mistake,
)

BUILTIN_AGENTS = ("oracle", "nop")

Place = Annotated[str, StringConstraints(pattern=r"^/[^\x00]*$", max_length=4096)]
"""An absolute path."""


class HttpAgent(Written):
    """An agent behind a URL, optionally started by a command."""

    url: str = Field(
        description="Where the request is POSTed as JSON; https, or loopback. `{port}` is the side's own free port.",
        pattern=URL_PATTERN,
    )
    start: Command | None = Field(
        default=None,
        description="Command that starts the server, run once per side; it listens on the port in the variable PORT.",
    )
    health: str | None = Field(
        default=None,
        description="URL that answers 200 when the server is ready; with `{port}` as in `url`.",
        pattern=URL_PATTERN,
    )
    start_timeout: float = Field(
        default=60.0, gt=0, le=3600, description="Seconds until a started server must be ready."
    )
    allow_private: bool = Field(
        default=False,
        description="May the URL lead into a private network (10/8, 192.168/16, …), and be plain http there?",
    )

    @model_validator(mode="after")
    def _one_port(self) -> Self:
        places = [url for url in (self.url, self.health) if url is not None]
        if self.start is None and any("{port}" in url for url in places):
            raise mistake("{port} is the port of a server that `start` starts, and there is no `start`")
        if self.start is not None and "{port}" not in self.url:
            raise mistake(
                "both sides run at once: a started server needs a port of its own",
                'write url: "http://127.0.0.1:{port}/…" and listen on the port in the variable PORT',
                key=("url",),
            )
        return self


class AgentConfig(Written):
    """How to run one trial. Exactly one of command, python, http, replay, builtin."""

    command: Command | None = Field(default=None, description="Program and arguments; one process per trial.")
    python: str | None = Field(
        default=None,
        pattern=FUNCTION_PATTERN,
        description="`package.module:function`, sync or async, run under the side's own interpreter.",
    )
    http: HttpAgent | None = Field(default=None, description="An agent behind a URL.")
    replay: Text | None = Field(default=None, description="Recorded trials: a trials.jsonl or its directory.")
    builtin: Literal["oracle", "nop"] | None = Field(
        default=None,
        description="`oracle` plays the golden, `nop` does nothing. `agent: oracle` is short for it.",
    )
    setup: Several[Text] = Field(
        default=(), description="Shell commands run once per side before its trials."
    )
    env: Several[EnvName] = Field(
        default=(), description="Names that may pass to the agent; all else is withheld."
    )
    readable: Several[Place] = Field(
        default=(),
        description="Further absolute paths the agent may read, such as a folder of model weights. Beside its checkout, "
        "its environment and the system's own directories it can read nothing.",
    )
    writable: Several[Place] = Field(
        default=(),
        description="Further absolute paths the agent may write. Trials that share a path are no independent samples any "
        "more: use it for logs and caches. Each trial's HOME and TMPDIR are its own.",
    )
    timeout: float = Field(
        default=120.0, gt=0, le=86400, description="Seconds per trial (all turns together)."
    )
    max_output_mb: float = Field(
        default=16.0, gt=0, le=1024, description="Cap on what a trial may print, in MB."
    )
    workspace: Literal["shared", "copy"] = Field(
        default="shared",
        description="shared: all trials read one checkout. copy: each gets a writable copy of its own, for agents that "
        "edit files; `expect.answer.command` then sees what the agent left.",
    )

    @model_validator(mode="after")
    def _exactly_one_kind(self) -> Self:
        kinds = ("command", "python", "http", "replay", "builtin")
        given = [kind for kind in kinds if getattr(self, kind) is not None]
        if not given:
            raise mistake(
                "the agent says not how it is run",
                'give one of command, python, http, replay: command: ["./agent"]',
            )
        if len(given) > 1:
            raise mistake(f"an agent is run in one way, here are {' and '.join(given)}", "keep one of them")
        if self.workspace == "copy" and (self.http is not None or self.replay is not None):
            raise mistake(
                f"an agent of kind {given[0]} works in no checkout of gatebot's",
                "leave `workspace` out, or run the agent as command or python",
                key=("workspace",),
            )
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
