"""Real recorded runs: imported, compared with themselves, and reported with the published pass^k."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.integration.stories.command_line import CommandLine, JsonObject, part, rows, strict_json

AIRLINE = Path(__file__).parents[4] / "shared" / "data" / "tau-bench-airline" / "gpt-4o.4trials.jsonl.gz"
PUBLISHED = {"1": 0.420, "2": 0.273, "3": 0.220, "4": 0.200}

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not AIRLINE.is_file(), reason="tau-bench's recorded runs are not here"),
]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from gatebot.cli.app import run

    place = tmp_path_factory.mktemp("tau") / "airline"
    assert run(["import", "tau-bench", str(AIRLINE), "--out", str(place)]) == 0
    return place


def regressed(report: JsonObject) -> list[str]:
    return [name for name, row in rows(report, "metrics").items() if row["verdict"] == "regressed"]


def test_import_gives_a_sound_suite(gatebot: CommandLine, imported: Path) -> None:
    ended = gatebot("validate", imported)
    assert ended.code == 0, ended.err
    assert "50 cases" in ended.out
    assert "the suite is sound" in ended.out


def test_two_halves_of_one_agent_show_no_regression(gatebot: CommandLine, imported: Path) -> None:
    halves = ("--base-slots", "0-1", "--head-slots", "2-3", "--out", gatebot.results)
    ended = gatebot("compare", imported, imported, "--suite", imported, *halves)
    assert ended.code == 0, ended.told
    report = gatebot.report()
    assert report["conclusion"] in {"pass", "inconclusive"}
    assert regressed(report) == []
    trials = part(report, "trials")
    assert (trials["planned"], trials["completed"], trials["missing"]) == (200, 200, 0)


def test_report_gives_the_published_reliability(gatebot: CommandLine, imported: Path, tmp_path: Path) -> None:
    place = tmp_path / "airline"
    shutil.copytree(imported, place)
    ended = gatebot("report", place)
    assert ended.code == 0, ended.told
    report = strict_json((place / "report.json").read_text("utf-8"))
    reliability = part(report, "pass_hat_k")
    assert reliability["base"] is None
    head = part(reliability, "head")
    assert set(head) == set(PUBLISHED)
    for k, published in PUBLISHED.items():
        value = head[k]
        assert isinstance(value, float)
        assert round(value, 3) == published
    comment = (place / "comment.md").read_text("utf-8")
    for percent in ("42%", "27.3%", "22%", "20%"):
        assert percent in comment
