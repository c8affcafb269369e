"""A live run's name says which head it is of: exactly as the workflow makes it, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from gatebot.commands.ci.live_run import Asked, asked_by_title

WORKFLOW = Path(__file__).parents[4] / "examples" / "workflows" / "gatebot-live.yml"
SHA = "a" * 40


def test_the_name_that_the_workflow_makes_is_the_one_that_is_read() -> None:
    name = yaml.safe_load(WORKFLOW.read_text("utf-8"))["run-name"]
    made = re.sub(r"\$\{\{ inputs\.pull-request \}\}", "7", name)
    made = re.sub(r"\$\{\{ inputs\.head-sha \}\}", SHA, made)
    assert asked_by_title(made) == Asked(7, SHA)


@pytest.mark.parametrize(
    "title",
    [
        "",
        "gatebot live: #7 at HEAD",
        f"gatebot live: #07 at {SHA}",
        f"gatebot live: #0 at {SHA}",
        f"gatebot live: #7 at {SHA}\n",
        f"gatebot live: #7 at {SHA} and more",
        f"x gatebot live: #7 at {SHA}",
        f"gatebot live: #7 at {SHA.upper()}",
        f"gatebot live: #\u0667 at {SHA}",
        f"gatebot live: #{'9' * 30} at {SHA}",
        f"gatebot live: #7 at {SHA} at {SHA}",
    ],
    ids=range(11),
)
def test_any_other_name_is_of_nothing(title: str) -> None:
    assert asked_by_title(title) is None
