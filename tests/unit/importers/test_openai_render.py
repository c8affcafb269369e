"""Any trajectory as OpenAI chat: read again, it is the same; ids are unique, so that a result names one call."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from gatebot.importers.detect import load, load_text
from gatebot.importers.fields import inner, objects, text
from gatebot.importers.openai_render import render_openai_chat
from gatebot.model.trajectory import Message, ToolCall

FIXTURES = sorted((Path(__file__).parent / "fixtures").iterdir())


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_what_was_rendered_reads_as_the_same(path: Path) -> None:
    trajectory = load_text(path.read_bytes())
    again = load(render_openai_chat(trajectory.messages))
    said = [(m.role, m.text) for m in trajectory.messages]
    assert [(m.role, m.text) for m in again.messages] == said
    calls = [(c.name, c.arguments, c.result) for c in trajectory.calls()]
    assert [(c.name, c.arguments, c.result) for c in again.calls()] == calls


def test_every_call_has_an_id_of_its_own() -> None:
    calls = tuple(
        ToolCall(i, "t", {}, result=r) for i, r in (("", "1"), ("x", "2"), ("x", "3"), ("call-1", None))
    )
    rendered = render_openai_chat([Message("assistant", "go", calls)])
    ids = [text(call, "id") for call in objects(rendered[0]["tool_calls"])]
    assert len(set(ids)) == 4
    assert ids[1] == "x"
    assert ids[3] == "call-1"
    assert [(text(m, "tool_call_id"), m["content"]) for m in rendered[1:]] == [
        (ids[0], "1"),
        (ids[1], "2"),
        (ids[2], "3"),
    ]


def test_arguments_are_text_of_the_object_or_what_was_written() -> None:
    known = ToolCall("a", "t", {"ü": [1, {"b": None}]})
    broken = dataclasses.replace(
        known, id="b", arguments=None, raw_arguments="{oops", arguments_error="malformed"
    )
    unknown = dataclasses.replace(known, id="c", arguments=None)
    rendered = render_openai_chat([Message("assistant", "", (known, broken, unknown))])
    written = [inner(call, "function")["arguments"] for call in objects(rendered[0]["tool_calls"])]
    assert json.loads(str(written[0])) == {"ü": [1, {"b": None}]}
    assert written[1:] == ["{oops", "{}"]
