"""What the agent did in a trial: messages with parsed tool calls and their results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from gatebot.model.json_value import JsonValue

Role = Literal["system", "user", "assistant"]
Executor = Literal["client", "server", "mcp"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money of one response or one trial; None = unknown, never 0 by default.

    `input_tokens` includes cached tokens; `cost_usd` in US dollars; `responses` = model responses counted.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    cost_usd: float | None = None
    responses: int | None = None

    @property
    def total_tokens(self) -> int | None:
        """Input plus output tokens, or None when neither is known."""
        if self.input_tokens is None and self.output_tokens is None:
            return None
        return (self.input_tokens or 0) + (self.output_tokens or 0)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One step: a tool call with its result.

    `arguments` None means unknown (no verdict on arguments) unless `arguments_error` says why the raw text could
    not be parsed. `is_error` None means the source does not say: unknown is not success.
    """

    id: str
    name: str
    arguments: dict[str, JsonValue] | None
    raw_arguments: str | None = None
    arguments_error: str | None = None
    result: str | None = None
    is_error: bool | None = None
    raw_name: str | None = None
    executor: Executor = "client"
    agent: str | None = None
    started_at: float | None = None
    ended_at: float | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message. Tool results live on the calls they answer; an assistant message is a turn, its calls parallel."""

    role: Role
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    agent: str | None = None
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A trial's messages in order, the format they came in, and what the importer wants the reader to know.

    `graph`: node names per superstep for LangGraph-like sources, empty otherwise. `tools`: name → JSON Schema of the
    arguments, as the source says the agent's tools were; declared by the agent's side, so a claim and no ruler.
    `turn_limit`: the source's words for a stop by a limit of turns; empty where it tells of none.
    """

    messages: tuple[Message, ...] = ()
    format: str = "none"
    warnings: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    graph: tuple[tuple[str, ...], ...] = ()
    tools: dict[str, dict[str, JsonValue]] = field(
        default_factory=dict[str, dict[str, JsonValue]], hash=False
    )
    turn_limit: str = ""

    def turns(self) -> Iterator[Message]:
        """The assistant messages, in order."""
        return (message for message in self.messages if message.role == "assistant")

    def calls(self) -> tuple[ToolCall, ...]:
        """Every tool call, in order: the steps."""
        return tuple(call for message in self.messages for call in message.calls)

    def final_text(self) -> str | None:
        """The text of the last assistant message that has any and calls no tool after it; None when there is none."""
        for message in reversed(self.messages):
            if message.role == "assistant":
                return message.text if message.text and not message.calls else None
        return None
