"""What lint says of a configuration, seen together with its cases."""

import pytest

from gatebot.errors import ConfigError
from gatebot.suite.lint import lint_suite
from gatebot.suite.load import load_cases, load_config, load_suite_from
from tests.unit.suite.suite_files import CONFIG, FilesInMemory, findings_of, suite_of

H = "input: hi\n"


IN_THE_CONFIG = [
    (
        "trajectory: {pure: [calc]}\ntools: {calculator: {type: object}}\n",
        "warning",
        "4:21",
        "trajectory.pure names 'calc', which is none of the tools",
    ),
    (
        "trajectory: {pure: ['mcp__*']}\n",
        "error",
        "4:21",
        "'mcp__*' is a pattern, and pure tools are named",
    ),
    (
        "trajectory: {pure: ['add(a=1)']}\n",
        "error",
        "4:21",
        "a tool's name has no arguments in brackets: add(a=1)",
    ),
    (
        "quarantine: [{case: cas, reason: moved, until: 2030-01-01}]\n",
        "error",
        "4:21",
        "quarantine names the case 'cas', which does not exist",
    ),
    (
        "gate: {scope: generalize}\n",
        "error",
        "4:15",
        "scope generalize needs 10 cases or more, the suite has 1",
    ),
    (
        "accept: {label: x, override_label: x}\n",
        "error",
        "4:1",
        "one label cannot both accept and override",
    ),
    (
        "gate: {metrics: {trajectory_match: {}}}\n",
        "warning",
        "4:18",
        "trajectory_match gates, but no case has what it is measured by",
    ),
    (
        "gate: {metrics: {state_match: {}}}\n",
        "warning",
        "4:18",
        "state_match gates, but no case has what it is measured by",
    ),
    (
        "quarantine: [{case: case, reason: moved, until: 2030-01-01}]\n",
        "warning",
        "4:1",
        "every case is quarantined: nothing can close the gate",
    ),
]


@pytest.mark.parametrize(("more", "level", "place", "message"), IN_THE_CONFIG)
def test_the_configuration(more: str, level: str, place: str, message: str) -> None:
    (found,) = findings_of(config=CONFIG + more)
    assert (found.level, str(found)) == (level, f"gatebot.yaml:{place}: {message}")


def test_a_quarantined_case_named_twice() -> None:
    entry = "{case: case, reason: moved, until: 2030-01-01}"
    errors = [
        one
        for one in findings_of(config=CONFIG + f"quarantine: [{entry}, {entry}]\n")
        if one.level == "error"
    ]
    assert [str(one) for one in errors] == ["gatebot.yaml:4:69: case 'case' is quarantined twice"]


def test_a_case_missing_from_another_commit_is_a_warning() -> None:
    source = suite_of(config=CONFIG + "quarantine: [{case: gone, reason: moved, until: 2030-01-01}]\n")
    file = load_config(source)
    (found,) = lint_suite(file, load_cases(source, file), same_source=False)
    assert found.level == "warning"
    assert load_suite_from(source, FilesInMemory(source.files)).cases
    with pytest.raises(ConfigError, match="quarantine names the case 'gone'"):
        load_suite_from(source, source)


def test_the_suite_default_decides_where_a_case_names_no_mode() -> None:
    empty = H + "expect: {answer: {contains: x}}\ngolden: {calls: []}\n"
    assert findings_of(empty, CONFIG + "trajectory: {match: strict}\n") == ()
    assert findings_of(empty, CONFIG + "trajectory: {match: superset}\n") != ()


@pytest.mark.parametrize(
    "config",
    [
        "trajectory: {pure: [calculator]}\n",
        "trajectory: {pure: [calculator]}\ntools: {calculator: {type: object}}\n",
        "trajectory: {pure: [sum], aliases: {calculator: [sum]}}\ntools: {calculator: {type: object}}\n",
    ],
    ids=["no-tools", "one-of-the-tools", "another-name"],
)
def test_pure_tools_are_named_as_the_suite_names_them(config: str) -> None:
    assert findings_of(config=CONFIG + config) == ()
