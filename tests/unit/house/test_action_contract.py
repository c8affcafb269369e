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


def listed(heading: str) -> set[str]:
    """What the first column of the table below the heading names."""
    table = DOCS.split(f"| {heading} |", 1)[1].split("\n\n", 1)[0]
    rows = [line.split("|")[1] for line in table.splitlines()[2:]]
    return {name for row in rows for name in re.findall(r"`([^`]+)`|\b(\d+)\b", row) for name in name if name}


def test_the_page_lists_every_input_and_output_and_no_other() -> None:
    assert listed("input") == set(ACTION["inputs"])
    assert listed("output") == set(ACTION["outputs"])


def test_the_pages_list_every_exit_code() -> None:
    from gatebot.cli import exit_codes

    codes = {str(value) for name, value in vars(exit_codes).items() if name.isupper() and type(value) is int}
    assert listed("exit code") == codes
    readme = (ROOT / "README.md").read_text("utf-8")
    for code in sorted(codes - {"70", "130"}):
        assert re.search(rf"\| {code} \|", readme), code


def test_the_page_lists_every_key_about_github() -> None:
    from gatebot.model.config import Config

    keys = listed("key")
    assert keys <= set(Config.model_fields)
    assert {"paths", "comment", "base", "on_missing_base", "job_exit", "forks"} <= keys


def test_every_input_is_read_by_somebody() -> None:
    whole = "".join(path.read_text("utf-8") for path in sorted((ROOT / "gatebot").rglob("*.py")))
    for name, value in ACTION["runs"]["env"].items():
        if name != "ANTHROPIC_API_KEY":  # the agent's and the judge's
            assert f'"{name}"' in whole, value
