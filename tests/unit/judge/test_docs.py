"""Every configuration in docs/judge.md is one that loads, and the figures it names are the program's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from gatebot.judge.canaries import LOW
from gatebot.judge.floor import FORBIDDEN_CAP
from gatebot.model.config import Config
from gatebot.model.labelled import LabelledExample
from gatebot.model.metric import BUILTIN_RUBRICS

TEXT = (Path(__file__).parents[3] / "docs" / "judge.md").read_text("utf-8")


@pytest.mark.parametrize("block", re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL))
def test_a_configuration_of_the_page_loads(block: str) -> None:
    made = {"version": 1, "suite": "s", "agent": "oracle", **yaml.safe_load(block)}
    assert Config.model_validate(made).judge is not None


def test_the_labelled_examples_of_the_page_load() -> None:
    (block,) = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    lines = [line for line in block.splitlines() if line.strip()]
    assert len([LabelledExample.model_validate_json(line) for line in lines]) == 2


def test_every_rubric_is_in_the_table() -> None:
    assert all(f"| `{name}` | `{metric}` |" in TEXT for name, metric in BUILTIN_RUBRICS.items())


def test_the_figures_are_the_programs() -> None:
    assert f"at most {FORBIDDEN_CAP:g}" in TEXT
    assert f"more than {LOW:g} is unhealthy" in TEXT
