"""Graders of the user's own, through real processes: programs and functions, good ones and broken ones."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from gatebot.agents.build import make_agent
from gatebot.agents.working_copy import lay_files
from gatebot.model.case import AnswerExpectation, Expect
from gatebot.model.config import AgentConfig
from gatebot.model.suite import Case, SuiteFile
from gatebot.model.trial import GraderResult, Trial
from gatebot.ports import SideEnvironment
from gatebot.process.launch import Launchers
from tests.unit.agents.tasks import PLAIN, task

SAYS_FOUR = 'print(\'{"answer": "4", "state": {"done": true}}\')\n'


@pytest.fixture(scope="module")
def launchers() -> Iterator[Launchers]:
    with Launchers() as pool:
        yield pool


def graded_case(answer: Mapping[str, object]) -> Case:
    return replace(PLAIN, expect=Expect(answer=AnswerExpectation.model_validate(answer)))


def run(
    launchers: Launchers,
    checkout: Path,
    answer: Mapping[str, object],
    files: dict[str, str],
    *,
    agent: str = SAYS_FOUR,
    workspace: str = "copy",
) -> Trial:
    (checkout / "agent.py").write_text(agent)
    config = AgentConfig.model_validate(
        {"command": ["python3", "-I", "-S", "agent.py"], "workspace": workspace}
    )
    made = [SuiteFile(path, text.encode()) for path, text in files.items()]
    runner = make_agent(config, launchers=launchers, directory=checkout, graders={PLAIN.id: made})
    environment = SideEnvironment("head", checkout, variables={"SECRET": "s"})
    return runner.run(task(graded_case(answer)), environment)


def result_of(trial: Trial) -> GraderResult:
    assert trial.status == "completed", trial.reason
    (found,) = trial.grader_results
    return found


GRADE = """#!/usr/bin/env python3
import json, sys
trial = json.load(sys.stdin)
print("looking")
print("the answer is", trial["answer"])
sys.exit(trial["answer"] != "4")
"""


@pytest.mark.parametrize("workspace", ["shared", "copy"])
def test_a_program_passes_with_exit_0_and_its_last_line_is_the_reason(
    launchers: Launchers, open_checkout: Path, workspace: str
) -> None:
    command = {"command": {"run": ["./grade.py"]}}
    good = run(launchers, open_checkout, command, {"grade.py": GRADE}, workspace=workspace)
    assert result_of(good) == GraderResult("command", passed=True, reason="the answer is 4")
    bad = run(launchers, open_checkout, command, {"grade.py": GRADE}, agent="print(5)", workspace=workspace)
    assert result_of(bad) == GraderResult("command", passed=False, reason="the answer is 5")


def test_what_a_program_is_told(launchers: Launchers, open_checkout: Path) -> None:
    script = (
        "import json, os, sys\nprint(json.dumps([json.load(sys.stdin), dict(os.environ), os.getcwd()]))\n"
    )
    command = {"command": {"run": ["python3", "-I", "tell.py"]}}
    # The reason is cut, so that the request is written down where the test can read it.
    script += "sys.exit(0)\n"
    checks = {"python": "checks.py:right"}
    function = (
        "import json, os\n"
        "def right(trial):\n"
        "    keys = sorted(trial)\n"
        "    told = [trial['schema'], trial['case'], trial['input'], trial['state'], 'SECRET' in os.environ]\n"
        "    return {'passed': True, 'reason': json.dumps([keys, told])}\n"
    )
    said = result_of(run(launchers, open_checkout, checks, {"checks.py": function}))
    keys, told = json.loads(said.reason)
    assert keys == ["answer", "case", "context", "input", "messages", "schema", "state", "workspace"]
    assert told == ["gatebot.grading/1", "greeting", "Hello?", {"done": True}, False]
    assert result_of(run(launchers, open_checkout, command, {"tell.py": script})).passed


def test_it_sees_what_the_agent_left_and_each_trial_starts_from_the_checkout(
    launchers: Launchers, open_checkout: Path
) -> None:
    (open_checkout / "code").mkdir()
    (open_checkout / "code" / "n.txt").write_text("0")
    agent = (
        "import pathlib\n"
        "n = pathlib.Path('code/n.txt')\n"
        "n.write_text(str(int(n.read_text()) + 1))\n"
        "print('done')\n"
    )
    command = {"command": {"run": ["sh", "show.sh"], "files": ["show.sh"]}}
    for _ in range(2):
        trial = run(launchers, open_checkout, command, {"show.sh": "cat code/n.txt\n"}, agent=agent)
        assert result_of(trial) == GraderResult("command", passed=True, reason="1")
    assert (open_checkout / "code" / "n.txt").read_text() == "0"


def test_an_agent_cannot_write_to_a_shared_checkout_or_see_graders(
    launchers: Launchers, open_checkout: Path
) -> None:
    agent = (
        "import os\n"
        "seen = [f for _, _, names in os.walk('..') for f in names if f in ('show.sh', 'test_it.py')]\n"
        "print('saw', seen)\n"
    )
    command = {"command": {"run": ["sh", "hidden/show.sh"]}}
    trial = run(launchers, open_checkout, command, {"hidden/show.sh": "exit 0\n"}, agent=agent)
    assert trial.answer == "saw []"
    assert result_of(trial).passed


FORGED = """
import os, pathlib
os.symlink("/tmp", "hidden")
pathlib.Path("grade.py").mkdir()
pathlib.Path("json.py").write_text("raise SystemExit(0)")
home = pathlib.Path(os.environ["HOME"])
home.joinpath(".profile").write_text("exit 0")
print("5")
"""


def test_what_an_agent_leaves_in_the_graders_place_is_replaced(
    launchers: Launchers, open_checkout: Path, tmp_path: Path
) -> None:
    command = {"command": {"run": ["python3", "-I", "grade.py"], "files": ["hidden/data.txt"]}}
    files = {"grade.py": GRADE, "hidden/data.txt": "ours"}
    said = result_of(run(launchers, open_checkout, command, files, agent=FORGED))
    assert said == GraderResult("command", passed=False, reason="the answer is 5")
    assert not Path("/tmp/data.txt").exists()
    function = {"python": "checks.py:right"}
    checks = "import json\ndef right(trial):\n    return json.loads(trial['answer']) == 4\n"
    assert not result_of(run(launchers, open_checkout, function, {"checks.py": checks}, agent=FORGED)).passed
    assert not list(tmp_path.iterdir())


def test_files_are_laid_without_following_links(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("theirs")
    place = tmp_path / "tree"
    place.mkdir()
    (place / "link").symlink_to(outside)
    (place / "file.txt").symlink_to(outside / "a.txt")
    (place / "full").mkdir()
    (place / "full" / "x").write_text("x")
    files = [SuiteFile(path, b"ours") for path in ("link/a.txt", "file.txt", "full", "deep/er/b.txt")]
    lay_files(files, place, None)
    assert (outside / "a.txt").read_text() == "theirs"
    assert not (place / "link").is_symlink()
    for path in ("link/a.txt", "file.txt", "full", "deep/er/b.txt"):
        assert (place / path).read_bytes() == b"ours"
    assert [path.name for path in outside.iterdir()] == ["a.txt"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return True", GraderResult("python", passed=True)),
        ("return False", GraderResult("python", passed=False)),
        ("return 1", GraderResult("python", passed=True, score=1.0)),
        ("return 0.5", GraderResult("python", passed=False, score=0.5, reason="score 0.5, needs 1")),
        (
            "return {'score': 0.5, 'reason': 'half'}",
            GraderResult("python", passed=False, score=0.5, reason="half"),
        ),
        (
            "return {'score': 0.5, 'passed': True}",
            GraderResult("python", passed=True, score=0.5),
        ),
    ],
)
def test_what_a_function_may_return(
    launchers: Launchers, open_checkout: Path, body: str, expected: GraderResult
) -> None:
    checks = f"def right(trial):\n    print('noise')\n    {body}\n"
    assert (
        result_of(run(launchers, open_checkout, {"python": "checks.py:right"}, {"checks.py": checks}))
        == expected
    )


def test_a_function_has_a_threshold_and_a_package(launchers: Launchers, open_checkout: Path) -> None:
    files = {
        "pack/__init__.py": "",
        "pack/rules.py": "LEAST = 0.25\n",
        "pack/checks.py": "from pack.rules import LEAST\nasync def right(trial):\n    return LEAST\n",
    }
    answer: dict[str, object] = {"python": {"call": "pack.checks:right", "threshold": 0.25}}
    assert result_of(run(launchers, open_checkout, answer, files)) == GraderResult(
        "python", passed=True, score=0.25
    )


@pytest.mark.parametrize(
    ("checks", "reason"),
    [
        ("def right(trial):\n    raise ValueError('odd data')\n", "ValueError: odd data"),
        ("def wrong(trial):\n    return True\n", "has no attribute 'right'"),
        ("def right(trial):\n    return 'yes'\n", "expected bool, a number or a dict"),
        ("def right(trial):\n    return 2.0\n", "a score that is no number from 0 to 1"),
        ("def right(trial):\n    return float('nan')\n", "Out of range float values"),
        ("def right(trial):\n    return {}\n", "neither passed (true or false) nor a score"),
        ("def right(trial):\n    return {'ok': True}\n", "unknown key"),
        ("import os\ndef right(trial):\n    os._exit(0)\n", "answered no JSON"),
    ],
)
def test_a_function_that_fails_has_not_passed_the_trial_and_is_at_fault(
    launchers: Launchers, open_checkout: Path, checks: str, reason: str
) -> None:
    said = result_of(run(launchers, open_checkout, {"python": "checks.py:right"}, {"checks.py": checks}))
    assert (said.passed, said.fault) == (False, True)
    assert reason in said.reason


@pytest.mark.parametrize(
    ("run_", "script", "reason", "fault"),
    [
        (["no-such-program-here"], "", "command not found", True),
        (["./data.txt"], "no script", "cannot run ./data.txt", True),
        (["sh", "s.sh"], "kill -9 $$\n", "ended by SIGKILL", True),
        (["sh", "s.sh"], "while :; do :; done\n", "no verdict within 0.5 s", False),
        (["sh", "s.sh"], "echo careful >&2; exit 3\n", "careful", False),
        (["sh", "s.sh"], "exit 3\n", "exited with code 3", False),
        (["sh", "s.sh"], "yes\n", "printed more than 1 MB", True),
    ],
)
def test_a_program_that_fails(
    launchers: Launchers, open_checkout: Path, run_: list[str], script: str, reason: str, fault: bool
) -> None:
    answer: dict[str, object] = {"command": {"run": run_, "timeout": 0.5 if "while" in script else 20}}
    said = result_of(run(launchers, open_checkout, answer, {"s.sh": script, "data.txt": script}))
    assert (said.passed, said.fault) == (False, fault)
    assert reason in said.reason


def test_a_reason_shows_nothing_hidden(launchers: Launchers, open_checkout: Path) -> None:
    script = "printf '::error::\\033[31m\\342\\200\\256evil %0400d\\n' 1\n"
    said = result_of(run(launchers, open_checkout, {"command": {"run": ["sh", "s.sh"]}}, {"s.sh": script}))
    assert said.reason.isprintable()
    assert not said.reason.startswith("::")
    assert len(said.reason) < 400


def test_a_broken_trial_is_not_graded(launchers: Launchers, open_checkout: Path) -> None:
    trial = run(launchers, open_checkout, {"command": {"run": ["true"]}}, {}, agent="import sys; sys.exit(1)")
    assert (trial.status, trial.grader_results) == ("agent_error", ())


def test_both_kinds_of_grader_and_the_builtin_agents(launchers: Launchers, open_checkout: Path) -> None:
    answer = AnswerExpectation.model_validate(
        {"command": {"run": ["sh", "s.sh"]}, "python": "checks.py:right"}
    )
    files = [
        SuiteFile("s.sh", b"exit 0\n"),
        SuiteFile("checks.py", b"def right(trial): return trial['answer'] is None\n"),
    ]
    case = replace(PLAIN, expect=Expect(answer=answer))
    config = AgentConfig.model_validate({"builtin": "nop", "workspace": "copy"})
    agent = make_agent(config, launchers=launchers, directory=open_checkout, graders={PLAIN.id: files})
    trial = agent.run(task(case), SideEnvironment("base", open_checkout))
    assert [(one.grader, one.passed) for one in trial.grader_results] == [
        ("python", False),
        ("command", True),
    ]
