"""What a suite says of grading: how golden calls are compared where a case does not say, and what its tools take."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue, Tag, field_validator

from gatebot.model.written import Several, Text, Written, mistake, tell_by_shape

MatchMode = Literal["strict", "unordered", "superset", "subset"]
ArgsMode = Literal["exact", "ignore", "subset", "superset"]

ToolSchema: TypeAlias = dict[str, JsonValue]
Tools: TypeAlias = Annotated[
    Annotated[Text, Tag("kind:file")] | Annotated[dict[Text, ToolSchema], Tag("kind:schemas")],
    tell_by_shape({str: "file", dict: "schemas"}, "a JSON file's name or a schema per tool"),
]
"""JSON Schema of the arguments per tool, or the JSON file that holds them; a loaded suite has the schemas."""


class TrajectoryDefault(Written):
    """How golden calls are graded where a case does not say."""

    match: MatchMode = Field(
        default="superset", description="How the calls made are matched with the golden calls."
    )
    args: ArgsMode = Field(default="exact", description="How the arguments of matched calls are compared.")
    engine: Literal["own", "agentevals"] = Field(
        default="own",
        description="Who decides `trajectory_match`: gatebot's matcher, or the library agentevals (see docs/agentevals.md).",
    )
    aliases: dict[Text, Several[Text]] = Field(
        default_factory=dict[str, tuple[str, ...]],
        description="A tool's name in goldens and checks → other names it goes by, `*` standing for any text: "
        "`{search: [web.search, mcp__*__search]}`. Trials and reports keep the names the agent used.",
    )
    pure: Several[Text] = Field(
        default=(),
        description="Tools that compute their result from their arguments alone, such as a calculator: `parallelism` leaves "
        "them out.",
    )

    @field_validator("aliases")
    @classmethod
    def _told_apart(cls, value: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return told_apart(value)


def told_apart(value: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The aliases, if each leads to one tool. Raises pydantic's error, with the place."""
    owner: dict[str, str] = {}
    for name, others in value.items():
        for other in others:
            if owner.setdefault(other, name) != name:
                message = f"'{other}' is an alias of both '{owner[other]}' and '{name}'"
                raise mistake(message, "keep one of them", key=(name,))
            if other in value and other != name:
                message = f"'{other}' is an alias and has aliases of its own"
                raise mistake(message, f"list them all under '{name}'", key=(name,))
    return value
