"""What the keys of a human file mean and where they belong, read from the models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from gatebot.suite.yaml_places import Path


def meaning(model: type[BaseModel], path: Path) -> str:
    """The description of the key at `path`, empty when the models do not say."""
    models = [model]
    description = ""
    for part in path:
        if isinstance(part, int):
            continue
        field = next((found for one in models if (found := _field(one, part)) is not None), None)
        if field is None:
            models = list(
                models
            )  # a key people choose, such as a metric's name: its value has the same models
            continue
        description = field.description or ""
        models = list(models_in(field.annotation))
    return description


def likely_parent(model: type[BaseModel], key: str) -> str | None:
    """The one key of the file below which `key` is known, dotted; None when there is none or several."""
    found = sorted(
        {".".join(path) for path, one in _below(model, ()) if path and _field(one, key) is not None}
    )
    shallow = [name for name in found if name.count(".") == min(other.count(".") for other in found)]
    return shallow[0] if len(shallow) == 1 else None


def _field(model: type[BaseModel], key: str) -> FieldInfo | None:
    return next((f for name, f in model.model_fields.items() if (f.alias or name) == key), None)


def _below(
    model: type[BaseModel], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], type[BaseModel]]]:
    yield path, model
    for name, field in model.model_fields.items():
        for child in models_in(field.annotation):
            yield from _below(child, (*path, field.alias or name))


def models_in(annotation: object) -> Iterator[type[BaseModel]]:
    """The models an annotation mentions, inside containers and unions too."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from models_in(argument)
