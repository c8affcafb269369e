"""What is loaded while the agents are waited for: all that concluding imports late, and nothing that it does not use."""

from __future__ import annotations

import subprocess
import sys

import pytest

PLAIN = "Gate()"
WITH_TARGET = "Gate(metrics={'pass_rate': MetricGate(target=0.5)})"
LOADED = """\
import sys
from gatebot.commands.concluding import load_ahead
from gatebot.model.config import Gate, MetricGate
load_ahead({gate}, compared={compared})
print(*sys.modules)
"""


def loaded(gate: str, *, compared: bool) -> set[str]:
    """The modules in memory of a fresh interpreter that has loaded ahead."""
    words = [sys.executable, "-c", LOADED.format(gate=gate, compared=compared)]
    return set(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split())


def test_one_side_loads_nothing_of_a_comparison() -> None:
    modules = loaded(PLAIN, compared=False)
    assert "gatebot.render.one_side" in modules
    assert not modules & {"numpy", "scipy", "jinja2", "gatebot.core.decide", "gatebot.render.comment"}


def test_a_target_loads_its_intervals_and_no_comparison() -> None:
    modules = loaded(WITH_TARGET, compared=False)
    assert "gatebot.core.stats.targets" in modules
    assert not modules & {"gatebot.core.decide", "gatebot.render.comment"}


@pytest.mark.parametrize("gate", [PLAIN, WITH_TARGET], ids=["plain", "with a target"])
def test_a_comparison_loads_what_decides_and_what_draws(gate: str) -> None:
    wanted = {
        "gatebot.core.decide",
        "gatebot.core.planning",
        "gatebot.render.comment",
        "scipy.special",
        "jinja2",
    }
    assert wanted <= loaded(gate, compared=True)
