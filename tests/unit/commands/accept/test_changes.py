"""Which cases an acceptance takes, and what is said where there is none."""

from __future__ import annotations

import pytest

from gatebot.commands.accept.changes import chosen
from gatebot.errors import UsageError
from gatebot.model.acceptance import GoldenCandidate, Undecided


@pytest.mark.parametrize(
    ("undecided", "hint"),
    [((), "gatebot record"), ((Undecided("one", "its trials disagree"),), "run the gate again")],
    ids=["none worse", "undecided"],
)
def test_where_there_is_nothing_to_accept_it_is_said_what_to_do(
    undecided: tuple[Undecided, ...], hint: str
) -> None:
    candidate = GoldenCandidate(
        suite="shop", head_sha="", result_digest="", policy_digest="", cases=(), undecided=undecided
    )
    with pytest.raises(UsageError, match="nothing to accept") as caught:
        chosen(candidate, ())
    assert hint in caught.value.hint
