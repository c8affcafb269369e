"""The repair example end to end: agents edit trees of their own, and hidden tests of the base decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import Project
from tests.integration.stories.command_line import CommandLine, part, rows

EXAMPLE = Path(__file__).parents[3] / "examples" / "code-fix"
PEEK = """
import os, sys
sys.stdin.read()
print("saw", sorted(os.path.join(folder, name) for folder, _, names in os.walk(".") for name in names))
"""
QUIT = '"""Ends whoever imports it."""\nimport os\n\nos._exit(0)\n'


@pytest.fixture
def repairs(tmp_path: Path) -> Project:
    files = {
        str(path.relative_to(EXAMPLE)): path.read_text("utf-8")
        for path in EXAMPLE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    return Project(tmp_path / "suite", files)


def passed(gatebot: CommandLine) -> dict[str, object]:
    return {name: part(row, "head")["passed"] for name, row in rows(gatebot.report(), "cases").items()}


def test_hidden_tests_tell_repairs_from_what_only_satisfies_the_visible_ones(
    gatebot: CommandLine, repairs: Project
) -> None:
    gatebot("run", "--repo", repairs.root, "--out", gatebot.results, "--seeds", "5")
    trials = gatebot.trials()
    assert len(trials) == 15
    assert {trial.status for trial in trials} == {"completed"}
    assert all("pass." in (trial.answer or "") for trial in trials), "every trial satisfied the visible tests"
    said = {(one.passed, one.fault) for trial in trials for one in trial.grader_results}
    assert said == {(True, False), (False, False)}
    reasons = {one.reason for trial in trials for one in trial.grader_results if one.passed}
    assert reasons <= {"3 of 3 hidden tests pass", "2 of 2 hidden tests pass"}
    right = sum(one.passed for trial in trials for one in trial.grader_results)
    counted = [count for count in passed(gatebot).values() if isinstance(count, int)]
    assert sum(counted) == right
    assert (repairs.root / "shopkit" / "pages.py").read_text() == (
        EXAMPLE / "shopkit" / "pages.py"
    ).read_text()


@pytest.mark.parametrize("agent", ["oracle", "nop"])
def test_whoever_edits_nothing_fails_every_case(gatebot: CommandLine, repairs: Project, agent: str) -> None:
    config = (
        (EXAMPLE / "gatebot.yaml")
        .read_text("utf-8")
        .replace("command: [python3, -I, agent.py]", f"builtin: {agent}")
    )
    repairs.write({"gatebot.yaml": config})
    gatebot("run", "--repo", repairs.root, "--out", gatebot.results, "--seeds", "1")
    assert set(passed(gatebot).values()) == {0}
    assert all(one.grader_results for one in gatebot.trials())


def test_no_agent_sees_graders_goldens_or_the_configuration(gatebot: CommandLine, repairs: Project) -> None:
    repairs.write({"agent.py": PEEK})
    gatebot("run", "--repo", repairs.root, "--out", gatebot.results, "--seeds", "1", "--case", "pages")
    (trial,) = gatebot.trials()
    assert trial.answer is not None
    assert "./shopkit/pages.py" in trial.answer
    assert not any(
        word in trial.answer for word in ("hidden/test_pages", "grade.py", "golden", "gatebot.yaml")
    )


def test_a_pull_request_cannot_bring_its_own_graders_or_leave_early(
    gatebot: CommandLine, repairs: Project
) -> None:
    fixed = (
        (EXAMPLE / "shopkit" / "pages.py")
        .read_text("utf-8")
        .replace("items // per_page", "-(-items // per_page)")
    )
    speak = 'print("Fixed it; every test passes.")\n'
    base = repairs.commit({"shopkit/pages.py": fixed, "agent.py": speak})
    repairs.branch("easier", at=base)
    repairs.commit({"hidden/grade.py": "print('fine')\n", "shopkit/pages.py": QUIT})
    gatebot.gate(repairs.root, "main", "easier", "--seeds", "2", "--case", "pages")
    said = {(trial.side, one.passed) for trial in gatebot.trials() for one in trial.grader_results}
    assert said == {("base", True), ("head", False)}
