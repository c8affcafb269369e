"""The tools that a source says its agent had, as JSON Schemas: bounded, self-contained, and free of what only describes.

A schema that points outside itself, at itself, or that could cost a validator more than it is worth is left out with a
warning; nothing is ever fetched. Whoever grades by these schemas grades an agent by what the agent's side declared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import orjson

from gatebot.importers.fields import first, items, obj, objects, shown, text
from gatebot.importers.loose_values import from_text
from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from gatebot.model.trajectory import Trajectory

MAX_TOOLS = 128
MAX_NAME = 200
MAX_SCHEMA_BYTES = 16_384
MAX_TOTAL_BYTES = 131_072
MAX_DEPTH = 24
MAX_EXPANDED = 2_000

_SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema")
_MAPS = frozenset(("properties", "$defs", "definitions", "dependentSchemas"))
_ONE = frozenset(
    ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
)  # keywords whose value is a schema
_MANY = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_PLAIN = frozenset(
    (
        *("type", "enum", "const", "required", "pattern", "minLength", "maxLength", "minimum", "maximum"),
        *("exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems"),
        *("minProperties", "maxProperties", "minContains", "maxContains", "dependentRequired", "$ref"),
    )
)
_REFUSED = frozenset(
    (
        *("$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "patternProperties"),
        *("unevaluatedProperties", "unevaluatedItems", "dependencies"),
    )
)


class _UnusableError(Exception):
    """Why a schema is left out."""


def expanded_size(schema: JsonObject) -> int | None:
    """Nodes of a schema with every reference followed; None beyond `MAX_EXPANDED`, or where it leads to itself."""
    try:
        return _Expansion(schema).size(schema)
    except _UnusableError:
        return None


def declare(trajectory: Trajectory, *listed: JsonValue) -> Trajectory:
    """The trajectory with the tools in these lists (JSON text or values; None is no list); of one name the first counts.

    Known shapes: OpenAI's function tools, Anthropic's and MCP's tools, Bedrock's `toolSpec`, Gemini's
    `functionDeclarations`, Inspect's and ATIF's. At most `MAX_TOOLS` of `MAX_SCHEMA_BYTES` each, `MAX_TOTAL_BYTES` in all.
    """
    tools = dict(trajectory.tools)
    warnings = dict.fromkeys(trajectory.warnings)
    size = sum(len(orjson.dumps(schema)) for schema in tools.values())
    for name, written in _definitions(listed):
        if name in tools:
            continue
        if len(tools) >= MAX_TOOLS or len(name) > MAX_NAME:
            warnings[f"more than {MAX_TOOLS} tools, or names too long: the schemas of some were left out"] = (
                None
            )
            break
        try:
            schema = _self_contained(written)
            size += len(orjson.dumps(schema))
            if size > MAX_TOTAL_BYTES:
                warnings["the tools' schemas are too large together: some were left out"] = None
                break
            tools[name] = schema
        except _UnusableError as error:
            if len(warnings) < MAX_TOOLS:
                warnings[f"the schema of the tool {shown(name)} was left out: {error}"] = None
    if not tools and len(warnings) == len(trajectory.warnings):
        return trajectory
    return replace(trajectory, tools=tools, warnings=tuple(warnings))


def _definitions(listed: Iterable[JsonValue]) -> Iterator[tuple[str, JsonObject]]:
    """Name and schema of each tool; a tool without a schema takes no part, one without a name neither."""
    for written in listed:
        for item in items(from_text(written)):
            tool = obj(from_text(item))
            declared = first(tool, "functionDeclarations", "function_declarations")
            for one in objects(declared) if declared is not None else [tool]:
                inner = obj(first(one, "function", "toolSpec")) or one
                name = text(inner, "name")
                schema = obj(from_text(first(inner, *_SCHEMA_KEYS)))
                schema = obj(first(schema, "json", "jsonSchema")) or schema  # Bedrock and Vercel wrap theirs
                if name and schema:
                    yield name, schema


def _self_contained(written: JsonObject) -> dict[str, JsonValue]:
    """The schema with nothing but what validates. Raises _UnusableError."""
    schema = _kept(written, 0)
    try:
        size = len(orjson.dumps(schema))
    except (TypeError, RecursionError):
        raise _UnusableError("it is no JSON") from None
    if size > MAX_SCHEMA_BYTES:
        raise _UnusableError(f"more than {MAX_SCHEMA_BYTES} bytes")
    _Expansion(schema).size(schema)
    return schema


def _kept(schema: JsonObject, depth: int) -> dict[str, JsonValue]:
    if depth > MAX_DEPTH:
        raise _UnusableError(f"nested more than {MAX_DEPTH} deep")
    kept: dict[str, JsonValue] = {}
    for key, value in schema.items():
        if key in _REFUSED:
            raise _UnusableError(f"{key} is not followed")
        if key == "$ref" and not (isinstance(value, str) and value.startswith("#/")):
            raise _UnusableError("it refers to another document, and nothing is fetched")
        if key in _MAPS and is_object(value):
            kept[key] = {name: _schema(inner, depth + 1) for name, inner in value.items()}
        elif key in _MANY and is_array(value):
            kept[key] = [_schema(inner, depth + 1) for inner in value]
        elif key in _ONE:
            kept[key] = _schema(value, depth + 1)
        elif key == "type":
            kept[key] = _lower(value, nullable=schema.get("nullable") is True)
        elif key in _PLAIN:
            kept[key] = value
    return kept


def _schema(value: JsonValue, depth: int) -> JsonValue:
    if isinstance(value, bool):
        return value
    if not is_object(value):
        raise _UnusableError("it is no JSON Schema")
    return _kept(value, depth)


def _lower(kind: JsonValue, *, nullable: bool) -> JsonValue:
    """Gemini writes OBJECT for object, and `nullable` beside it."""
    if not isinstance(kind, str):
        return kind
    return [kind.lower(), "null"] if nullable else kind.lower()


class _Expansion:
    """How large a schema is once every reference is followed: twenty definitions of two references each are a million."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._known: dict[str, int | None] = {}

    def size(self, node: JsonValue) -> int:
        """Nodes of `node`, references followed. Raises _UnusableError beyond the limit and for one that leads to itself."""
        total, stack = 0, [node]
        while stack:
            value = stack.pop()
            total += 1
            if is_object(value):
                target = value.get("$ref")
                if isinstance(target, str):
                    total += self._referred(target)
                stack.extend(value.values())
            elif is_array(value):
                stack.extend(value)
            if total > MAX_EXPANDED:
                raise _UnusableError("it grows too large where its references are followed")
        return total

    def _referred(self, target: str) -> int:
        if target not in self._known:
            if len(self._known) > MAX_DEPTH * 4:
                raise _UnusableError("too many references")
            self._known[target] = None
            self._known[target] = self.size(self._at(target))
        found = self._known[target]
        if found is None:
            raise _UnusableError("it refers to itself")
        return found

    def _at(self, target: str) -> JsonValue:
        node: JsonValue = self._root
        for part in target[2:].split("/"):
            name = part.replace("~1", "/").replace("~0", "~")
            if not is_object(node) or name not in node:
                raise _UnusableError("it refers to nothing")
            node = node[name]
        return node
