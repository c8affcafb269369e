"""A base that other pull requests have run lately spares its trials, and convicts nobody (statistics, item 15)."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from gatebot.model.trial import Trial
from tests.builders import Project, case
from tests.integration.stories.command_line import CommandLine, JsonObject, part

CASES = tuple(f"c{number:02}" for number in range(10))
CONFIG = """\
version: 1
suite: shop
agent: {command: [python3, -I, -S, agent.py], timeout: 20, readable: [/tmp/WORLD]}
concurrency: 4
"""
AGENT = """\
import json, sys
request = json.load(sys.stdin)
case, seed = request["case"], request["seed"]
with open("broken.json") as file:
    broken = json.load(file)
try:
    with open("/tmp/WORLD") as file:
        down = json.load(file)
except OSError:
    down = []
known = case not in broken and case not in down and seed % 16
print(json.dumps({"answer": f"the {case} is known" if known else "who knows", "messages": [
    {"role": "assistant", "content": "x", "model": "MODEL"}]}))
"""
"""Right fifteen times of sixteen, but for broken cases; the world, which no commit holds, may break some as well."""


class Shop:
    """A repository with a base, pull requests off it, and a world around it that may get worse."""

    def __init__(self, root: Path, gatebot: CommandLine, world: Path) -> None:
        self.world = world
        files = {
            "gatebot.yaml": CONFIG.replace("/tmp/WORLD", str(world)),
            "agent.py": AGENT.replace("/tmp/WORLD", str(world)).replace("MODEL", "m-1"),
            "broken.json": "[]",
            **{f"golden/{name}.yaml": case(name) for name in CASES},
        }
        self.project = Project(root, files)
        self.base = str(self.project.repository.head.target)
        self.gatebot = gatebot
        self.count = 0

    def pull_request(self, broken: Sequence[str] = (), **files: str) -> str:
        """A commit on the base that breaks these cases, and changes something else too."""
        self.count += 1
        self.project.branch(f"pr-{self.count}", self.base)
        return self.project.commit(
            {"broken.json": json.dumps(list(broken)), "note.txt": f"{self.count}\n", **files}
        )

    def gate(self, head: str, *more: str) -> tuple[int, JsonObject]:
        """Gate a head in a results directory of its own."""
        out = self.gatebot.results.with_name(f"results-{head[:12]}")
        one = CommandLine(self.gatebot.capture, out)
        ended = one.gate(self.project.root, self.base, head, *more)
        assert ended.code in (0, 1, 3), ended.err
        return ended.code, one.report()

    def trials(self, head: str) -> list[Trial]:
        """The journal of a head's evaluation."""
        return CommandLine(
            self.gatebot.capture, self.gatebot.results.with_name(f"results-{head[:12]}")
        ).trials()

    def lets_the_base_be_recorded(self) -> None:
        """What a push to the default branch does: ten trials of every case on it alone."""
        out = self.gatebot.results.with_name("pushed")
        ended = self.gatebot(
            "run", "--repo", self.project.root, "--head", self.base, "--out", out, "--seeds", "10"
        )
        assert ended.code == 0, ended.err


@pytest.fixture
def shop(gatebot: CommandLine, tmp_path: Path, cache: Path) -> Shop:
    world = cache / "world.json"
    world.write_text("[]")
    world.chmod(0o644)
    return Shop(tmp_path / "shop", gatebot, world)


def live(trials: Sequence[Trial], side: str) -> list[Trial]:
    return [trial for trial in trials if trial.side == side and not trial.cached]


def test_when_nothing_changed_a_third_of_the_trials_are_run(shop: Shop) -> None:
    shop.lets_the_base_be_recorded()
    head = shop.pull_request()
    code, report = shop.gate(head)
    trials = shop.trials(head)
    assert code == 0
    assert live(trials, "base") == []
    assert len(live(trials, "head")) <= 0.36 * 2 * 10 * len(CASES)
    recorded = part(report, "recorded_base")
    assert (recorded["slots"], recorded["run_because"]) == (10, "")
    assert recorded["spared"] == len(live(trials, "head"))
    assert part(report, "trials")["planned"] == len(live(trials, "head"))
    assert "they spared" in str(report["alerts"])
    assert "recordings" in (shop.gatebot.results.with_name(f"results-{head[:12]}") / "comment.md").read_text()


def test_a_regression_is_convicted_on_a_base_that_was_run(shop: Shop) -> None:
    shop.lets_the_base_be_recorded()
    head = shop.pull_request(CASES[:3])
    code, report = shop.gate(head)
    assert (code, report["conclusion"]) == (1, "fail")
    fresh = [trial for trial in live(shop.trials(head), "base") if trial.slot <= 10]
    assert {trial.case for trial in fresh} == set(CASES)
    assert part(report, "recorded_base")["run_because"] != ""
    assert part(report, "recorded_base")["spared"] == 0


def test_a_world_that_got_worse_since_is_not_held_against_the_pull_request(shop: Shop) -> None:
    shop.lets_the_base_be_recorded()
    shop.world.write_text(json.dumps(CASES[:3]))
    head = shop.pull_request()
    code, report = shop.gate(head)
    assert (code, report["conclusion"]) != (1, "fail")
    assert live(shop.trials(head), "base")
    again = shop.pull_request()
    _, report = shop.gate(again)
    assert report["recorded_base"] is None, "live trials differed from the recordings: they are void"


