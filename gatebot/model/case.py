"""A case as a person writes it: input, what is expected, the golden. Frozen models; unknown keys are errors."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, JsonValue, field_validator, model_validator

from gatebot.model.config import Command, Slug, Written

ArgsMode = Literal["exact", "ignore", "subset", "superset"]
MatchMode = Literal["strict", "unordered", "superset", "subset"]
CASE_SCHEMA_NAME = "case.v1.json"


class AllAny(Written):
    """Several strings: all of them, and at least one of another set."""

    all: tuple[str, ...] = ()
    any: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if not self.all and not self.any:
            message = "an empty expectation would always pass: give at least one string"
            raise ValueError(message)
        return self


class JsonExpectation(Written):
    """The answer, parsed as JSON, contains this value; numbers within `tolerance`."""

    value: JsonValue
    tolerance: float = Field(default=0.0, ge=0)
    exact: bool = Field(default=False, description="Equal, not just containing.")


class NumberExpectation(Written):
    """Some number in the answer lies within `tolerance` of `value`; with `unit`, that unit must stand beside it."""

    value: float
    tolerance: float = Field(default=0.0, ge=0)
    unit: str | None = Field(default=None, min_length=1, max_length=20)


class SimilarExpectation(Written):
    """The answer is similar to the reference (default: `golden.answer`), behind number, date and negation guards."""

    text: str | None = None
    threshold: float = Field(default=0.8, gt=0, le=1)
    entities: tuple[str, ...] = Field(default=(), description="Names that must occur in the answer.")


class ProgramExpectation(Written):
    """A program of the base's files that grades the trial after the agent has ended; exit 0 = pass."""

    run: Command
    timeout: float = Field(default=60.0, gt=0, le=3600)


class AnswerExpectation(Written):
    """Checks of the final answer; all that are given must hold (or any, with `combine: any`)."""

    exact: Annotated[str, Field(min_length=1)] | Literal[True] | None = Field(
        default=None, description="Equal after case and space folding; `true` compares with golden.answer."
    )
    contains: Annotated[str, Field(min_length=1)] | tuple[Annotated[str, Field(min_length=1)], ...] | AllAny | None = (
        Field(default=None, description="A string, a list (all of them) or {all: […], any: […]}.")
    )
    regex: str | None = Field(default=None, min_length=1, max_length=1000, description="Found anywhere in the answer.")
    json_: JsonExpectation | None = Field(default=None, alias="json")
    number: float | NumberExpectation | None = None
    similar: Literal[True] | SimilarExpectation | None = None
    command: ProgramExpectation | None = None
    python: str | None = Field(default=None, pattern=r"^[\w./-]+\.py:[A-Za-z_]\w*$|^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")
    combine: Literal["all", "any"] = "all"

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if self.contains == ():
            message = "an empty `contains` would always pass"
            raise ValueError(message)
        given = self.model_dump(exclude={"combine"}, exclude_none=True)
        if not given:
            message = "an empty answer expectation would always pass: name at least one check"
            raise ValueError(message)
        return self


class StateAssertion(Written):
    """`path op value` on the final state; `path` in dotted form with list indexes, e.g. orders.0.status."""

    path: str = Field(min_length=1, max_length=300)
    op: Literal["==", "!=", "<", "<=", ">", ">=", "contains", "exists", "absent"] = "=="
    value: JsonValue = None


class StateExpectation(Written):
    """How the final state is compared with `golden.state`, and what must hold beside it."""

    mode: Literal["equal", "subset"] = Field(default="equal", description="subset: golden.state names what matters.")
    ignore: tuple[str, ...] = Field(default=(), description="Dotted paths left out of the comparison.")
    tolerance: float = Field(default=0.0, ge=0, description="Numbers may differ by this much.")
    ignore_order: bool = Field(default=True, description="Lists are compared without regard to order.")
    assertions: tuple[StateAssertion, ...] = Field(default=(), alias="assert")


class FieldMatcher(Written):
    """How one argument is compared; exactly one of the keys."""

    regex: str | None = Field(default=None, min_length=1, max_length=1000)
    tolerance: float | None = Field(default=None, ge=0)
    one_of: tuple[JsonValue, ...] | None = Field(default=None, min_length=1)
    similar: float | None = Field(default=None, gt=0, le=1)

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        given = [v for v in (self.regex, self.tolerance, self.one_of, self.similar) if v is not None]
        if len(given) != 1:
            message = "an argument matcher needs exactly one of regex, tolerance, one_of, similar"
            raise ValueError(message)
        return self


