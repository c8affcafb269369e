"""The tools that sources say their agents had: every format that tells them, every bound, and nothing fetched."""

from __future__ import annotations

import json
import socket
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.importers.detect import detect, load
from gatebot.importers.tool_definitions import MAX_TOOLS, declare, expanded_size
from gatebot.model.json_value import JsonObject, JsonValue
from gatebot.model.trajectory import Trajectory

WRITTEN: dict[str, JsonValue] = {
    "type": "object",
    "title": "Search",
    "description": "Finds things.",
    "properties": {"title": {"type": "string", "description": "of the thing"}},
    "required": ["title"],
}
KEPT: JsonObject = {
    "type": "object",
    "properties": {"title": {"type": "string"}},
    "required": ["title"],
}
FUNCTION: JsonValue = {"type": "function", "function": {"name": "search", "parameters": WRITTEN}}
FLAT: JsonValue = {"type": "function", "name": "search", "parameters": WRITTEN}
ANTHROPIC: JsonValue = {"name": "search", "input_schema": WRITTEN}
CHAT: list[JsonValue] = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]


def span(attributes: JsonObject) -> JsonObject:
    return {"name": "chat", "attributes": attributes, "start_time": 1, "end_time": 2}


SOURCES: dict[str, tuple[str, JsonValue]] = {
    "chat request": ("openai-chat", {"messages": CHAT, "tools": [FUNCTION]}),
    "chat request and response": ("openai-chat", {"request": {"messages": CHAT, "tools": [FUNCTION]}}),
    "legacy functions": (
        "openai-chat",
        {"messages": CHAT, "functions": [{"name": "search", "parameters": WRITTEN}]},
    ),
    "anthropic": (
        "anthropic-messages",
        {
            "messages": [
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "a", "name": "search", "input": {}}],
                }
            ],
            "tools": [ANTHROPIC],
        },
    ),
    "responses": (
        "openai-responses",
        {"object": "response", "output": [{"type": "message", "role": "assistant"}], "tools": [FLAT]},
    ),
    "converse": (
        "bedrock-converse",
        {
            "messages": [{"role": "user", "content": [{"text": "Hi"}]}],
            "toolConfig": {"tools": [{"toolSpec": {"name": "search", "inputSchema": {"json": WRITTEN}}}]},
        },
    ),
    "gemini": (
        "gemini-contents",
        {
            "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
            "tools": [
                {"functionDeclarations": [{"name": "search", "parameters": {**WRITTEN, "type": "OBJECT"}}]}
            ],
        },
    ),
    "atif": (
        "atif",
        {
            "schema_version": "ATIF-v1.5",
            "agent": {"name": "a", "tool_definitions": [FUNCTION]},
            "steps": [{"source": "user", "message": "Hi"}],
        },
    ),
    "inspect": (
        "inspect-log",
        {
            "eval": {},
            "samples": [
                {
                    "messages": [{"role": "user", "content": "Hi"}],
                    "events": [
                        {"event": "tool", "tools": [ANTHROPIC]},
                        {"event": "model", "tools": [{"name": "search", "parameters": WRITTEN}]},
                    ],
                }
            ],
        },
    ),
    "langsmith": (
        "langsmith",
        {
            "id": "1",
            "run_type": "llm",
            "trace_id": "1",
            "extra": {"invocation_params": {"tools": [FUNCTION]}},
            "outputs": {"message": {"role": "assistant", "content": "Hi"}},
        },
    ),
    "langfuse": (
        "langfuse",
        {
            "observations": [
                {"type": "GENERATION", "traceId": "1", "input": {"messages": CHAT, "tools": [FUNCTION]}}
            ]
        },
    ),
    "langfuse over otel": (
        "langfuse",
        {
            "observations": [
                {
                    "type": "GENERATION",
                    "traceId": "1",
                    "metadata": {"attributes": {"gen_ai.tool.definitions": json.dumps([FLAT])}},
                }
            ]
        },
    ),
    "otel": (
        "otel-genai",
        [span({"gen_ai.operation.name": "chat", "gen_ai.tool.definitions": json.dumps([FLAT])})],
    ),
    "otel, structured": (
        "otel-genai",
        [span({"gen_ai.operation.name": "chat", "gen_ai.tool.definitions": [FLAT]})],
    ),
    "vercel": (
        "otel-genai",
        [span({"ai.operationId": "ai.generateText.doGenerate", "ai.prompt.tools": [json.dumps(FLAT)]})],
    ),
    "traceloop": (
        "otel-genai",
        [
            span(
                {
                    "traceloop.span.kind": "task",
                    "llm.request.functions.0.name": "search",
                    "llm.request.functions.0.parameters": json.dumps(WRITTEN),
                }
            )
        ],
    ),
    "strands": (
        "otel-genai",
        [
            span(
                {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": "search",
                    "gen_ai.tool.json_schema": json.dumps({"json": WRITTEN}),
                }
            )
        ],
    ),
    "openinference": (
        "openinference",
        [span({"openinference.span.kind": "LLM", "llm.tools.0.tool.json_schema": json.dumps(FUNCTION)})],
    ),
    "openinference, invocation": (
        "openinference",
        [
            span(
                {
                    "openinference.span.kind": "LLM",
                    "llm.invocation_parameters": json.dumps({"tools": [ANTHROPIC]}),
                }
            )
        ],
    ),
}


