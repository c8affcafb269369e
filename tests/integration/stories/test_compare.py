"""Recorded trials against recorded trials: which side and which slots are taken, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from gatebot.model.trajectory import Message, Trajectory
from gatebot.model.trial import Side, Trial
from gatebot.results.journal import Journal
from tests.builders import CASES, RIGHT, Project, shop
from tests.integration.stories.command_line import CommandLine, Ended, part, rows


def recorded(place: Path, slots: Mapping[Side, Iterable[int]], wrong: Iterable[str] = ()) -> Path:
    """A recording: every case on the sides and slots given, right but for the cases named."""
    place.mkdir()
    with Journal(place / "trials.jsonl") as journal:
        for side, numbers in slots.items():
            for slot in numbers:
                for name in CASES:
                    answer = "who knows" if name in wrong else str(RIGHT[name])
                    said = Trajectory((Message("user", name), Message("assistant", answer)))
                    journal.append(
                        Trial(name, side, slot, seed=0, status="completed", trajectory=said, answer=answer)
                    )
    return place


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return Project(tmp_path / "suite", shop()).root


def compared(gatebot: CommandLine, suite: Path, base: Path, head: Path, *more: str) -> Ended:
    return gatebot("compare", base, head, "--suite", suite, "--out", gatebot.results, *more)


def test_a_worse_recording_is_blocked(gatebot: CommandLine, suite: Path, tmp_path: Path) -> None:
    base = recorded(tmp_path / "base", {"base": range(1, 4)})
    head = recorded(tmp_path / "head", {"head": range(1, 4)}, wrong=["hours", "price", "refund"])
    assert compared(gatebot, suite, base, head).code == 1
    report = gatebot.report()
    assert (report["conclusion"], report["base_sha"], report["head_sha"]) == ("fail", None, None)
    assert rows(report, "metrics")["pass_rate"]["verdict"] == "regressed"
    assert part(report, "trials")["missing"] == 0


def test_of_a_recording_of_both_sides_only_the_head_s_slots_are_planned(
    gatebot: CommandLine, suite: Path, tmp_path: Path
) -> None:
    """A/A runs record the base on other slots than the head; none of those is missing on the head."""
    both = recorded(tmp_path / "both", {"base": (1, 2, 3), "head": (4, 5, 6)})
    assert compared(gatebot, suite, both, both).code == 0
    trials = part(gatebot.report(), "trials")
    assert (trials["planned"], trials["missing"]) == (24, 0)


def test_slots_asked_for_and_not_recorded_are_missing(
    gatebot: CommandLine, suite: Path, tmp_path: Path
) -> None:
    place = recorded(tmp_path / "some", {"head": (1, 2, 3)})
    ended = compared(gatebot, suite, place, place, "--base-slots", "1-3", "--head-slots", "3-6")
    assert ended.code == 3, ended.told
    assert part(gatebot.report(), "trials")["missing"] == 3 * len(CASES)


def test_a_comparison_again_gives_the_same_bytes(gatebot: CommandLine, suite: Path, tmp_path: Path) -> None:
    base = recorded(tmp_path / "base", {"base": (1, 2)})
    head = recorded(tmp_path / "head", {"head": (1, 2)}, wrong=["hours"])
    compared(gatebot, suite, base, head)
    first = {path.name: path.read_bytes() for path in gatebot.results.iterdir() if path.is_file()}
    compared(gatebot, suite, base, head)
    assert {path.name: path.read_bytes() for path in gatebot.results.iterdir() if path.is_file()} == first
    assert {"report.json", "comment.md", "scores.jsonl", "junit.xml"} <= set(first)


def test_a_recording_of_other_cases_is_an_error(gatebot: CommandLine, suite: Path, tmp_path: Path) -> None:
    place = recorded(tmp_path / "some", {"head": (1,)})
    for name in CASES:
        (suite / "golden" / f"{name}.yaml").rename(suite / "golden" / f"new-{name}.yaml")
    ended = compared(gatebot, suite, place, place)
    assert ended.code == 2
    assert "holds no trial" in ended.err
