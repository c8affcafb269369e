"""Schemas of tools: in the configuration, in a JSON file of every known shape, and every mistake placed."""

from __future__ import annotations

import json

import pytest

from gatebot.errors import ConfigError
from gatebot.suite.load import load_config, load_suite_from
from gatebot.suite.snapshot import digests, from_json, to_json
from tests.unit.suite.suite_files import CASE, CONFIG, FilesInMemory

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
SHAPES = {
    "by name": {"search": SCHEMA},
    "tools/list": {"tools": [{"name": "search", "inputSchema": SCHEMA}]},
    "answer to tools/list": {
        "jsonrpc": "2.0",
        "result": {"tools": [{"name": "search", "inputSchema": SCHEMA}]},
    },
    "anthropic": [{"name": "search", "input_schema": SCHEMA}],
    "openai": {"tools": [{"type": "function", "function": {"name": "search", "parameters": SCHEMA}}]},
    "openai responses": {"tools": [{"type": "function", "name": "search", "parameters": SCHEMA}]},
}


def source(tools: str, content: object = None, folder: str = "") -> FilesInMemory:
    files = {f"{folder}gatebot.yaml": f"{CONFIG}tools: {tools}\n", f"{folder}golden/case.yaml": CASE}
    if content is not None:
        files[f"{folder}tools.json"] = content if isinstance(content, str) else json.dumps(content)
    return FilesInMemory(files)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("folder", ["", "suites/one/"])
def test_every_shape_of_the_file_gives_the_schema(shape: str, folder: str) -> None:
    files = source("tools.json", SHAPES[shape], folder)
    assert load_config(files, f"{folder}gatebot.yaml").config.tools == {"search": SCHEMA}


def test_schemas_in_the_configuration_and_in_the_saved_suite() -> None:
    files = source("{search: {type: object, required: [q]}}")
    suite = load_suite_from(files, files)
    assert suite.config.tools == {"search": {"type": "object", "required": ["q"]}}
    assert from_json(to_json(suite)) == suite


def test_other_schemas_are_another_grading() -> None:
    grading = {
        digests(load_suite_from(files, files)).grading
        for files in (source("{search: {}}"), source("{search: {type: object}}"), source("{}"))
    }
    assert len(grading) == 3


@pytest.mark.parametrize(
    ("tools", "content", "message"),
    [
        ("tools.json", None, "there is no file 'tools.json'"),
        ("../tools.json", None, "the tools' file lies outside the suite"),
        ("/etc/passwd", None, "the tools' file lies outside the suite"),
        ("tools.json", "{", "the tools' file cannot be read"),
        ("tools.json", 7, "the tools' file holds no tools"),
        ("tools.json", {"tools": [{"name": "a"}]}, "tool 1 of the tools' file has no name or no schema"),
        ("tools.json", {"a": {"type": "objekt"}}, "the schema of the tool 'a' is none: type"),
        ("{a: {type: 7}}", None, "the schema of the tool 'a' is none: type"),
        ("{a: {$ref: 'http://localhost/x.json'}}", None, "it refers to http://localhost/x.json"),
        ("[a]", None, "must be a JSON file's name or a schema per tool"),
    ],
)
def test_mistakes_are_placed(tools: str, content: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace("(", r"\(")) as raised:
        load_config(source(tools, content))
    location = raised.value.location
    assert location is not None
    assert (location.path, location.line) == ("gatebot.yaml", 4)
