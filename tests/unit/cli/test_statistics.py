"""What `gatebot power` prints of an outlook."""

from __future__ import annotations

from gatebot.cli.statistics import power_lines
from gatebot.commands.power import PowerTold
from gatebot.core.outlook import Outlook


def test_fresh_trials_beyond_all_rounds_are_no_share_of_the_rounds() -> None:
    found = Outlook(
        cases=2,
        seeds=10,
        sequential=True,
        rate=0.9,
        drop=0.4,
        single=(0.9, 0.8),
        rounds=40,
        confirming=20,
        unchanged=20.0,
        dropped=48.0,
    )
    lines = "\n".join(power_lines(PowerTold(found, "assumed")))
    assert "about 20 (50% of all rounds) if nothing changed" in lines
    assert "about 48 (all rounds and fresh trials) with that drop, suspects included" in lines
