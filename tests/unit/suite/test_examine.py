"""All mistakes of a suite are told at once."""

from gatebot.suite.examine import examine
from gatebot.suite.load import load_suite_from
from tests.unit.suite.suite_files import CASE, CONFIG, FilesInMemory, suite_of

QUARANTINE = "quarantine: [{case: bad, reason: moved, until: 2030-01-01}]\n"


def test_a_sound_suite_is_handed_back() -> None:
    source = suite_of()
    found = examine(source)
    assert found.findings == ()
    assert found.suite == load_suite_from(source, source)


def test_warnings_leave_the_suite_sound() -> None:
    found = examine(suite_of("input: hi\nexpect: {forbid: [a]}\n"))
    assert found.suite is not None
    assert [finding.level for finding in found.findings] == ["warning"]


def test_every_broken_file_is_told_and_the_others_are_linted() -> None:
    files = {
        "gatebot.yaml": CONFIG + QUARANTINE,
        "golden/bad.yaml": "inptu: hi\n",
        "golden/idle.yaml": "input: hi\n",
        "golden/ok.yaml": CASE,
        "golden/OK.yaml": CASE,
        "golden/torn.yaml": "a: [\n",
    }
    found = examine(FilesInMemory(files))
    assert found.suite is None
    assert [(finding.level, str(finding.location)) for finding in found.findings] == [
        ("error", "golden/bad.yaml:1:1"),
        ("error", "golden/torn.yaml:2:1"),
        ("error", "golden/ok.yaml:1:1"),
        ("error", "golden/idle.yaml:1:1"),
        ("warning", "gatebot.yaml:4:21"),
    ]


def test_a_broken_configuration_is_the_only_thing_told() -> None:
    found = examine(suite_of(config="version: 1\n"))
    assert [str(finding) for finding in found.findings] == [
        "gatebot.yaml:1:1: missing key 'suite' (and 1 more)"
    ]
    assert examine(FilesInMemory({})).findings[0].message == "there is no such configuration"
