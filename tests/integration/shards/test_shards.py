"""Several machines, one evaluation: joined it is what one machine says; what does not belong is named and refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gatebot.results.store import ResultsDirectory
from tests.builders import CONFIG, Project, book, shop, wrong
from tests.integration.stories.command_line import CommandLine
from tests.integration.stories.measured import caused, without_measured

COUNT = 3


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("shop"), shop())
    project.branch("topic", str(project.repository.head.target))
    project.commit({"book.json": book(wrong("hours", "price", "refund"))})
    return project


@pytest.fixture
def parts(gatebot: CommandLine, project: Project, tmp_path: Path) -> list[Path]:
    """All shards of one evaluation, each in a directory of its own."""
    places = [tmp_path / f"part-{index}" for index in range(1, COUNT + 1)]
    for index, place in enumerate(places, start=1):
        ended = replace(gatebot, results=place).gate(
            project.root, "main", "topic", "--shard", f"{index}/{COUNT}"
        )
        assert (ended.code, ended.out) == (0, f"shard {index}/{COUNT}: 8 of 8 trials\n"), ended.err
        assert not (place / "report.json").exists()
    return places


def merged(gatebot: CommandLine, *parts: Path) -> tuple[int, str]:
    ended = gatebot("merge", *parts, "--out", gatebot.results)
    return ended.code, ended.told


def test_joined_shards_say_what_one_machine_says(
    gatebot: CommandLine, project: Project, parts: list[Path], tmp_path: Path
) -> None:
    code, told = merged(gatebot, *reversed(parts))
    assert code == 1, told
    alone = replace(gatebot, results=tmp_path / "alone")
    assert alone.gate(project.root, "main", "topic", "--no-store").code == 1
    assert without_measured(gatebot.report()) == without_measured(alone.report())
    assert caused(gatebot.trials()) == caused(alone.trials())
    again = merged(gatebot, *parts)
    assert again[0] == 1  # a second time into the same directory


def test_a_missing_shard_is_named(gatebot: CommandLine, parts: list[Path]) -> None:
    code, told = merged(gatebot, parts[0], parts[2])
    assert code == 2
    assert "shard 2/3 missing" in told
    assert not gatebot.results.exists()


def test_a_shard_that_is_there_twice_is_named(
    gatebot: CommandLine, parts: list[Path], tmp_path: Path
) -> None:
    shutil.copytree(parts[1], tmp_path / "copy")
    code, told = merged(gatebot, *parts, tmp_path / "copy")
    assert code == 2
    assert "shard 2/3 is there twice" in told
    assert "copy" in told


def another_evaluation(results: ResultsDirectory) -> None:
    plan = results.read_plan()
    assert plan.head is not None
    results.write_plan(replace(plan, head=replace(plan.head, tree="0" * 64)))


def another_policy(results: ResultsDirectory) -> None:
    plan = results.read_plan()
    results.write_plan(replace(plan, digests=replace(plan.digests, policy="0" * 64)))


def another_suite(results: ResultsDirectory) -> None:
    suite = results.read_suite()
    results.write_suite(replace(suite, cases=suite.cases[:-1]))


def another_count(results: ResultsDirectory) -> None:
    results.write_plan(replace(results.read_plan(), shard="2/4"))


def other_trials(results: ResultsDirectory) -> None:
    plan = results.read_plan()
    results.write_plan(replace(plan, rounds=plan.rounds[:-1]))


def a_foreign_trial(results: ResultsDirectory) -> None:
    place = results.path / "trials.jsonl"
    line = json.loads(place.read_text("utf-8").splitlines()[0])
    place.write_text(f"{place.read_text('utf-8')}{json.dumps({**line, 'slot': 9})}\n", "utf-8")


def a_lost_trial(results: ResultsDirectory) -> None:
    place = results.path / "trials.jsonl"
    place.write_text("".join(place.read_text("utf-8").splitlines(keepends=True)[:-1]), "utf-8")


def a_whole_evaluation(results: ResultsDirectory) -> None:
    results.write_plan(replace(results.read_plan(), shard=""))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (another_evaluation, "is foreign to shard 1/3 in part-1: another head tree"),
        (another_policy, "another policy"),
        (another_suite, "its suite is not the one its plan names"),
        (another_count, "one of 4 parts, not of 3"),
        (other_trials, "was planned for other trials"),
        (a_foreign_trial, "holds a foreign trial"),
        (a_lost_trial, "is unfinished: 7 of 8 trials"),
        (a_whole_evaluation, "holds a whole evaluation"),
    ],
)
def test_what_does_not_belong_is_named_and_refused(
    gatebot: CommandLine, parts: list[Path], spoil: Callable[[ResultsDirectory], None], said: str
) -> None:
    spoil(ResultsDirectory(parts[1]))
    code, told = merged(gatebot, *parts)
    assert code == 2, told
    assert said in told
    assert "part-2" in told
    assert not (gatebot.results / "report.json").exists()


def test_a_shard_that_ran_out_of_budget_is_joined_as_not_evaluated(
    gatebot: CommandLine, tmp_path: Path
) -> None:
    project = Project(tmp_path / "shop", shop(config=f"{CONFIG}budget: {{trials: 8}}\n"))
    base = str(project.repository.head.target)
    project.commit({"book.json": book(wrong("hours"))})
    places = [tmp_path / "one", tmp_path / "two"]
    for index, place in enumerate(places, start=1):
        ended = replace(gatebot, results=place).gate(project.root, base, "HEAD", "--shard", f"{index}/2")
        assert ended.code == 3
        assert "4 of 12 trials" in ended.out
    code, told = merged(gatebot, *places)
    assert (code, gatebot.report()["conclusion"]) == (3, "not_evaluated"), told
    assert "shard 1/2: budget" in str(gatebot.report()["reason"])


@pytest.mark.parametrize("everywhere", [True, False])
def test_a_setup_that_fails_everywhere_is_the_heads_fault_and_on_one_machine_the_machines(
    gatebot: CommandLine, tmp_path: Path, cache: Path, everywhere: bool
) -> None:
    broken = cache / "broken"
    broken.touch()
    project = Project(tmp_path / "shop", shop())
    base = str(project.repository.head.target)
    setup = f"timeout: 20, setup: [test ! -e {broken}]"
    project.commit({"gatebot.yaml": CONFIG.replace("timeout: 20", setup), "book.json": book(wrong("hours"))})
    places = [tmp_path / "one", tmp_path / "two"]
    for index, place in enumerate(places, start=1):
        ended = replace(gatebot, results=place).gate(project.root, base, "HEAD", "--shard", f"{index}/2")
        assert ended.code == 0
        assert ("setup failed" in ended.out) == broken.exists()
        if not everywhere:
            broken.unlink(missing_ok=True)
    code, told = merged(gatebot, *places)
    if everywhere:
        assert (code, gatebot.report()["conclusion"]) == (1, "fail"), told
    else:
        assert (code, gatebot.report()["conclusion"]) == (3, "not_evaluated"), told
        assert "failed on shard 1/2 and not on the others" in str(gatebot.report()["reason"])


def test_one_side_alone_is_sharded_too(gatebot: CommandLine, project: Project, tmp_path: Path) -> None:
    places = [tmp_path / "one", tmp_path / "two"]
    for index, place in enumerate(places, start=1):
        ended = gatebot("run", "--repo", project.root, "--out", place, "--shard", f"{index}/2")
        assert (ended.code, ended.out) == (0, f"shard {index}/2: 6 of 6 trials\n")
    assert merged(gatebot, *places)[0] == 0
    assert len(gatebot.trials()) == 12


def test_the_matrix_is_printed(gatebot: CommandLine) -> None:
    ended = gatebot("shards", "2")
    assert (ended.code, json.loads(ended.out)) == (0, {"shard": ["1/2", "2/2"]})
    assert gatebot("shards", "1000").code == 2
    assert gatebot("gate", "--base", "main", "--shard", "3/2").code == 2
