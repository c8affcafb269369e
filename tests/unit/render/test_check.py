"""The check's hidden part: read back as written, and never from words of somebody else."""

from __future__ import annotations

import base64
import zlib

import pytest

from gatebot.model.acceptance import Acceptance, AcceptedCase
from gatebot.render.check import (
    MAX_TEXT,
    Binding,
    external_id,
    hidden_text,
    read_acceptance,
    read_binding,
    run_of,
)
from gatebot.render.notice import with_notice, without_notice
from gatebot.render.state import CommentState, encode_state, marker

BINDING = Binding("shop", "a" * 40, "b" * 40, "main", 7, 2, "fail", "c" * 64, "d" * 64, "e" * 64, "f" * 64)
RECORD = Acceptance(
    "shop", "a" * 40, "b" * 40, "c" * 64, "d" * 64, "alice", "maintain", "2026-01-01T00:00:00Z",
    cases=(AcceptedCase("refund", "1" * 64, "2" * 64),), metrics=("pass_rate",),
)  # fmt: skip


def text() -> str:
    found = hidden_text(BINDING, RECORD)
    assert found is not None
    return found


def test_both_are_read_back_as_written() -> None:
    assert read_binding(text()) == BINDING
    assert read_acceptance(text()) == RECORD


def test_a_check_without_an_acceptance_has_none() -> None:
    found = hidden_text(BINDING)
    assert found is not None
    assert read_acceptance(found) is None


def many(count: int) -> Acceptance:
    return Acceptance(
        "shop", "a" * 40, "b" * 40, "c" * 64, "d" * 64, "alice", "admin", "",
        cases=tuple(AcceptedCase(f"case-{n}", f"{n * 7919:064x}"[::-1], f"{n * 104729:064x}") for n in range(count)),
    )  # fmt: skip


def test_300_cases_fit_and_endless_ones_are_refused() -> None:
    found = hidden_text(BINDING, many(300))
    assert found is not None
    assert len(found) <= MAX_TEXT
    assert read_acceptance(found) == many(300)
    import random

    pick = random.Random(1)
    words = tuple(
        AcceptedCase(f"c{n}", f"{pick.getrandbits(256):064x}", f"{pick.getrandbits(256):064x}")
        for n in range(5000)
    )
    endless = Acceptance("shop", "", "", "", "", "a", "admin", "", cases=words)
    assert hidden_text(BINDING, endless) is None


BOMB = base64.b64encode(zlib.compress(b"[" * 40_000_000, 9)).decode()
HOSTILE = [
    "",
    "<!-- gatebot:binding !!! -->",
    "<!-- gatebot:binding AAAA -->",
    f"<!-- gatebot:binding {BOMB} -->",
    f"<!-- gatebot:binding {base64.b64encode(zlib.compress(b'{}')).decode()} -->",
    text() + text(),
    "text before " + text(),
]


@pytest.mark.parametrize("found", HOSTILE, ids=range(len(HOSTILE)))
def test_anything_else_is_no_binding(found: str) -> None:
    assert read_binding(found) is None


def test_a_record_of_another_version_is_none() -> None:
    found = hidden_text(BINDING, Acceptance("s", "", "", "", "", "", "", "", schema="gatebot.acceptance/9"))
    assert found is not None
    assert read_acceptance(found) is None


@pytest.mark.parametrize(
    "other", ["", "gatebot:1", "gatebot:x:1", "gatebot:1:1:1", "gatebot:-1:1", "circleci"]
)
def test_a_foreign_external_id_is_not_ours(other: str) -> None:
    assert run_of(other) is None


def test_runs_are_ordered_by_number_and_attempt() -> None:
    assert run_of(external_id(10, 1)) == (10, 1)
    assert (run_of(external_id(10, 1)) or ()) > (run_of(external_id(9, 5)) or ())


def test_a_notice_stands_below_the_hidden_lines_and_replaces_the_last_one() -> None:
    body = f"{marker('shop')}\n{encode_state(CommentState())}\n## gatebot\nwords\n"
    once = with_notice(body, "`x` was not honoured: @everyone <b>.")
    assert once.split("\n")[0] == marker("shop")
    assert "@everyone" not in once
    assert "<b>" not in once
    assert with_notice(once, "another").count("gatebot:notice") == 1
    assert without_notice(with_notice(body, "a", "b")) == body
    assert without_notice(body) == body
