"""JSON as a type: what crosses module borders instead of loose dictionaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

JsonScalar: TypeAlias = str | int | float | bool | None
if TYPE_CHECKING:
    JsonValue: TypeAlias = "JsonScalar | Sequence[JsonValue] | Mapping[str, JsonValue]"
else:
    # pydantic validates its own name for the same values, in Rust and with bounded depth; ours it cannot resolve.
    from pydantic import JsonValue
JsonObject: TypeAlias = "Mapping[str, JsonValue]"


def is_object(value: JsonValue) -> TypeGuard[Mapping[str, JsonValue]]:
    """Whether the value is a JSON object."""
    return isinstance(value, Mapping)


def is_array(value: JsonValue) -> TypeGuard[Sequence[JsonValue]]:
    """Whether the value is a JSON array (a string is not)."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def depth_within(value: JsonValue, limit: int) -> bool:
    """Whether nesting stays within `limit` levels; iterative, so that hostile depth cannot exhaust the stack."""
    frontier: list[tuple[JsonValue, int]] = [(value, 1)]
    while frontier:
        node, level = frontier.pop()
        children: Sequence[JsonValue] = ()
        if is_object(node):
            children = list(node.values())
        elif is_array(node):
            children = node
        if children and level >= limit:
            return False
        frontier.extend((child, level + 1) for child in children)
    return True
