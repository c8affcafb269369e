"""F30, one by one: gatebot dies after each change it makes to the results directory, and goes on from there."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.faults.conftest import PullRequest
from tests.integration.stories.command_line import CommandLine
from tests.integration.stories.measured import caused, without_measured

FEWEST_WRITES, MOST_WRITES = 12, 100
KILLED = 9
SEEDS = ("--seeds", "1", "--no-store")
DIES = """
import os, sys
from gatebot.cli.app import run
from gatebot.results import candidate, journal, store
left = int(sys.argv[1])
def dying(change):
    def changed(*given, **more):
        global left
        found = change(*given, **more)
        left -= 1
        if not left:
            os._exit(9)
        return found
    return changed
store.replace_file = candidate.replace_file = dying(store.replace_file)
journal.open_to_append = dying(journal.open_to_append)
journal.Journal.append = dying(journal.Journal.append)
sys.exit(run(sys.argv[2:]))
"""


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_after_each_write_a_killed_gate_goes_on_and_ends_as_if_nothing_had_been(
    gatebot: CommandLine, pull_request: PullRequest, tmp_path: Path
) -> None:
    assert gatebot(*pull_request.gate(gatebot.results, *SEEDS)).code in (0, 1, 3)
    for left in range(1, MOST_WRITES):
        again = replace(gatebot, results=tmp_path / f"killed-{left}")
        words = pull_request.gate(again.results, *SEEDS)
        dying = subprocess.run(
            [sys.executable, "-c", DIES, str(left), *words], check=False, capture_output=True
        )
        assert gatebot(*words).code in (0, 1, 3), f"after write {left}"
        assert without_measured(again.report()) == without_measured(gatebot.report())
        assert caused(again.trials()) == caused(gatebot.trials())
        if dying.returncode != KILLED:
            assert left > FEWEST_WRITES
            return
    pytest.fail("it never lived to its end")
