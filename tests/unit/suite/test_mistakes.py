"""What people get wrong in gatebot.yaml and in cases, and what they are told: place, words, hint."""

import pytest

from gatebot.errors import ConfigError
from gatebot.suite.finding import MOST_TOLD
from tests.unit.suite.case_mistakes import IN_A_CASE
from tests.unit.suite.config_mistakes import IN_THE_CONFIG
from tests.unit.suite.suite_files import findings_of, told


@pytest.mark.parametrize(("text", "message", "hint"), IN_THE_CONFIG, ids=[row[1] for row in IN_THE_CONFIG])
def test_mistakes_in_the_configuration(text: str, message: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        findings_of(config=text)
    assert told(caught.value) == (f"gatebot.yaml:{message}", hint)


@pytest.mark.parametrize(("text", "message", "hint"), IN_A_CASE, ids=[row[1] for row in IN_A_CASE])
def test_mistakes_in_a_case(text: str, message: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        findings_of(case=text)
    assert told(caught.value) == (f"golden/case.yaml:{message}", hint)


def test_of_several_mistakes_the_first_in_the_file_is_told_and_the_others_counted() -> None:
    text = "version: 1\nsuite: demo\nagent: oracle\ngate:\n  alpha: 2\n  mode: x\nconcurrency: 0\nseeds: {fixed: 0}\n"
    with pytest.raises(ConfigError) as caught:
        findings_of(config=text)
    assert (
        str(caught.value)
        == "gatebot.yaml:5:10: 'gate.alpha' must be below 0.5, found the number 2 (and 3 more)"
    )


def test_every_unknown_key_of_a_mapping_is_named_at_its_place_and_with_its_hint() -> None:
    text = "version: 1\nsuite: demo\nagnet: oracle\nconcurency: 2\nalpha: 0.1\n"
    with pytest.raises(ConfigError) as caught:
        findings_of(config=text)
    first, *others = [told(one) for one in (caught.value, *caught.value.also)]
    assert first == ("gatebot.yaml:3:1: unknown key 'agnet' (and 2 more)", "did you mean 'agent'?")
    assert others == [
        ("gatebot.yaml:4:1: unknown key 'concurency'", "did you mean 'concurrency'?"),
        ("gatebot.yaml:5:1: unknown key 'alpha'", "'alpha' belongs under 'gate'"),
    ]


def test_of_very_many_unknown_keys_some_are_named_and_all_are_counted() -> None:
    text = "version: 1\nsuite: demo\nagent: oracle\n" + "".join(f"zzz{n:03}: 1\n" for n in range(500))
    with pytest.raises(ConfigError) as caught:
        findings_of(config=text)
    assert caught.value.message == "unknown key 'zzz000' (and 499 more)"
    assert [one.message for one in caught.value.also] == [
        f"unknown key 'zzz{n:03}'" for n in range(1, MOST_TOLD)
    ]


def test_what_a_terminal_would_obey_is_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        findings_of(case='input: hi\n"\\e[31m\\nerror: x": 1\n')
    assert caught.value.message == "unknown key '\\x1b[31m\\nerror: x'"


def test_no_word_of_the_validator_reaches_people() -> None:
    said = " ".join(message + hint for _, message, hint in [*IN_THE_CONFIG, *IN_A_CASE])
    for word in (
        "pydantic",
        "Input",
        "Extra",
        "tuple",
        "dict",
        "None",
        "True",
        "False",
        "kind:",
        "union",
        "valid ",
    ):
        assert word not in said
