"""Arguments against the schemas that the agent's own side declared, where the suite has none: a hint, never a ruler.

Whoever changes an agent can declare a laxer schema with it, so no gate is set on what this says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

import orjson

from gatebot.errors import ConfigError
from gatebot.graders.steps import NOT_REPORTED, Steps
from gatebot.graders.tool_schemas import ToolSchemas
from gatebot.graders.wording import clip
from gatebot.importers.tool_definitions import expanded_size
from gatebot.model.grading import Tools
from gatebot.model.json_value import JsonObject
from gatebot.model.score import FULL, Score

REMEMBERED = 64
WORK_LIMIT = 400_000
BY_ITS_OWN = "by the schema that the agent's own side declared"


class DeclaredSchemas:
    """Grades by declared schemas; those of the last few different declarations are kept compiled."""

    def __init__(self) -> None:
        self._known: dict[bytes, _Declaration] = {}

    def score(self, tools: Mapping[str, JsonObject], steps: Steps) -> Score:
        """Share of calls whose arguments satisfy their declared schema, in [0, 1].

        Edges: a call whose tool has no usable schema, or whose arguments are unknown, takes no part; nothing left, too
        much work, or a pattern that takes too long = ungraded; malformed arguments do not satisfy.
        """
        if not steps.reported:
            return Score(None, NOT_REPORTED)
        if not steps.calls:
            return Score(None, "no tool was called", by_design=True)
        declaration = self._of(tools)
        judged = list(declaration.judged(steps))
        if not judged:
            return Score(None, "no call has known arguments and a schema of its tool to compare them with")
        if declaration.work(steps, judged) > WORK_LIMIT:
            return Score(None, "the arguments are too large to be compared with the declared schemas")
        try:
            found = [(index, declaration.schemas.fault(steps, index)) for index in judged]
        except (TimeoutError, RecursionError, ConfigError) as error:
            return Score(
                None, clip(f"a declared schema cannot be used: {error or type(error).__name__}", 200)
            )
        faults = [(index, fault) for index, fault in found if fault is not None]
        if not faults:
            return FULL
        index, fault = faults[0]
        more = f" (and {len(faults) - 1} more calls)" if len(faults) > 1 else ""
        reason = f"step {index + 1}: `{steps.show(index)}`: {fault}, {BY_ITS_OWN}{more}"
        return Score(1.0 - len(faults) / len(judged), reason)

    def _of(self, tools: Mapping[str, JsonObject]) -> _Declaration:
        key = orjson.dumps(tools, option=orjson.OPT_SORT_KEYS)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            known = self._known[key] = _Declaration(tools)
        return known


class _Declaration:
    """The usable ones among the declared schemas, and how much a validator may have to look at for each value."""

    def __init__(self, tools: Mapping[str, JsonObject]) -> None:
        self._sizes = {name: size for name, schema in tools.items() if (size := _size(schema)) is not None}
        self._pairwise = {name for name in self._sizes if b'"uniqueItems"' in orjson.dumps(tools[name])}
        self.schemas = ToolSchemas(cast("Tools", {name: tools[name] for name in self._sizes}))

    def judged(self, steps: Steps) -> Iterator[int]:
        """The calls that a schema says something of."""
        for index, call in enumerate(steps.calls):
            if steps.keys[index] is not None and (
                steps.names[index] in self._sizes or call.raw_name in self._sizes
            ):
                yield index

    def work(self, steps: Steps, judged: list[int]) -> int:
        """An upper bound on what comparing costs: values of the different arguments times nodes of their schema."""
        total, seen = 0, set[tuple[str, bytes]]()
        for index in judged:
            name, key = steps.names[index], steps.keys[index] or b""
            if (name, key) in seen:
                continue
            seen.add((name, key))
            tool = name if name in self._sizes else steps.calls[index].raw_name or ""
            values = key.count(b",") + key.count(b":") + 1
            total += self._sizes[tool] * values * (values if tool in self._pairwise else 1)
        return total


def _size(schema: JsonObject) -> int | None:
    """Nodes of a schema that can be used; None for what is no JSON Schema, or points outside itself or to itself."""
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import Draft202012Validator

    try:
        Draft202012Validator.check_schema(schema)
    except (SchemaError, RecursionError):
        return None
    return expanded_size(schema)
