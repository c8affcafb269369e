"""What validating says of `paths`: a glob that names nothing lets pull requests pass without a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatebot.commands.doctor import doctor
from gatebot.commands.validate import validate
from gatebot.errors import ConfigError
from gatebot.suite.finding import MOST_TOLD
from tests.builders import CONFIG, shop


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """The root of a repository that holds the shop."""
    (tmp_path / ".git").mkdir()
    for name, text in shop().items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text or "", encoding="utf-8")
    return tmp_path


def with_paths(suite: Path, paths: str) -> list[str]:
    """The messages of the warnings."""
    (suite / "gatebot.yaml").write_text(f"{CONFIG}paths: {paths}\n", encoding="utf-8")
    return [one.message for one in validate(suite, "gatebot.yaml").warnings]


def test_a_glob_that_names_no_file_is_warned_of(suite: Path) -> None:
    before = with_paths(suite, "[agent.py, golden, '.github/**', 'web/node_modules/x']")
    found = with_paths(suite, "[agnet.py, golden]")
    assert [one for one in found if one not in before] == [
        "the glob 'agnet.py' names no file of this repository",
        "`paths` leaves out 'agent.py', which the agent is started from",
    ]


def test_below_the_root_it_is_not_known_which_files_there_are(suite: Path) -> None:
    (suite / ".git").rmdir()
    assert with_paths(suite, "[elsewhere]") == with_paths(suite, "[agent.py]")


def test_a_glob_of_another_tools_is_an_error_at_its_place(suite: Path) -> None:
    with pytest.raises(ConfigError, match="cannot exclude") as caught:
        with_paths(suite, "[agent.py, '!docs/**']")
    assert caught.value.location is not None
    assert caught.value.location.line == CONFIG.count("\n") + 1


@pytest.mark.parametrize(
    ("agent", "found"),
    [
        ("{command: [python3, agent.py]}", []),
        ("{command: [./run.sh]}", []),
        ("{command: [python3, -m, agent, --out, /tmp/x.py]}", []),
        ("{command: [python3 agent.py]}", ["has a space in its name: 'python3 agent.py'"]),
        ("{command: [pyhton3, agnet.py]}", ["is in none of /usr/local/sbin", "not there: 'agnet.py'"]),
        ("{command: [pyhton3, agnet.py], setup: [make]}", []),
        ("{command: [./agent.py]}", ["is no program of the repository: './agent.py'"]),
        ("{http: {url: 'http://127.0.0.1:{port}/', start: [python3, serve.py]}}", ["agent.http.start names a script"]),
        ("oracle", []),
    ],
    ids=["sound", "own", "module", "space", "absent", "setup", "not executable", "server", "builtin"],
)  # fmt: skip
def test_a_command_whose_program_or_script_is_not_there_is_warned_of(
    suite: Path, agent: str, found: list[str]
) -> None:
    (suite / "agent.py").write_text("")
    (suite / "run.sh").write_text("#!/bin/sh\n")
    (suite / "run.sh").chmod(0o755)
    (suite / "gatebot.yaml").write_text(f"version: 1\nsuite: shop\nagent: {agent}\n", encoding="utf-8")
    told = validate(suite, "gatebot.yaml").warnings
    assert len(told) == len(found), told
    for message, one in zip(found, told, strict=True):
        assert message in one.message
        assert (one.location.path, one.location.line) == ("gatebot.yaml", 3)


def test_a_case_file_with_the_other_ending_is_warned_of(suite: Path) -> None:
    (suite / "compose.yml").write_text("a: 1\n")
    before = validate(suite, "gatebot.yaml").warnings
    (suite / "golden" / "sla.yml").write_text("input: sla?\n")
    (found,) = (one for one in validate(suite, "gatebot.yaml").warnings if one not in before)
    assert (found.location.path, found.level) == ("golden/sla.yml", "warning")
    (suite / "gatebot.yaml").write_text(
        f"{CONFIG}cases: ['golden/*.yaml', 'golden/*.yml']\n", encoding="utf-8"
    )
    (suite / "golden" / "sla.yml").write_text("input: sla?\nexpect: {answer: {contains: known}}\n")
    assert validate(suite, "gatebot.yaml").warnings == before


def test_the_mistakes_of_all_files_are_told_together(suite: Path) -> None:
    (suite / "golden" / "address.yaml").write_text("input: x\ntags: 7\nexpect: 3\n", encoding="utf-8")
    (suite / "golden" / "hours.yaml").write_text("input: [\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        validate(suite, "gatebot.yaml")
    told = [str(one) for one in (caught.value, *caught.value.also)]
    assert [one.partition(":")[0] for one in told] == [
        *["golden/address.yaml"] * (len(told) - 1),
        "golden/hours.yaml",
    ]
    assert len(told) >= 3
    assert told[0].endswith(f"(and {len(told) - 1} more)")
    assert not any("more)" in one for one in told[1:])


def test_mistakes_in_the_configuration_are_told_together_and_in_order(suite: Path) -> None:
    (suite / "gatebot.yaml").write_text(f"{CONFIG}network: 7\ntrajectory: 3\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        validate(suite, "gatebot.yaml")
    places = [one.location.line for one in (caught.value, *caught.value.also) if one.location]
    assert places == [CONFIG.count("\n") + 1, CONFIG.count("\n") + 2]


def test_no_more_than_twenty_mistakes_are_told(suite: Path) -> None:
    for number in range(30):
        (suite / "golden" / f"bad{number}.yaml").write_text("inptu: x\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        validate(suite, "gatebot.yaml")
    assert len(caught.value.also) == MOST_TOLD - 1


@pytest.mark.parametrize(("paths", "warned"), [("[golden]", True), ("[agent.py]", False), ("['**']", False)])
def test_paths_that_leave_out_what_the_agent_starts_from_are_warned_of(
    suite: Path, paths: str, *, warned: bool
) -> None:
    told = [one for one in with_paths(suite, paths) if "leaves out 'agent.py'" in one]
    assert bool(told) is warned
    assert any("leaves out 'agent.py'" in one.message for one in doctor(suite, None)) is warned
