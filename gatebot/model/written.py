"""What every file people write has in common: frozen, strict models whose mistakes can be told in people's words."""

from __future__ import annotations

import functools
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Strict, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

T = TypeVar("T")

Several = Annotated[tuple[T, ...], Strict(strict=False)]
"""A list in the file, a tuple here. Not strict in the container alone: files hold lists, and only items need care."""

SLUG_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
ENV_NAME_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]{0,127}$"
FUNCTION_PATTERN = r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$"
FILE_OR_FUNCTION_PATTERN = r"^[\w./-]+\.py:[A-Za-z_]\w*$|^[A-Za-z_][\w.]*:[A-Za-z_]\w*$"
URL_PATTERN = r"^https?://"

Slug = Annotated[str, StringConstraints(pattern=SLUG_PATTERN)]
EnvName = Annotated[str, StringConstraints(pattern=ENV_NAME_PATTERN)]
Text = Annotated[str, Field(min_length=1)]
Command = Annotated[
    tuple[Annotated[str, Field(max_length=4096)], ...],
    Strict(strict=False),
    Field(min_length=1, max_length=256),
]

KIND_PREFIX = "kind:"
"""Begins the tag of a union's member, so that tags in an error's path are told from keys of the file."""

UNKNOWN_KEY = "unknown_key"
MISTAKE = "mistake"
WRONG_SHAPE = "wrong_shape"


def mistake(message: str, hint: str = "", *, key: tuple[str | int, ...] = ()) -> PydanticCustomError:
    """A validator's error with its own hint. `key` leads from the validated value to the one that is to blame."""
    return PydanticCustomError(MISTAKE, "{message}", {"message": message, "hint": hint, "key": key})


@functools.cache
def written_keys(model: type[BaseModel]) -> tuple[str, ...]:
    """The keys a person may write for `model`, in the order of its fields."""
    return tuple(field.alias or name for name, field in model.model_fields.items())


class Written(BaseModel):
    """A model for a file people write: frozen, strict, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, value: object) -> object:
        """Refuse unknown keys before anything else: a misspelt key is not also reported as missing."""
        if isinstance(value, dict):
            known = written_keys(cls)
            unknown = [str(key) for key in value if key not in known]  # pyright: ignore[reportUnknownVariableType]
            if unknown:
                raise PydanticCustomError(
                    UNKNOWN_KEY,
                    "unknown key '{key}'",
                    {"key": unknown[0], "keys": unknown, "known": list(known)},
                )
        return value  # pyright: ignore[reportUnknownVariableType]


def tell_by_shape(kinds: dict[type, str], expected: str) -> Discriminator:
    """Discriminator of a union whose members differ in their JSON type: an error then names one member, not all.

    `kinds`: type → tag without its prefix; `expected` says in words what may stand here.
    """

    def kind(value: object) -> str | None:
        tag = kinds.get(type(value))
        return None if tag is None else KIND_PREFIX + tag

    return Discriminator(kind, WRONG_SHAPE, f"must be {expected}")
