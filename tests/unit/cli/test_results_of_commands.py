"""Each command that writes results has a directory of its own when nobody names one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

from gatebot.cli import evaluate, github, recorded, runs

COMMANDS: dict[str, Callable[..., int]] = {
    "gate": evaluate.gate,
    "run": evaluate.run,
    "aa": evaluate.aa,
    "demo": evaluate.demo,
    "record": github.record,
    "compare": recorded.compare,
}


def default_out(command: Callable[..., int]) -> Path:
    return Path(inspect.signature(command).parameters["out"].default)


def test_no_two_commands_write_over_each_others_report() -> None:
    places = {name: default_out(command) for name, command in COMMANDS.items()}
    assert len(set(places.values())) == len(places), places


@pytest.mark.parametrize("name", ["run", "aa", "record", "compare"])
def test_the_directory_says_whose_it_is(name: str) -> None:
    assert default_out(COMMANDS[name]) == Path(f"gatebot-results-{name}")


def test_a_gate_writes_where_workflows_look_for_it_and_merging_its_shards_does_too() -> None:
    assert default_out(evaluate.gate) == default_out(runs.merge) == Path("gatebot-results")
