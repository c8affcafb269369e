"""What a case may expect of the final answer, as a person writes it."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, JsonValue, Tag, model_validator

from gatebot.model.written import (
    FILE_OR_FUNCTION_PATTERN,
    Command,
    Several,
    Text,
    Written,
    mistake,
    tell_by_shape,
)


class AllAny(Written):
    """Several strings: all of them, and at least one of another set."""

    all: Several[Text] = Field(default=(), description="Each of these must occur.")
    any: Several[Text] = Field(default=(), description="At least one of these must occur.")

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if not self.all and not self.any:
            raise mistake("an empty expectation would always pass", "give at least one string")
        return self


class JsonExpectation(Written):
    """The answer, parsed as JSON, contains this value; numbers within `tolerance`."""

    value: JsonValue = Field(description="What the answer must contain: keys of objects, items of lists.")
    tolerance: float = Field(default=0.0, ge=0, description="Numbers may differ by this much.")
    exact: bool = Field(default=False, description="Equal, not just containing.")


class NumberExpectation(Written):
    """Some number in the answer lies within `tolerance` of `value`; with `unit`, that unit must stand beside it."""

    value: float = Field(description="The number looked for.")
    tolerance: float = Field(default=0.0, ge=0, description="It may differ by this much.")
    unit: str | None = Field(
        default=None, min_length=1, max_length=20, description="Stands beside it: %, EUR, kg."
    )


class SimilarExpectation(Written):
    """The answer is similar to the reference (default: `golden.answer`), behind number, date and negation guards."""

    text: Text | None = Field(default=None, description="The reference; default: golden.answer.")
    threshold: float = Field(default=0.8, gt=0, le=1, description="Least similarity, in (0, 1].")
    entities: Several[Text] = Field(default=(), description="Names that must occur in the answer.")


class ProgramExpectation(Written):
    """A program of the base's files that grades the trial after the agent has ended; exit 0 = pass."""

    run: Command = Field(description="Program and arguments.")
    timeout: float = Field(default=60.0, gt=0, le=3600, description="Seconds; beyond them the check fails.")


Exact: TypeAlias = Annotated[
    Annotated[Text, Tag("kind:text")] | Annotated[Literal[True], Tag("kind:flag")],
    tell_by_shape({str: "text", bool: "flag"}, "text, or true for golden.answer"),
]
Contains: TypeAlias = Annotated[
    Annotated[Text, Tag("kind:text")]
    | Annotated[Several[Text], Tag("kind:list")]
    | Annotated[AllAny, Tag("kind:keys")],
    tell_by_shape(
        {str: "text", list: "list", tuple: "list", dict: "keys", AllAny: "keys"}, "text, a list or {all, any}"
    ),
]
Number: TypeAlias = Annotated[
    Annotated[float, Tag("kind:number")] | Annotated[NumberExpectation, Tag("kind:keys")],
    tell_by_shape(
        {int: "number", float: "number", dict: "keys", NumberExpectation: "keys"}, "a number or {value, …}"
    ),
]
Similar: TypeAlias = Annotated[
    Annotated[Literal[True], Tag("kind:flag")] | Annotated[SimilarExpectation, Tag("kind:keys")],
    tell_by_shape(
        {bool: "flag", dict: "keys", SimilarExpectation: "keys"}, "true or {text, threshold, entities}"
    ),
]


class AnswerExpectation(Written):
    """Checks of the final answer; all that are given must hold (or any, with `combine: any`)."""

    exact: Exact | None = Field(
        default=None, description="Equal after case and space folding; `true` compares with golden.answer."
    )
    contains: Contains | None = Field(
        default=None, description="A string, a list (all of them) or {all: […], any: […]}."
    )
    regex: str | None = Field(
        default=None, min_length=1, max_length=1000, description="Found anywhere in the answer."
    )
    json_: JsonExpectation | None = Field(
        default=None, alias="json", description="The answer is JSON and holds a value."
    )
    number: Number | None = Field(default=None, description="A number occurs in the answer.")
    similar: Similar | None = Field(
        default=None, description="Close to a reference in words; `true` compares with golden.answer."
    )
    command: ProgramExpectation | None = Field(default=None, description="A program grades the trial.")
    python: str | None = Field(
        default=None,
        pattern=FILE_OR_FUNCTION_PATTERN,
        description="A function grades the trial: `checks.py:function` or `package.module:function`.",
    )
    combine: Literal["all", "any"] = Field(default="all", description="Must all checks hold, or any one?")

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if self.contains == ():
            raise mistake(
                "an empty `contains` would always pass", "give at least one string", key=("contains",)
            )
        given = self.model_fields_set - {"combine"}
        if all(getattr(self, name) is None for name in given):
            raise mistake(
                "an empty answer expectation would always pass", "name at least one check, such as contains"
            )
        return self
