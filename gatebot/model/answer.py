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
    semantic: bool = Field(
        default=False,
        description="Compare meanings by a small sentence model in place of words; needs `gatebot[semantic]`.",
    )


class GraderFiles(Written):
    """What every grader of the user's own has: files of the suite's folder, and a deadline."""

    files: Several[Text] = Field(
        default=(),
        description="Files the grader needs: globs relative to gatebot.yaml (`hidden/**`). No agent ever sees them.",
    )
    timeout: float = Field(default=60.0, gt=0, le=3600, description="Seconds; beyond them the check fails.")


class ProgramExpectation(GraderFiles):
    """A program of the base's files that grades the trial after the agent has ended; exit 0 = pass."""

    run: Command = Field(
        description="Program and arguments; those that name a file of the suite are taken along as `files` are."
    )


class FunctionExpectation(GraderFiles):
    """A Python function of the base's files that grades the trial after the agent has ended."""

    call: str = Field(
        pattern=FILE_OR_FUNCTION_PATTERN,
        description="`checks.py:function` or `package.module:function`; returns true, false, a score in [0, 1], or "
        "{score, reason}.",
    )
    threshold: float = Field(default=1.0, gt=0, le=1, description="Least score that passes, in (0, 1].")


class Weighted(Written):
    """A weight for each check that is given, and the share of the weights that must be earned."""

    weighted: dict[str, Annotated[float, Field(gt=0, le=1e6)]] = Field(
        min_length=1, description="Name of a check → its weight."
    )
    threshold: float = Field(gt=0, le=1, description="Least share of all weights that passes, in (0, 1].")


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
        {bool: "flag", dict: "keys", SimilarExpectation: "keys"},
        "true or {text, threshold, entities, semantic}",
    ),
]
Function: TypeAlias = Annotated[
    Annotated[str, Field(pattern=FILE_OR_FUNCTION_PATTERN), Tag("kind:text")]
    | Annotated[FunctionExpectation, Tag("kind:keys")],
    tell_by_shape(
        {str: "text", dict: "keys", FunctionExpectation: "keys"}, "`checks.py:function` or {call, files, …}"
    ),
]
Combination: TypeAlias = Annotated[
    Annotated[Literal["all", "any"], Tag("kind:word")] | Annotated[Weighted, Tag("kind:keys")],
    tell_by_shape({str: "word", dict: "keys", Weighted: "keys"}, "all, any or {weighted, threshold}"),
]


class AnswerExpectation(Written):
    """Checks of the final answer; all that are given must hold, unless `combine` says otherwise."""

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
    python: Function | None = Field(
        default=None,
        description="A function grades the trial: `checks.py:function`, `package.module:function`, or {call, files}.",
    )
    combine: Combination = Field(
        default="all",
        description="Must all checks hold, or any one, or enough by weight: "
        "`{weighted: {contains: 2, regex: 1}, threshold: 0.7}`?",
    )

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
        if isinstance(self.combine, Weighted):
            self._weigh(self.combine)
        return self

    def _weigh(self, combine: Weighted) -> None:
        """Every check has a weight and every weight a check: a forgotten one would count nothing, unseen."""
        given = [name for name in self.checks if name not in combine.weighted]
        stray = [name for name in combine.weighted if name not in self.checks]
        if stray:
            raise mistake(
                f"combine weighs '{stray[0]}', which is no check of this case",
                f"the checks are {', '.join(self.checks)}",
                key=("combine", "weighted", stray[0]),
            )
        if given:
            raise mistake(f"the check '{given[0]}' has no weight", "give every check one", key=("combine",))

    @property
    def checks(self) -> tuple[str, ...]:
        """The names of the checks that are given, as in the file."""
        fields = type(self).model_fields
        return tuple(
            field.alias or name
            for name, field in fields.items()
            if name != "combine" and getattr(self, name) is not None
        )

    @property
    def function(self) -> FunctionExpectation | None:
        """The python grader in its long form."""
        return FunctionExpectation(call=self.python) if isinstance(self.python, str) else self.python
