"""action.yml, the workflows, the code and docs/github.md name the same inputs, outputs, labels and permissions."""

from __future__ import annotations

import re

import pytest
import yaml

from gatebot.commands.doctor import PERMISSIONS
from gatebot.model.config import Accept
from tests.unit.house.source_tree import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
CODE = "".join(path.read_text("utf-8") for path in sorted((ROOT / "gatebot" / "commands").rglob("*.py")))
WORKFLOWS = sorted((ROOT / "examples" / "workflows").glob("*.yml"))
DOCS = (ROOT / "docs" / "github.md").read_text("utf-8")


def test_every_output_is_written_and_nothing_else() -> None:
    written = set(re.findall(r'\("([a-z-]+)", [^)]', CODE)) & {*ACTION["outputs"], "conclusion"}
    assert written == set(ACTION["outputs"])


def test_every_option_of_the_action_is_an_option_of_the_command() -> None:
    from typer.testing import CliRunner

    from gatebot.cli.app import app

    told = CliRunner().invoke(app, ["ci", "--help"], env={"COLUMNS": "200", "NO_COLOR": "1"}).output
    for word in ACTION["runs"]["args"][1::2]:
        assert word in told


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_to_copy_pins_what_it_uses_and_asks_per_job(path: object) -> None:
    workflow = yaml.safe_load((ROOT / str(path)).read_text("utf-8"))
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert "if" not in job  # a skipped job would count as passed
        for step in job["steps"]:
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"]), step["uses"]
            given = step.get("with", {})
            if step["uses"].startswith("actions/checkout@"):
                assert given["persist-credentials"] is False
            if step["uses"].startswith("gatebot/"):
                assert set(given) <= set(ACTION["inputs"])


def test_no_workflow_with_a_write_token_checks_anything_out_on_pull_request_target() -> None:
    for path in WORKFLOWS:
        text = path.read_text("utf-8")
        if "pull_request_target" in text or "workflow_run" in text:
            assert "actions/checkout" not in text


def test_the_page_names_every_label_and_permission() -> None:
    assert Accept().label in DOCS
    assert Accept().override_label in DOCS
    for name, asked in PERMISSIONS.items():
        assert name in DOCS
        for scope, level in asked.items():
            assert f"`{scope}: {level}`" in DOCS
