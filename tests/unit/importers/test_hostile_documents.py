"""Whatever the JSON says: a trajectory that can be stored, or the typed error, within bounded time."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatebot.errors import ImportFormatError
from gatebot.importers.code_calls import CodeReader
from gatebot.importers.detect import FORMATS, load, load_text
from gatebot.importers.document_text import parse_documents
from gatebot.importers.strict_json import parse_json
from gatebot.model.json_value import JsonValue, is_array, is_object
from gatebot.model.trial import Trial
from gatebot.results.trial_line import encode_trial

FIXTURES = sorted((Path(__file__).parent / "fixtures").iterdir())


def document_of(path: Path) -> JsonValue:
    documents = parse_documents(path.read_bytes())
    return documents[0] if len(documents) == 1 else list(documents)


DOCUMENTS = [document_of(path) for path in FIXTURES]


def vocabulary() -> tuple[list[str], list[str]]:
    """Every key and every short string of the fixtures: what hostile documents are made of."""
    keys: set[str] = set()
    texts: set[str] = set()
    frontier: list[JsonValue] = list(DOCUMENTS)
    while frontier:
        node = frontier.pop()
        if is_object(node):
            keys.update(node)
            frontier.extend(node.values())
        elif is_array(node):
            frontier.extend(node)
        elif isinstance(node, str) and len(node) < 40:
            texts.add(node)
    return sorted(keys), sorted(texts)


KEYS, TEXTS = vocabulary()
SCALARS = (
    st.none()
    | st.booleans()
    | st.sampled_from([0, -1, 1.5, 2**63, 1e300, 10**17])
    | st.sampled_from(TEXTS)
    | st.sampled_from(["", "{", "[]", '{"a":', "\x00", "0001-01-01T00:00:00+23:59", "9" * 30, "{'a': 1e999}"])
)
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=25,
)


def changed(document: JsonValue, steps: list[int], value: JsonValue) -> JsonValue:
    """The document with the value at the place that `steps` lead to, a step a level."""
    if not steps:
        return value
    if is_object(document) and document:
        key = sorted(document)[steps[0] % len(document)]
        return {**document, key: changed(document[key], steps[1:], value)}
    if is_array(document) and document:
        place = steps[0] % len(document)
        return [*document[:place], changed(document[place], steps[1:], value), *document[place + 1 :]]
    return value


def complaint(document: JsonValue) -> ImportFormatError | None:
    """The typed error; None when the document is a trajectory, which can then be stored, or refused to be."""
    try:
        trajectory = load(document)
    except ImportFormatError as error:
        return error
    with contextlib.suppress(ValueError):  # says that it cannot be stored, and is so told
        encode_trial(Trial("case", "head", 0, 1, "completed", trajectory=trajectory))
    return None


def is_stored_or_refused(document: JsonValue) -> None:
    error = complaint(document)
    assert error is None or (error.hint and len(error.message) < 400)


@given(VALUES)
def test_any_document_of_known_words(document: JsonValue) -> None:
    is_stored_or_refused(document)


@given(
    st.sampled_from(DOCUMENTS),
    st.lists(st.tuples(st.lists(st.integers(0, 50), min_size=1, max_size=9), VALUES), min_size=1, max_size=3),
)
def test_any_true_document_with_some_places_changed(
    document: JsonValue, changes: list[tuple[list[int], JsonValue]]
) -> None:
    for steps, value in changes:
        document = changed(document, steps, value)
    is_stored_or_refused(document)


@given(st.sampled_from(DOCUMENTS), st.lists(st.integers(0, 50), max_size=9), VALUES)
def test_detection_never_raises(document: JsonValue, steps: list[int], value: JsonValue) -> None:
    broken = changed(document, steps, value)
    for known in FORMATS:
        assert known.detects(broken) in (True, False)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_only_plain_chat_is_contained_in_other_formats(path: Path) -> None:
    seen = [known.name for known in FORMATS if known.detects(document_of(path))]
    assert set(seen[1:]) <= {"openai-chat"}


def nested(levels: int, *path: str) -> JsonValue:
    """A value inside a list or object inside another and so on; `path` names the keys that lead a level down."""
    value: JsonValue = {"stringValue": "x"}
    for _ in range(levels):
        value = [value]
        for key in reversed(path):
            value = {key: value}
    return value


@pytest.mark.parametrize("levels", [20, 300, 5000])
@pytest.mark.parametrize("path", [(), ("content",), ("arrayValue", "values"), ("child_runs",), ("parts",)])
def test_depth_that_was_not_read_from_text(levels: int, path: tuple[str, ...]) -> None:
    """A caller may hand in more depth than text is read with: still no exception but the typed one."""
    deep = nested(levels, *path)
    span = {"name": "x", "attributes": [{"key": "gen_ai.system", "value": deep}]}
    call = {"id": "a", "function": {"name": "t", "arguments": deep}}
    documents: list[JsonValue] = [
        deep,
        {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]},
        [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "content": deep}],
        [{"type": "ai", "content": "", "tool_calls": [{"name": "t", "args": deep, "id": "a"}]}],
        [{"run_type": "tool", "trace_id": "t", "name": "t", "inputs": deep, "outputs": deep}],
        {"observations": [{"traceId": "t", "type": "TOOL", "input": deep, "output": deep}]},
    ]
    for document in documents:
        with contextlib.suppress(ImportFormatError):
            load(document)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 10_000 + "]" * 10_000,
        '[{"role":"assistant","content":' + "[" * 10_000,
        '[{"role": "user", "content": "' + "x" * 70_000_000 + '"}]',
        '[{"role": "user", "content": NaN}]',
        '[{"role": "user", "role": "assistant", "content": "x"}]',
        r'[{"role": "user", "content": "\ud800"}]',
        '{"a": 1}\n' * 10 + "oops",
    ],
    ids=["deep", "deep content", "long string", "NaN", "duplicate key", "lone surrogate", "broken line"],
)
def test_hostile_text_is_refused(text: str) -> None:
    with pytest.raises(ImportFormatError):
        load_text(text)


CALLS = 20_000
MANY = {
    "calls of one turn, results backwards": [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": str(i), "function": {"name": "t", "arguments": "{}"}} for i in range(CALLS)
            ],
        },
        *({"role": "tool", "tool_call_id": str(i), "content": "r"} for i in reversed(range(CALLS))),
    ],
    "results of nothing": [{"role": "tool", "tool_call_id": str(i), "content": "r"} for i in range(CALLS)],
    "one id": [
        message
        for _ in range(CALLS)
        for message in (
            {"role": "assistant", "content": "", "tool_calls": [{"id": "x", "function": {"name": "t"}}]},
            {"role": "tool", "tool_call_id": "y", "content": "r"},
        )
    ],
    "text in crumbs": [{"role": "assistant", "content": [{"type": "text", "text": "x"}] * CALLS}] * 3,
    "tool spans": [
        {"object": "trace.span", "span_data": {"type": "function", "name": "t", "input": "{}", "output": "x"}}
    ]
    * CALLS,
    "model spans that tell of each other": [
        {
            "object": "trace.span",
            "span_data": {
                "type": "generation",
                "input": [
                    {
                        "role": "assistant",
                        "content": "",
                        "tool_calls": [{"id": str(i), "function": {"name": "t"}}],
                    },
                    {"role": "tool", "tool_call_id": str(i), "content": "r"},
                ],
                "output": [
                    {
                        "role": "assistant",
                        "content": "",
                        "tool_calls": [{"id": str(i), "function": {"name": "t"}}],
                    }
                ],
            },
        }
        for i in range(CALLS // 10)
    ],
}


@pytest.mark.parametrize("name", MANY)
def test_time_grows_with_the_document_and_not_with_its_square(name: str) -> None:
    document = parse_json(json.dumps(MANY[name]))
    started = time.process_time()
    load(document)
    assert time.process_time() - started < 8


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *"()[]{}:,=\n'\"\\#@",
                "track",
                "(",
                ")",
                "x=",
                "1e999",
                "\n    ",
                "for n in ",
                "def f",
                "f'{",
                "}'",
                "\0",
                "\ud800",
            ]
        )
        | st.text(max_size=5),
        max_size=30,
    )
)
def test_any_code_is_read_or_refused_and_what_is_read_can_be_stored(parts: list[str]) -> None:
    made = CodeReader(frozenset({"final_answer"})).calls("".join(parts))
    for name, arguments in made or ():
        assert name
        orjson.dumps([name, arguments.values, arguments.raw])
