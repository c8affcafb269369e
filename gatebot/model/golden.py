"""The golden of a case as a person (or `record`, or `accept`) writes it: answer, final state, calls."""

from __future__ import annotations

from typing import Annotated, Self, TypeAlias, cast

from pydantic import Discriminator, Field, JsonValue, Tag, model_validator

from gatebot.model.written import Several, Text, Written, mistake, tell_by_shape

Arguments: TypeAlias = dict[str, JsonValue]
ShortCall: TypeAlias = Annotated[dict[str, Arguments | None], Field(min_length=1, max_length=1)]


class AlternativeCall(Written):
    """A golden call in its long form, where one of several will do."""

    call: Text = Field(description="The tool.")
    args: Arguments | None = Field(default=None, description="Absent: arguments are not compared.")


class DetailedCall(AlternativeCall):
    """A golden call in its long form."""

    id: Text | None = Field(default=None, description="A name for `after` to refer to.")
    after: Several[Text] = Field(default=(), description="Ids of calls that must come before.")
    optional: bool = Field(default=False, description="May be left out.")


def _call_kind(value: object) -> str:
    """Which of the forms of a golden call this is.

    `{call: search}` is the long form of a call of `search`; `{call: {…}}` the short form for a tool named call.
    """
    if isinstance(value, list | tuple):
        return "kind:parallel"
    if isinstance(value, AnyOf):
        return "kind:any_of"
    if isinstance(value, AlternativeCall):
        return "kind:long"
    if isinstance(value, dict):
        keys = cast("dict[str, object]", value)
        if isinstance(keys.get("any_of"), list | tuple):
            return "kind:any_of"
        return "kind:long" if isinstance(keys.get("call"), str) else "kind:short"
    return "kind:name"


Alternative: TypeAlias = Annotated[
    Annotated[Text, Tag("kind:name")]
    | Annotated[AlternativeCall, Tag("kind:long")]
    | Annotated[ShortCall, Tag("kind:short")],
    Discriminator(_call_kind, "not_a_call", "must be a golden call, `tool: {arguments}`"),
]


class AnyOf(Written):
    """One of several calls will do."""

    any_of: Several[Alternative] = Field(min_length=2, description="The calls, in any form.")
    id: Text | None = Field(default=None, description="A name for `after` to refer to.")
    after: Several[Text] = Field(default=(), description="Ids of calls that must come before.")
    optional: bool = Field(default=False, description="May be left out.")


CallItem: TypeAlias = Annotated[
    Annotated[Text, Tag("kind:name")]
    | Annotated[AnyOf, Tag("kind:any_of")]
    | Annotated[DetailedCall, Tag("kind:long")]
    | Annotated[ShortCall, Tag("kind:short")],
    Discriminator(_call_kind, "not_a_call", "must be a golden call, `tool: {arguments}`"),
]
GoldenItem: TypeAlias = Annotated[
    Annotated[Text, Tag("kind:name")]
    | Annotated[AnyOf, Tag("kind:any_of")]
    | Annotated[DetailedCall, Tag("kind:long")]
    | Annotated[ShortCall, Tag("kind:short")]
    | Annotated[Annotated[Several[CallItem], Field(min_length=1)], Tag("kind:parallel")],
    Discriminator(_call_kind, "not_a_call", "must be a golden call, `tool: {arguments}`"),
]


GraphItem: TypeAlias = Annotated[
    Annotated[Text, Tag("kind:node")]
    | Annotated[Annotated[Several[Text], Field(min_length=1)], Tag("kind:turn")],
    tell_by_shape({str: "node", list: "turn", tuple: "turn"}, "a node's name or the nodes of a turn"),
]


class GoldenReference(Written):
    """One accepted reference."""

    answer: str | None = Field(
        default=None, description="The final answer. Default with `messages`: their last text."
    )
    state: JsonValue = Field(default=None, description="The final state, compared as expect.state says.")
    calls: Several[GoldenItem] | None = Field(
        default=None, description="`tool: {args}` per item; calls that may run in parallel share one item."
    )
    graph: Several[GraphItem] | None = Field(
        default=None,
        min_length=1,
        description="Nodes that a LangGraph graph goes through: their names in order, or a list of names per turn.",
    )
    messages: JsonValue = Field(default=None, description="A recorded message list in place of `calls`.")

    @model_validator(mode="after")
    def _calls_or_messages(self) -> Self:
        if self.calls is not None and self.messages is not None:
            raise mistake("golden has both calls and messages", "keep one of them", key=("messages",))
        if self.graph and len({isinstance(item, str) for item in self.graph}) > 1:
            raise mistake("golden.graph mixes nodes and turns", "write a list per turn", key=("graph",))
        return self


class Golden(GoldenReference):
    """The accepted reference of a case; `variants` are further accepted ones (the best one counts)."""

    variants: Several[GoldenReference] = Field(default=(), description="Further accepted references.")
