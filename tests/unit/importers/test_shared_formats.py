"""Real files in thirty formats, where they are at hand: what their index says must come out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

from gatebot.importers.detect import load_text
from gatebot.importers.fields import inner, objects, string
from gatebot.model.json_value import JsonObject, JsonValue

FORMATS = Path(__file__).parents[4] / "shared" / "data" / "formats"
INDEX = FORMATS / "index.json"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not INDEX.is_file(), reason="../shared/data/formats is not here"),
]

ERRORS_ONLY_IN_TEXT = {
    # OpenAI chat has no flag for errors: the one failed call shows only in a text that starts with "Error:".
    "openai-chat.airline.json": 1,
}


def entries() -> list[JsonObject]:
    return objects(cast("JsonValue", json.loads(INDEX.read_text()))) if INDEX.is_file() else []


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: str(entry["file"]))
def test_what_the_index_says_comes_out(entry: JsonObject) -> None:
    name = string(entry["file"]) or ""
    expected = inner(entry, "expected")
    trajectory = load_text((FORMATS / name).read_bytes(), source=name)
    told: JsonValue = [{"name": call.name, "args": call.arguments} for call in trajectory.calls()]
    assert told == expected["tool_calls"]
    assert trajectory.final_text() == expected["final_answer"]
    flagged = sum(call.is_error is True for call in trajectory.calls())
    assert flagged + ERRORS_ONLY_IN_TEXT.get(name, 0) == expected["n_tool_errors"]


def test_every_file_is_in_the_index() -> None:
    held = {path.name for path in FORMATS.iterdir()} - {"index.json", "README.md"}
    assert held == {string(entry["file"]) for entry in entries()}
