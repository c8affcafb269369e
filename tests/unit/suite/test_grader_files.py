"""Files of a case's own graders: found, hashed, missed before anything runs, and part of what results belong to."""

from __future__ import annotations

import hashlib

import pytest

from gatebot.errors import ConfigError
from gatebot.model.config import TrajectoryDefault
from gatebot.suite.grader_files import hidden_grader_files, read_grader_files
from gatebot.suite.load import load_cases, load_config
from gatebot.suite.snapshot import case_grading_digest, case_run_digest
from tests.unit.suite.suite_files import CONFIG, FilesInMemory

GRADERS = {
    "checks.py": "def right(trial): return True\n",
    "hidden/test_a.py": "a",
    "hidden/deep/data.json": "{}",
    "grade.sh": "exit 0\n",
    "pack/__init__.py": "",
    "pack/checks.py": "def right(trial): return True\n",
}


def suite(answer: str, folder: str = "", **more: str) -> FilesInMemory:
    prefix = f"{folder}/" if folder else ""
    files = {"gatebot.yaml": CONFIG, "golden/case.yaml": f"input: hi\nexpect: {{answer: {answer}}}\n"}
    return FilesInMemory({prefix + path: text for path, text in {**files, **GRADERS, **more}.items()})


def files_of(source: FilesInMemory, folder: str = "") -> dict[str, str]:
    path = f"{folder}/gatebot.yaml" if folder else "gatebot.yaml"
    (loaded,) = load_cases(source, load_config(source, path))
    return loaded.case.grader_files


@pytest.mark.parametrize("folder", ["", "evals/shop"])
@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("{contains: a}", []),
        ("{command: {run: [./grade.sh]}}", ["grade.sh"]),
        ("{command: {run: [sh, grade.sh, --strict]}}", ["grade.sh"]),
        ("{command: {run: [python3, -m, unittest], files: [hidden/*.py]}}", ["hidden/test_a.py"]),
        ("{command: {run: [make], files: ['hidden/**']}}", ["hidden/deep/data.json", "hidden/test_a.py"]),
        ("{python: 'checks.py:right'}", ["checks.py"]),
        ("{python: 'pack.checks:right'}", ["pack/__init__.py", "pack/checks.py"]),
        ("{python: {call: 'pack:right', files: [grade.sh]}}", ["grade.sh", "pack/__init__.py"]),
    ],
)
def test_what_a_grader_is_made_of(folder: str, answer: str, expected: list[str]) -> None:
    source = suite(answer, folder)
    found = files_of(source, folder)
    assert list(found) == expected
    assert found == {path: hashlib.sha256(GRADERS[path].encode()).hexdigest() for path in expected}
    assert [(file.path, file.content.decode()) for file in read_grader_files(source, folder, found)] == [
        (path, GRADERS[path]) for path in expected
    ]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (
            "{command: {run: [./absent.sh]}}",
            "golden/case.yaml:2:35: no file of the suite matches 'absent.sh'",
        ),
        ("{command: {run: [python3, absent.py]}}", "no file of the suite matches 'absent.py'"),
        ("{command: {run: [make], files: [absent/**]}}", "no file of the suite matches 'absent/**'"),
        ("{command: {run: [make], files: [../up]}}", "leads out of the suite's folder"),
        ("{python: 'absent.py:right'}", "no file of the suite matches 'absent.py'"),
        ("{python: 'pack.absent:right'}", "no file of the suite matches 'pack/absent.py'"),
        ("{python: {call: 'checks.py:right', files: [no.txt]}}", "no file of the suite matches 'no.txt'"),
    ],
)
def test_a_grader_that_is_not_there_is_an_error_before_anything_runs(answer: str, told: str) -> None:
    with pytest.raises(ConfigError, match=r"golden/case\.yaml:2:") as error:
        files_of(suite(answer))
    assert told in str(error.value)


def test_a_grader_is_small() -> None:
    source = suite("{python: 'checks.py:right'}", **{"checks.py": "#" * 300_000})
    with pytest.raises(ConfigError, match="larger than 256 kB"):
        files_of(source)


def test_a_changed_grader_is_another_evaluation_and_another_trial() -> None:
    answer = "{python: 'checks.py:right'}"
    digests: set[tuple[str, str]] = set()
    for text in ("def right(trial): return True\n", "def right(trial): return False\n"):
        source = suite(answer, **{"checks.py": text})
        (loaded,) = load_cases(source, load_config(source))
        case = loaded.case
        digests.add((case_run_digest(case), case_grading_digest(case, TrajectoryDefault())))
    assert len({run for run, _ in digests}) == len({grading for _, grading in digests}) == 2


def test_what_is_hidden_from_agents_is_looked_up_in_their_own_tree() -> None:
    source = suite("{command: {run: [python3, grade.py], files: [hidden/**]}}", **{"grade.py": "1"})
    (loaded,) = load_cases(source, load_config(source))
    theirs = FilesInMemory({"a/hidden/new.py": "", "a/grade.py": "", "a/agent.py": "", "hidden/other.py": ""})
    assert hidden_grader_files(theirs, "a", loaded.case.expect) == {"a/hidden/new.py", "a/grade.py"}


def test_a_file_that_changes_while_it_is_read_is_refused() -> None:
    source = suite("{python: 'checks.py:right'}")
    found = files_of(source)
    changed = suite("{python: 'checks.py:right'}", **{"checks.py": "# another\n"})
    with pytest.raises(ConfigError, match="changed while the suite was read"):
        read_grader_files(changed, "", found)