@pytest.mark.parametrize("source", SOURCES)
def test_every_format_that_tells_the_tools_is_read(source: str) -> None:
    name, document = SOURCES[source]
    assert detect(document) == name
    found = load(document)
    assert found.tools == {"search": KEPT}
    assert not [warning for warning in found.warnings if "schema" in warning]


def test_a_tool_s_result_that_looks_like_a_list_of_tools_is_none() -> None:
    result = json.dumps({"tools": [FUNCTION]})
    assert not load([*CHAT, {"role": "assistant", "content": result}]).tools


def told(schema: JsonObject) -> Trajectory:
    return declare(Trajectory(), [{"name": "t", "parameters": dict(schema)}])


def bomb(levels: int) -> JsonObject:
    definitions: dict[str, JsonValue] = {"d0": {"type": "string"}}
    for level in range(1, levels):
        below = {"$ref": f"#/$defs/d{level - 1}"}
        definitions[f"d{level}"] = {"allOf": [below, below]}
    return {"$defs": definitions, "allOf": [{"$ref": f"#/$defs/d{levels - 1}"}]}


def nested(depth: int) -> JsonObject:
    schema: dict[str, JsonValue] = {"type": "string"}
    for _ in range(depth):
        schema = {"properties": {"a": schema}}
    return schema


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"$ref": "http://localhost:1/schema.json"}, "nothing is fetched"),
        ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, "nothing is fetched"),
        ({"$ref": "#"}, "nothing is fetched"),
        ({"$ref": 7}, "nothing is fetched"),
        ({"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, "it refers to itself"),
        ({"properties": {"a": {"$ref": "#/$defs/b"}}}, "it refers to nothing"),
        ({"$dynamicRef": "#x"}, "$dynamicRef is not followed"),
        ({"patternProperties": {"(a+)+$": {}}}, "patternProperties is not followed"),
        (bomb(40), "it grows too large"),
        (nested(60), "nested more than"),
        ({"enum": ["x" * 20_000]}, "more than 16384 bytes"),
        ({"properties": {"a": 7}}, "it is no JSON Schema"),
    ],
)
def test_a_hostile_schema_is_left_out_with_the_reason(
    schema: JsonObject, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("something was fetched")

    monkeypatch.setattr(socket.socket, "connect", refused)
    begun = time.process_time()
    found = told(schema)
    assert not found.tools
    assert any(why in warning and "'t'" in warning for warning in found.warnings), found.warnings
    assert time.process_time() - begun < 1


def test_a_reference_inside_the_schema_is_kept() -> None:
    schema: JsonObject = {"$defs": {"a": {"type": "string"}}, "properties": {"x": {"$ref": "#/$defs/a"}}}
    assert told(schema).tools == {"t": schema}
    assert expanded_size(schema) is not None


def test_there_are_at_most_so_many_tools_and_so_much_of_them() -> None:
    many: list[JsonValue] = [{"name": f"t{n}", "parameters": {"type": "object"}} for n in range(500)]
    found = declare(Trajectory(), many)
    assert len(found.tools) == MAX_TOOLS
    assert len(found.warnings) == 1
    big: list[JsonValue] = [{"name": f"t{n}", "parameters": {"enum": ["x" * 15_000]}} for n in range(50)]
    found = declare(Trajectory(), big)
    assert len(found.tools) == 8
    assert "too large together" in found.warnings[0]


def test_of_one_name_the_first_schema_counts() -> None:
    laxer: JsonValue = {"name": "search", "parameters": {"type": "object"}}
    assert declare(Trajectory(), [ANTHROPIC], [laxer]).tools == {"search": KEPT}
    assert declare(declare(Trajectory(), [ANTHROPIC]), [laxer]).tools == {"search": KEPT}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "$ref",
                    "type",
                    "properties",
                    "items",
                    "allOf",
                    "$defs",
                    "name",
                    "parameters",
                    "function",
                    "a",
                ]
            ),
            inner | st.sampled_from(["#/$defs/a", "#/properties/a", "http://x", "#/~1"]),
            max_size=5,
        )
    ),
    max_leaves=30,
)


@given(JSON)
def test_whatever_is_listed_never_raises(listed: JsonValue) -> None:
    found = declare(Trajectory(), listed, [{"name": "t", "parameters": listed}])
    assert all(expanded_size(schema) is not None for schema in found.tools.values())
