"""The schemas of the suite's tools: as the configuration has them, or from the JSON file that it names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import cast

from gatebot.errors import ConfigError, ImportFormatError, Location
from gatebot.importers.strict_json import parse_json
from gatebot.model.grading import ToolSchema
from gatebot.model.json_value import JsonValue, is_array, is_object
from gatebot.suite.loaded import ConfigFile
from gatebot.suite.source import FileSource

_SCHEMA_KEYS = ("inputSchema", "input_schema", "parameters")
_SHAPES = '{name: schema}, or a list of tools as {"tools": [{"name": …, "inputSchema": …}]}'


def with_tools(source: FileSource, config: ConfigFile) -> ConfigFile:
    """The configuration with its tools' schemas read and checked: each is a JSON Schema that refers only to itself.

    Raises: ConfigError, located.
    """
    written = config.config.tools
    if written is None:
        return config
    place = config.document.locate(("tools",))
    tools = _read(source, config.folder, written, place) if isinstance(written, str) else written
    for name, schema in tools.items():
        fault = schema_fault(schema)
        if fault is not None:
            inline = not isinstance(written, str)
            raise ConfigError(
                f"the schema of the tool '{name[:80]}' is none: {fault}",
                "write JSON Schema, e.g. {type: object, properties: {q: {type: string}}, required: [q]}",
                location=config.document.locate(("tools", name), key=True) if inline else place,
            )
    return ConfigFile(config.config.model_copy(update={"tools": tools}), config.document)


def schema_fault(schema: ToolSchema) -> str | None:
    """What is wrong with a schema, or None: no JSON Schema, or a reference to another document."""
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for

    try:
        validator_for(schema, default=Draft202012Validator).check_schema(schema)
    except SchemaError as error:
        return f"{'.'.join(map(str, error.absolute_path)) or 'it'}: {error.message[:200]}"
    except RecursionError:
        return "it is nested too deep"
    return next(
        (
            f"it refers to {target[:100]}"
            for target in _references(cast("JsonValue", schema))
            if target[0:1] != "#"
        ),
        None,
    )


def _references(schema: JsonValue) -> Iterator[str]:
    stack: list[JsonValue] = [schema]
    while stack:
        node = stack.pop()
        if is_object(node):
            for key in ("$ref", "$dynamicRef"):
                if isinstance(target := node.get(key), str):
                    yield target
            stack.extend(node.values())
        elif is_array(node):
            stack.extend(node)


def _read(source: FileSource, folder: str, name: str, place: Location) -> dict[str, ToolSchema]:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or not name.isprintable():
        raise ConfigError(
            "the tools' file lies outside the suite", "copy it beside this file", location=place
        )
    try:
        document = parse_json(source.read(str(PurePosixPath(folder) / path)), source=name)
    except FileNotFoundError:
        raise ConfigError(
            f"there is no file '{name}'", "write it relative to this file", location=place
        ) from None
    except ImportFormatError as error:
        raise ConfigError(f"the tools' file cannot be read: {error}", error.hint, location=place) from error
    return dict(_tools(document, place))


def _tools(document: JsonValue, place: Location) -> Iterator[tuple[str, ToolSchema]]:
    """Name and schema of each tool in a document of any of the known shapes."""
    whole = document.get("result") if is_object(document) and "result" in document else document
    listed = whole.get("tools") if is_object(whole) else whole
    if is_array(listed):
        for number, tool in enumerate(listed):
            found = _listed_tool(tool)
            if found is None:
                raise ConfigError(
                    f"tool {number + 1} of the tools' file has no name or no schema", _SHAPES, location=place
                )
            yield found
    elif is_object(whole) and all(is_object(schema) for schema in whole.values()):
        yield from ((name, _schema(schema)) for name, schema in whole.items())
    else:
        raise ConfigError("the tools' file holds no tools", _SHAPES, location=place)


def _listed_tool(tool: JsonValue) -> tuple[str, ToolSchema] | None:
    inner = tool.get("function", tool) if is_object(tool) else None
    if not is_object(inner) or not isinstance(name := inner.get("name"), str) or not name:
        return None
    schema = next((inner[key] for key in _SCHEMA_KEYS if key in inner), None)
    return (name, _schema(schema)) if is_object(schema) else None


def _schema(schema: JsonValue) -> ToolSchema:
    return cast("ToolSchema", schema)
