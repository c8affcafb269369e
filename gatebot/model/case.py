"""A case as a person writes it: input, what is expected, the golden. Frozen models; unknown keys are errors."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Discriminator, Field, JsonValue, Tag, field_validator, model_validator

from gatebot.model.answer import (
    AllAny,
    AnswerExpectation,
    FunctionExpectation,
    JsonExpectation,
    NumberExpectation,
    ProgramExpectation,
    SimilarExpectation,
    Weighted,
)
from gatebot.model.config import ArgsMode, MatchMode
from gatebot.model.golden import AlternativeCall, AnyOf, DetailedCall, Golden, GoldenReference
from gatebot.model.grading import told_apart
from gatebot.model.written import (
    Several,
    Slug,
    Text,
    Written,
    mistake,
    tell_by_shape,
)

__all__ = [
    "CASE_SCHEMA_NAME",
    "AllAny",
    "AlternativeCall",
    "AnswerExpectation",
    "AnyOf",
    "ArgsMode",
    "ArgsRule",
    "CaseFile",
    "DetailedCall",
    "Expect",
    "FieldMatcher",
    "FieldMode",
    "FieldRule",
    "FunctionExpectation",
    "Golden",
    "GoldenReference",
    "InputMessage",
    "JsonExpectation",
    "MatchMode",
    "NumberExpectation",
    "ProgramExpectation",
    "SimilarExpectation",
    "StateAssertion",
    "StateExpectation",
    "ToolArgs",
    "TrajectoryExpectation",
    "Weighted",
]

CASE_SCHEMA_NAME = "case.v1.json"


class StateAssertion(Written):
    """`path op value` on the final state; `path` in dotted form with list indexes, e.g. orders.0.status."""

    path: str = Field(
        min_length=1, max_length=300, description="Dotted, with list indexes: `orders.0.status`."
    )
    op: Literal["==", "!=", "<", "<=", ">", ">=", "contains", "exists", "absent"] = Field(
        default="==", description="How value and state are compared; `exists` and `absent` take no value."
    )
    value: JsonValue = Field(default=None, description="What is compared.")


class StateExpectation(Written):
    """How the final state is compared with `golden.state`, and what must hold beside it."""

    mode: Literal["equal", "subset"] = Field(
        default="equal", description="subset: golden.state names what matters."
    )
    ignore: Several[Text] = Field(default=(), description="Dotted paths left out of the comparison.")
    tolerance: float = Field(default=0.0, ge=0, description="Numbers may differ by this much.")
    ignore_order: bool = Field(default=True, description="Lists are compared without regard to order.")
    assertions: Several[StateAssertion] = Field(
        default=(),
        alias="assert",
        description="Single facts: `{path: orders.0.status, op: ==, value: paid}`.",
    )


class FieldMatcher(Written):
    """How one argument is compared; exactly one of the keys."""

    regex: str | None = Field(
        default=None, min_length=1, max_length=1000, description="Found anywhere in the text."
    )
    tolerance: float | None = Field(default=None, ge=0, description="Numbers may differ by this much.")
    one_of: Several[JsonValue] | None = Field(
        default=None, min_length=1, description="Equal to one of these."
    )
    similar: float | None = Field(
        default=None, gt=0, le=1, description="At least this similar to the golden's text."
    )

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        given = [v for v in (self.regex, self.tolerance, self.one_of, self.similar) if v is not None]
        if len(given) != 1:
            raise mistake(
                "an argument is matched by exactly one of regex, tolerance, one_of, similar",
                "write {tolerance: 0.01}",
            )
        return self


FieldMode: TypeAlias = Literal["exact", "ignore", "any", "case_insensitive", "unordered"]
FieldRule: TypeAlias = Annotated[
    Annotated[FieldMode, Tag("kind:mode")] | Annotated[FieldMatcher, Tag("kind:keys")],
    tell_by_shape(
        {str: "mode", dict: "keys", FieldMatcher: "keys"}, "a mode or a matcher such as {tolerance: 0.01}"
    ),
]
ToolArgs: TypeAlias = Annotated[
    Annotated[ArgsMode, Tag("kind:mode")] | Annotated[dict[str, FieldRule], Tag("kind:keys")],
    tell_by_shape({str: "mode", dict: "keys"}, "a mode or rules per argument"),
]
ArgsRule: TypeAlias = Annotated[
    Annotated[ArgsMode, Tag("kind:mode")] | Annotated[dict[str, ToolArgs], Tag("kind:keys")],
    tell_by_shape({str: "mode", dict: "keys"}, "a mode for all tools or rules per tool"),
]


class TrajectoryExpectation(Written):
    """How the calls are compared with the golden calls."""

    match: MatchMode | None = Field(
        default=None,
        description="strict: the same calls in the same order · unordered: the same calls · superset: at least the "
        "golden calls · subset: at most. Default: the suite's.",
    )
    args: ArgsRule = Field(
        default_factory=dict[str, ToolArgs],
        description="A mode for all tools, or per tool a mode or field rules; the key `*` means every other tool.",
    )
    aliases: dict[Text, Several[Text]] = Field(
        default_factory=dict[str, tuple[str, ...]],
        description="A tool's name in this case → other names it goes by, besides `trajectory.aliases` of the suite.",
    )
    required: bool = Field(
        default=True, description="false: graded and shown, but the trial can pass without it."
    )

    @field_validator("aliases")
    @classmethod
    def _told_apart(cls, value: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return told_apart(value)


class Expect(Written):
    """What a person decides: which checks, how strict. A check that is absent is not made."""

    answer: AnswerExpectation | None = Field(default=None, description="Checks of the final answer.")
    state: StateExpectation | None = Field(
        default=None, description="Checks of the final state; `true` = equal to golden.state."
    )
    outcome: Literal["recorded"] | None = Field(
        default=None, description="The verdict of the source's own verifier is a goal check."
    )
    trajectory: TrajectoryExpectation | None = Field(
        default=None, description="How the calls are compared; golden calls are graded without it too."
    )
    require: Several[Text] = Field(default=(), description="Tools that must be called.")
    forbid: Several[Text] = Field(default=(), description="Tools that must not be called.")
    optimal_steps: int | None = Field(
        default=None, ge=0, description="Tool calls of the best run; default: golden's."
    )
    poll: Several[Text] = Field(
        default=(), description="Tools that may be called again with equal arguments."
    )

    @field_validator("state", mode="before")
    @classmethod
    def _true_is_default(cls, value: object) -> object:
        return {} if value is True else value


class InputMessage(Written):
    """A message of a scripted conversation."""

    role: Literal["system", "user", "assistant"] = Field(description="Who speaks.")
    content: str = Field(description="What is said.")


def _input_kind(value: object) -> str:
    """Text is one user turn; a list is of messages when its first item is one, and of user turns otherwise."""
    if isinstance(value, list | tuple):
        first: object = value[0] if value else None  # pyright: ignore[reportUnknownVariableType]
        return "kind:messages" if isinstance(first, dict | InputMessage) else "kind:turns"
    return "kind:text"


Input: TypeAlias = Annotated[
    Annotated[str, Tag("kind:text")]
    | Annotated[Several[str], Tag("kind:turns")]
    | Annotated[Several[InputMessage], Tag("kind:messages")],
    Discriminator(_input_kind),
]


class CaseFile(Written):
    """One file of golden/, as written."""

    id: Slug | None = Field(default=None, description="Default: the file's stem.")
    description: str | None = Field(default=None, description="For people.")
    input: Input = Field(description="One user turn, a list of user turns, or a message list.")
    context: dict[str, JsonValue] = Field(
        default_factory=dict[str, JsonValue], description="Handed to the agent."
    )
    tags: Several[Text] = Field(default=(), description="Words to group cases by.")
    timeout: float | None = Field(
        default=None, gt=0, le=86400, description="Seconds; overrides agent.timeout."
    )
    expect: Expect = Field(default_factory=Expect, description="Which checks, how strict.")
    golden: Golden | None = Field(default=None, description="The accepted reference; the file's last key.")

    @field_validator("input")
    @classmethod
    def _has_input(cls, value: object) -> object:
        if value in ("", ()):
            raise mistake("input is empty", "write what the user says")
        if isinstance(value, tuple):
            for number, turn in enumerate(value):  # pyright: ignore[reportUnknownVariableType]
                if turn == "":
                    raise mistake("a turn of the input is empty", "write what the user says", key=(number,))
        return value  # pyright: ignore[reportUnknownVariableType]
