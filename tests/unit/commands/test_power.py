"""`gatebot power` and `gatebot aa --recorded` on small suites: what they say, and what they refuse."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from gatebot.commands.aa import aa_recorded
from gatebot.commands.compare import Recording
from gatebot.commands.power import PowerRequest, power
from gatebot.errors import InputFileError, UsageError
from gatebot.model.trial import Outcome, Trial
from gatebot.results.trial_line import encode_trial

TODAY = datetime.date(2026, 5, 4)
CONFIG = """\
version: 1
suite: shop
agent: {replay: trials.jsonl}
gate: {metrics: {pass_rate: {}}}
"""
CASE = """\
input: How much is it?
expect: {outcome: recorded}
"""
CASES = [f"case-{number:02}" for number in range(12)]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Twelve cases with twenty recorded trials each, of which nineteen pass."""
    (tmp_path / "gatebot.yaml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "golden").mkdir()
    lines: list[bytes] = []
    for case in CASES:
        (tmp_path / "golden" / f"{case}.yaml").write_text(CASE, encoding="utf-8")
        lines.extend(
            encode_trial(Trial(case, "head", slot, 1, "completed", outcome=Outcome(slot != 7)))
            for slot in range(20)
        )
    (tmp_path / "trials.jsonl").write_bytes(b"".join(lines))
    return tmp_path


def _request(suite: Path, **options: float) -> PowerRequest:
    seeds = options.get("seeds")
    return PowerRequest(
        suite, "gatebot.yaml", TODAY, seeds=None if seeds is None else int(seeds), drop=options.get("drop")
    )


def test_power_before_a_run(suite: Path) -> None:
    told = power(_request(suite, drop=0.05))
    assert (told.outlook.cases, told.outlook.seeds, told.outlook.sequential) == (12, 10, True)
    assert told.outlook.drop is not None
    assert told.outlook.drop > 0.05
    assert told.needed is not None
    assert told.needed.seeds is not None
    assert told.needed.seeds > 10
    assert "assumed" in told.source


def test_fixed_seeds_are_one_look(suite: Path) -> None:
    told = power(_request(suite, seeds=5))
    assert (told.outlook.sequential, told.outlook.rounds) == (False, 120)
    assert told.needed is None


@pytest.mark.parametrize("drop", [0.0, 1.0, -0.1])
def test_no_drop_is_refused(suite: Path, drop: float) -> None:
    with pytest.raises(UsageError):
        power(_request(suite, drop=drop))


def test_results_that_are_none_are_refused(suite: Path) -> None:
    request = PowerRequest(suite, "gatebot.yaml", TODAY, results=suite)
    with pytest.raises(InputFileError):
        power(request)


def test_random_halves_close_no_gate_and_planted_regressions_do(suite: Path) -> None:
    found = aa_recorded(Recording(suite), suite, "gatebot.yaml", TODAY, 60)
    assert (found.cases, found.slots, found.sequential) == (12, 10, False)
    assert (found.alarms.count, found.alarms.reds <= 6) == (60, True)
    assert found.planted["one case broken"].reds == found.planted["one case broken"].count == 6
    assert found == aa_recorded(Recording(suite), suite, "gatebot.yaml", TODAY, 60)


def test_slots_narrow_what_is_split(suite: Path) -> None:
    assert aa_recorded(Recording(suite, range(6)), suite, "gatebot.yaml", TODAY, 10).slots == 3


def test_a_single_slot_cannot_be_split(suite: Path) -> None:
    with pytest.raises(InputFileError, match="no two trials"):
        aa_recorded(Recording(suite, range(1)), suite, "gatebot.yaml", TODAY, 10)
