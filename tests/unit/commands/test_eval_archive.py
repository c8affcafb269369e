"""Inspect's archives: the one sample is read, whatever else comes is refused within bounds."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.commands.eval_archive import read_sample
from gatebot.commands.import_trace import inspect_trace
from gatebot.errors import InputFileError, Location

SAMPLE = {
    "id": 1,
    "epoch": 1,
    "messages": [
        {"role": "user", "content": "Where is it?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "a", "function": "track", "arguments": {"parcel": "P-9"}}],
        },
        {"role": "tool", "tool_call_id": "a", "function": "track", "content": "on its way", "error": None},
        {"role": "assistant", "content": "On its way."},
    ],
}
HERE = Location("log.eval")


def archive(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in files.items():
            written.writestr(name.replace("__", "/") + ".json", content)
    return packed.getvalue()


def test_the_sample_of_an_archive_is_a_trajectory(tmp_path: Path) -> None:
    file = tmp_path / "2026_task.eval"
    file.write_bytes(archive(header=b"{}", samples__one_epoch_1=json.dumps(SAMPLE).encode(), summaries=b"[]"))
    made = inspect_trace(file)
    assert made.format == "inspect-log"
    assert [(call.name, call.arguments) for call in made.calls()] == [("track", {"parcel": "P-9"})]
    assert made.final_text() == "On its way."


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (archive(header=b"{}"), "without samples"),
        (archive(samples__a=b"{}", samples__b=b"{}"), "2 samples"),
        (archive(samples__a=b"0" * 5_000_000), "more than"),
        (archive(samples__a=b"{}")[:40], "broken"),
        (archive(samples__a=b"{}").replace(b"samples/a", b"samples\x00a"), "broken|without samples"),
    ],
    ids=["no-sample", "two-samples", "too-long", "cut-off", "null-byte"],
)
def test_what_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(InputFileError, match=said) as caught:
        read_sample(io.BytesIO(content), HERE, most=1_000_000)
    assert caught.value.hint


@given(st.integers(0, 200), st.binary(max_size=8))
def test_a_damaged_archive_raises_nothing_else(place: int, damage: bytes) -> None:
    whole = archive(header=b"{}", samples__a=json.dumps(SAMPLE).encode())
    content = whole[:place] + damage + whole[place + len(damage) :]
    try:
        made = read_sample(io.BytesIO(content), HERE, most=100_000)
    except InputFileError:
        return
    assert made
