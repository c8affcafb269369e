"""The hidden lines at the head of the comment."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatebot.render.state import CommentState, decode_state, encode_state, marker


@given(st.builds(CommentState, st.text(), st.text(), st.text(), st.text(), st.text(), st.integers(0, 10**6)))
def test_a_state_is_one_short_line_that_can_be_read_back(state: CommentState) -> None:
    line = encode_state(state)
    assert len(line) <= 2048
    assert line.count("-->") == 1
    assert "\n" not in line
    read = decode_state(f"<!-- gatebot:v1 suite=x -->\n{line}\n## x")
    assert read is not None
    assert encode_state(read) == line


def hidden(value: object) -> str:
    return f"<!-- gatebot:state {base64.b64encode(json.dumps(value).encode()).decode()} -->"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "no state",
        "<!-- gatebot:state !!! -->",
        "<!-- gatebot:state abc -->",
        "<!-- gatebot:state " + "A" * 4000 + " -->",
        hidden([1]),
        hidden("x"),
        "<!-- gatebot:state " + base64.b64encode(b"\xff\xfe").decode() + " -->",
        "<!-- gatebot:state " + base64.b64encode(b"[" * 1400).decode() + " -->",
    ],
)
def test_what_is_no_state_is_none(body: str) -> None:
    assert decode_state(body) is None


def test_fields_of_another_type_are_unknown() -> None:
    assert decode_state(hidden({"head_sha": 3, "attempt": "2", "base_sha": "abc"})) == CommentState(
        base_sha="abc"
    )


def test_a_suite_name_cannot_leave_the_marker() -> None:
    assert marker("support-agent") == "<!-- gatebot:v1 suite=support-agent -->"
    assert marker("x --> <b>\n") == "<!-- gatebot:v1 suite=x_--___b__ -->"
    assert marker("") == "<!-- gatebot:v1 suite=_ -->"
