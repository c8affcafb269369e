"""What the attacker says is believed only as far as it goes: an attack without a word was not held off."""

from __future__ import annotations

import pytest

from gatebot.process import attacker
from gatebot.process.program import Ended
from gatebot.process.selftest import SelfTest, result_of

NAMES = ("one", "two")


def said(text: str) -> Ended:
    return Ended("exited", exit_code=0, stdout=text.encode())


@pytest.mark.parametrize(
    ("text", "held", "breaches"),
    [
        ("held one\nheld two\n", ("one", "two"), ()),
        ("held one\nopen two\n", ("one",), ("two",)),
        ("held one\n", ("one",), ("two",)),
        ("held one\nheld two\nopen two\n", ("one",), ("two",)),
        ("held three\nheld one", ("one",), ("two",)),
        ("\xff\x00", (), ("one", "two")),
    ],
)
def test_only_a_clear_word_counts(text: str, held: tuple[str, ...], breaches: tuple[str, ...]) -> None:
    assert result_of(said(text), NAMES) == SelfTest(held, breaches)


@pytest.mark.parametrize(
    ("ended", "word"),
    [
        (Ended("not_started", stage="program", errno=2), "no python3"),
        (Ended("timeout"), "without a word (timeout)"),
        (Ended("signaled", signal=9), "without a word (signaled)"),
    ],
)
def test_an_attacker_that_did_not_run_is_told(ended: Ended, word: str) -> None:
    result = result_of(ended, NAMES)
    assert word in result.trouble
    assert (result.held, result.breaches) == ((), ())


def test_every_attack_says_what_it_is_after() -> None:
    assert all(function.__doc__ for function in attacker.ATTACKS.values())
    assert len(attacker.ATTACKS) >= 15
