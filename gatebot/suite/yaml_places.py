"""Where in a YAML text a value stands: found by reading the text a second time, only when somebody must be told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias, cast

import yaml

Path: TypeAlias = tuple[str | int, ...]
Mark: TypeAlias = tuple[int, int]

LOADER = cast("type[yaml.SafeLoader]", getattr(yaml, "CSafeLoader", yaml.SafeLoader))
"""libyaml's parser. Without it (no wheel for the platform) the pure Python one is right too, but slow."""


@dataclass(slots=True)
class _Spot:
    """A list or mapping on the way; `label` is the key or index of the value that comes next or is being read."""

    is_mapping: bool
    label: str | int | None = None
    key_mark: Mark = (1, 1)


def find_marks(text: str, path: Path) -> tuple[Mark, Mark]:
    """(line, column) of key and of value at `path` in `text`, which was read before; the deepest part that exists.

    Nothing is kept but the way to the present event, so that a place costs a second reading and no memory.
    """
    stack: list[_Spot] = []
    found = ((1, 1), (1, 1))
    matched = -1
    events = cast("Iterator[yaml.Event]", yaml.parse(text, Loader=LOADER))
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            stack.pop()
            if len(stack) <= matched:
                return found
            if stack and stack[-1].is_mapping:
                stack[-1].label = None
        elif isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
            mark = (event.start_mark.line + 1, event.start_mark.column + 1)
            top = stack[-1] if stack else None
            if (
                top is not None
                and top.is_mapping
                and top.label is None
                and isinstance(event, yaml.ScalarEvent)
            ):
                top.label, top.key_mark = event.value, mark
                continue
            if top is not None and not top.is_mapping:
                top.label = 0 if top.label is None else int(top.label) + 1
            if matched == len(stack) - 1 and (top is None or top.label == path[matched]):
                matched += 1
                found = (top.key_mark if top is not None and top.is_mapping else mark, mark)
                if matched == len(path):
                    return found
            if isinstance(event, yaml.CollectionStartEvent):
                stack.append(_Spot(isinstance(event, yaml.MappingStartEvent)))
            elif top is not None and top.is_mapping:
                top.label = None
    return found
