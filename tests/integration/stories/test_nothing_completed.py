"""An agent that cannot run shows nothing: never a pass, never remembered, run anew once the cause is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import Project
from tests.integration.stories.command_line import CommandLine

CONFIG = "version: 1\nsuite: keys\nagent: {command: [python3, agent.py], env: [MY_API_KEY]}\n"
CASE = "input: what\nexpect: {answer: {contains: '42'}}\n"
AGENT = (
    "import json, os, sys\n"
    "json.load(sys.stdin)\n"
    "assert os.environ['MY_API_KEY'] == 'good'\n"
    "print('42')  # version "
)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_bad_key_is_no_pass_and_is_not_remembered(
    gatebot: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: bool
) -> None:
    project = Project(tmp_path / "shop")
    base = project.commit(
        {"gatebot.yaml": CONFIG, "golden/a.yaml": CASE, "golden/b.yaml": CASE, "agent.py": f"{AGENT}1\n"}
    )
    head = project.commit({"agent.py": f"{AGENT}2\n"})
    monkeypatch.setenv("MY_API_KEY", "bad")
    bad = gatebot.gate(project.root, base, head, "--seeds", "2")
    assert bad.code == 3, bad.told
    assert "No trial of the base completed" in bad.out
    monkeypatch.setenv("MY_API_KEY", "good")
    place = tmp_path / "second" if elsewhere else gatebot.results
    good = CommandLine(gatebot.capture, place)
    ended = good.gate(project.root, base, head, "--seeds", "2")
    assert ended.code == 0, ended.told
    assert [trial.status for trial in good.trials()] == ["completed"] * 8