FieldRule: TypeAlias = Literal["exact", "ignore", "any", "case_insensitive", "unordered"] | FieldMatcher
ToolArgs: TypeAlias = ArgsMode | dict[str, FieldRule]


class TrajectoryExpectation(Written):
    """How the calls are compared with the golden calls."""

    match: MatchMode | None = Field(default=None, description="strict · unordered · superset · subset.")
    args: ArgsMode | dict[str, ToolArgs] = Field(
        default_factory=dict[str, ToolArgs],
        description="A mode for all tools, or per tool a mode or field rules; the key `*` means every other tool.",
    )
    required: bool = Field(default=True, description="false: graded and shown, but the trial can pass without it.")


class Expect(Written):
    """What a person decides: which checks, how strict. A check that is absent is not made."""

    answer: AnswerExpectation | None = None
    state: StateExpectation | None = None
    outcome: Literal["recorded"] | None = Field(
        default=None, description="The verdict of the source's own verifier is a goal check."
    )
    trajectory: TrajectoryExpectation | None = None
    require: tuple[str, ...] = Field(default=(), description="Tools that must be called.")
    forbid: tuple[str, ...] = Field(default=(), description="Tools that must not be called.")
    optimal_steps: int | None = Field(default=None, ge=0, description="Tool calls of the best run; default: golden's.")
    poll: tuple[str, ...] = Field(default=(), description="Tools that may be called again with equal arguments.")

    @field_validator("state", mode="before")
    @classmethod
    def _true_is_default(cls, value: object) -> object:
        return {} if value is True else value


class DetailedCall(Written):
    """A golden call in its long form."""

    call: str = Field(min_length=1)
    args: dict[str, JsonValue] | None = Field(default=None, description="Absent: arguments are not compared.")
    id: str | None = None
    after: tuple[str, ...] = ()
    optional: bool = False


class AnyOf(Written):
    """One of several calls will do."""

    any_of: tuple[DetailedCall | dict[str, dict[str, JsonValue] | None] | str, ...] = Field(min_length=2)
    optional: bool = False


ShortCall: TypeAlias = dict[str, dict[str, JsonValue] | None]
CallItem: TypeAlias = DetailedCall | AnyOf | ShortCall | str
GoldenItem: TypeAlias = CallItem | tuple[CallItem, ...]


class GoldenReference(Written):
    """One accepted reference."""

    answer: str | None = None
    state: JsonValue = None
    calls: tuple[GoldenItem, ...] | None = Field(
        default=None, description="`tool: {args}` per item; calls that may run in parallel share one item."
    )
    messages: JsonValue = Field(default=None, description="A recorded message list in place of `calls`.")

    @model_validator(mode="after")
    def _calls_or_messages(self) -> Self:
        if self.calls is not None and self.messages is not None:
            message = "give golden.calls or golden.messages, not both"
            raise ValueError(message)
        for item in self.calls or ():
            for call in item if isinstance(item, tuple) else (item,):
                if isinstance(call, dict) and len(call) != 1:
                    message = "a golden call is one `tool: {arguments}`; several calls in one item form a list"
                    raise ValueError(message)
        return self


class Golden(GoldenReference):
    """The accepted reference of a case; `variants` are further accepted ones (the best one counts)."""

    variants: tuple[GoldenReference, ...] = ()


class InputMessage(Written):
    """A message of a scripted conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class CaseFile(Written):
    """One file of golden/, as written."""

    id: Slug | None = Field(default=None, description="Default: the file's stem.")
    description: str | None = None
    input: str | tuple[str, ...] | tuple[InputMessage, ...] = Field(
        description="One user turn, a list of user turns, or a message list."
    )
    context: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue], description="Handed to the agent.")
    tags: tuple[str, ...] = ()
    timeout: float | None = Field(default=None, gt=0, le=86400, description="Seconds; overrides agent.timeout.")
    expect: Expect = Field(default_factory=Expect)
    golden: Golden | None = None

    @field_validator("input")
    @classmethod
    def _has_input(cls, value: object) -> object:
        if value in ("", ()):
            message = "input is empty: write what the user says"
            raise ValueError(message)
        return value