def test_other_models_than_recorded_are_no_recorded_base(shop: Shop) -> None:
    shop.lets_the_base_be_recorded()
    agent = AGENT.replace("/tmp/WORLD", str(shop.world)).replace("MODEL", "m-2")
    head = shop.pull_request(**{"agent.py": agent})
    _, report = shop.gate(head)
    assert "other models answered" in str(part(report, "recorded_base")["run_because"])
    assert live(shop.trials(head), "base")


@pytest.mark.parametrize(("days", "used"), [(7, True), (8, False)])
def test_recordings_are_valid_for_a_week(shop: Shop, cache: Path, days: int, *, used: bool) -> None:
    shop.lets_the_base_be_recorded()
    age(cache, days)
    _, report = shop.gate(shop.pull_request())
    assert (report["recorded_base"] is not None) is used


def test_recordings_of_another_day_are_tested_by_a_sentinel_round(shop: Shop, cache: Path) -> None:
    shop.lets_the_base_be_recorded()
    age(cache, 1)
    head = shop.pull_request()
    code, report = shop.gate(head)
    base = live(shop.trials(head), "base")
    assert code == 0
    assert sorted(trial.case for trial in base) == list(CASES)
    assert part(report, "recorded_base")["spared"] == len(live(shop.trials(head), "head")) - len(CASES)
    second = shop.pull_request()
    shop.gate(second)
    assert live(shop.trials(second), "base") == [], "one sentinel a day"


def test_a_sentinel_that_finds_the_world_changed_has_the_base_run(shop: Shop, cache: Path) -> None:
    shop.lets_the_base_be_recorded()
    age(cache, 1)
    shop.world.write_text(json.dumps(CASES[:8]))
    head = shop.pull_request()
    code, report = shop.gate(head)
    assert code != 1
    assert "differ" in str(part(report, "recorded_base")["run_because"])


def test_three_pull_requests_make_a_recorded_base(shop: Shop) -> None:
    """Each leaves the rounds it ran of the base; together they are ten."""
    reports: list[JsonObject] = []
    for _ in range(6):
        _, report = shop.gate(shop.pull_request())
        reports.append(report)
    assert reports[0]["recorded_base"] is None
    assert reports[-1]["recorded_base"] is not None


def test_the_same_evaluation_elsewhere_shows_the_same_for_nothing(shop: Shop, tmp_path: Path) -> None:
    shop.lets_the_base_be_recorded()
    head = shop.pull_request()
    shop.gate(head)
    for _ in range(2):
        shop.gate(shop.pull_request(), "--seeds", "3")  # more recordings than there were
    first = shop.gatebot.results.with_name(f"results-{head[:12]}")
    elsewhere = CommandLine(shop.gatebot.capture, tmp_path / "elsewhere")
    elsewhere.gate(shop.project.root, shop.base, head)
    assert all(trial.cached or trial.reused for trial in elsewhere.trials())
    one, other = first / "scores.jsonl", elsewhere.results / "scores.jsonl"
    assert without_reused(one.read_text()) == without_reused(other.read_text())


def without_reused(text: str) -> list[str]:
    return sorted(text.replace('"reused":true', '"reused":false').splitlines())


def test_other_rules_for_the_same_head_are_another_evaluation_and_say_so(shop: Shop, tmp_path: Path) -> None:
    head = shop.pull_request()
    first = CommandLine(shop.gatebot.capture, tmp_path / "first")
    assert first.gate(shop.project.root, shop.base, head, "--seeds", "2").code == 0
    assert "evaluated before" not in str(first.report()["alerts"])
    other = CommandLine(shop.gatebot.capture, tmp_path / "other")
    assert other.gate(shop.project.root, shop.base, head, "--seeds", "3").code == 0
    assert "evaluated before with other seeds. This evaluation decides anew" in str(other.report()["alerts"])
    for name, told in (("first", False), ("other", True)):
        again = CommandLine(shop.gatebot.capture, tmp_path / f"{name}-again")
        again.gate(shop.project.root, shop.base, head, "--seeds", "2" if name == "first" else "3")
        assert ("evaluated before" in str(again.report()["alerts"])) is told


def test_without_the_store_the_base_is_run(shop: Shop) -> None:
    shop.lets_the_base_be_recorded()
    _, report = shop.gate(shop.pull_request(), "--no-store")
    assert report["recorded_base"] is None


def test_a_report_made_again_says_the_same(shop: Shop) -> None:
    shop.lets_the_base_be_recorded()
    head = shop.pull_request()
    shop.gate(head)
    place = shop.gatebot.results.with_name(f"results-{head[:12]}")
    before = {name: (place / name).read_bytes() for name in ("report.json", "comment.md", "scores.jsonl")}
    assert shop.gatebot("report", place).code == 0
    assert {name: (place / name).read_bytes() for name in before} == before


def age(cache: Path, days: int) -> None:
    """Let everything in the store have been kept so many days earlier."""
    day = (datetime.datetime.now(datetime.UTC).date() - datetime.timedelta(days=days)).isoformat()
    store = next(path for path in cache.rglob("recordings") if path.is_dir()).parent
    for path in store.glob("??/*.jsonl"):
        header, line = path.read_bytes().split(b"\n", 1)
        path.write_bytes(orjson.dumps({**orjson.loads(header), "recorded": day}) + b"\n" + line)
    for path in store.glob("recordings/*/*.json"):
        entry = orjson.loads(path.read_bytes())
        if "recorded" in entry:
            path.write_bytes(orjson.dumps({**entry, "recorded": day}))
    os.sync()
