"""The example's suite can tell: what plays the golden passes every case, what does nothing fails every case."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.builders import Project
from tests.integration.stories.command_line import CommandLine, part, rows

EXAMPLE = Path(__file__).parents[3] / "examples" / "support-agent"
_AGENT = re.compile(r"^agent:\n(?:  .*\n)+", re.MULTILINE)


@pytest.fixture
def suite(tmp_path: Path) -> Project:
    files = {
        str(path.relative_to(EXAMPLE)): path.read_text("utf-8")
        for path in (EXAMPLE / "gatebot.yaml", *EXAMPLE.glob("golden/*.yaml"))
    }
    return Project(tmp_path / "suite", dict(files))


def run_alone(gatebot: CommandLine, suite: Project, agent: str) -> dict[str, tuple[int, int]]:
    """Run the example's suite with a built-in agent: case → (passed, trials)."""
    config = (EXAMPLE / "gatebot.yaml").read_text("utf-8")
    changed, count = _AGENT.subn(f"agent: {agent}\n", config)
    assert count == 1
    suite.write({"gatebot.yaml": changed})
    gatebot("run", "--repo", suite.root, "--out", gatebot.results, "--seeds", "2")
    found: dict[str, tuple[int, int]] = {}
    for name, row in rows(gatebot.report(), "cases").items():
        passed, trials = part(row, "head")["passed"], part(row, "head")["trials"]
        assert isinstance(passed, int)
        assert isinstance(trials, int)
        found[name] = (passed, trials)
    return found


def test_oracle_passes_every_case(gatebot: CommandLine, suite: Project) -> None:
    counts = run_alone(gatebot, suite, "oracle")
    assert len(counts) >= 20
    assert set(counts.values()) == {(2, 2)}, [name for name, count in counts.items() if count != (2, 2)]


def test_nop_fails_every_case(gatebot: CommandLine, suite: Project) -> None:
    counts = run_alone(gatebot, suite, "nop")
    assert len(counts) >= 20
    assert set(counts.values()) == {(0, 2)}, [name for name, count in counts.items() if count != (0, 2)]


def test_a_commit_against_itself_runs_fresh_slots_on_both_sides(gatebot: CommandLine, suite: Project) -> None:
    suite.write(
        {"gatebot.yaml": _AGENT.sub("agent: oracle\n", (EXAMPLE / "gatebot.yaml").read_text("utf-8"))}
    )
    ended = gatebot("aa", "--repo", suite.root, "--ref", "WORKTREE", "--out", gatebot.results, "--seeds", "2",
                    "--first-slot", "11", "--case", "cancel-and-track")  # fmt: skip
    assert ended.code == 0, ended.told
    assert {(trial.side, trial.slot) for trial in gatebot.trials()} == {
        ("base", 11), ("base", 12), ("head", 13), ("head", 14)
    }  # fmt: skip
    assert "false alarm" in gatebot.comment()
