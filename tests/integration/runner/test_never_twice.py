"""Through the command line: what was paid for once is not paid for again, and changes nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import CONFIG, RIGHT, Project, book, case, shop, wrong
from tests.integration.runner.counted import Launches
from tests.integration.stories.command_line import CommandLine, part
from tests.integration.stories.measured import caused, without_measured

TRIALS = 24
"""Four cases, three slots, two sides."""


def elsewhere(gatebot: CommandLine, name: str) -> CommandLine:
    return replace(gatebot, results=gatebot.results.with_name(name))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path / "shop", shop())
    project.branch("topic", str(project.repository.head.target))
    project.commit({"book.json": book(wrong("hours", "price", "refund"))})
    return project


def test_running_again_costs_nothing_and_changes_nothing(
    gatebot: CommandLine, project: Project, launches: Launches
) -> None:
    first = gatebot.gate(project.root, "main", "topic")
    assert (first.code, launches.take()[0]) == (1, TRIALS)
    again = elsewhere(gatebot, "again")
    assert again.gate(project.root, "main", "topic").code == 1
    assert launches.take()[0] == 0
    assert without_measured(again.report()) == without_measured(gatebot.report())
    assert caused(again.trials()) == caused(gatebot.trials())
    assert part(again.report(), "trials")["cached"] == TRIALS
    assert part(gatebot.report(), "trials")["cached"] == 0


def test_an_empty_commit_costs_nothing(gatebot: CommandLine, project: Project, launches: Launches) -> None:
    gatebot.gate(project.root, "main", "topic")
    launches.take()
    project.commit({}, "nothing at all")
    again = elsewhere(gatebot, "again")
    assert again.gate(project.root, "main", "topic").code == 1
    assert launches.take()[0] == 0
    assert again.report()["head_sha"] != gatebot.report()["head_sha"]
    assert again.report()["conclusion"] == gatebot.report()["conclusion"] == "fail"


def test_equal_trees_are_not_run(gatebot: CommandLine, project: Project, launches: Launches) -> None:
    project.commit({"book.json": book(RIGHT)}, "back to what it was")
    assert gatebot.gate(project.root, "main", "topic").code == 0
    assert launches.take() == (0, 0)


def test_another_head_is_another_evaluation_on_both_sides(
    gatebot: CommandLine, project: Project, launches: Launches
) -> None:
    """The base's trials of another comparison are another day's: they may not convict, so they are run."""
    gatebot.gate(project.root, "main", "topic")
    launches.take()
    project.commit({"book.json": book(wrong("hours"))})
    again = elsewhere(gatebot, "again")
    again.gate(project.root, "main", "topic")
    assert launches.take()[0] == TRIALS
    assert not any(trial.reused or trial.cached for trial in again.trials())


def test_a_case_that_was_edited_is_run_and_the_others_are_not(
    gatebot: CommandLine, project: Project, launches: Launches
) -> None:
    gatebot("run", "--repo", project.root, "--out", gatebot.results)
    launches.take()
    project.write({"golden/hours.yaml": case("hours").replace("What about", "Tell me about")})
    again = elsewhere(gatebot, "again")
    again("run", "--repo", project.root, "--out", again.results)
    assert launches.take()[0] == 3
    assert {trial.case for trial in again.trials() if not trial.reused} == {"hours"}


def test_more_seeds_append_slots(gatebot: CommandLine, project: Project, launches: Launches) -> None:
    gatebot.gate(project.root, "main", "topic")
    launches.take()
    elsewhere(gatebot, "again").gate(project.root, "main", "topic", "--seeds", "4")
    assert launches.take()[0] == 2 * 4


@pytest.mark.parametrize("option", [("--no-store",), ("--store", "other")])
def test_the_store_can_be_left_out_or_be_elsewhere(
    gatebot: CommandLine, project: Project, launches: Launches, tmp_path: Path, option: tuple[str, ...]
) -> None:
    gatebot.gate(project.root, "main", "topic")
    launches.take()
    words = [str(tmp_path / word) if word == "other" else word for word in option]
    elsewhere(gatebot, "again").gate(project.root, "main", "topic", *words)
    assert launches.take()[0] == TRIALS
    elsewhere(gatebot, "third").gate(project.root, "main", "topic", *words)
    assert launches.take()[0] == (0 if "--store" in option else TRIALS)


def test_a_variable_that_reaches_agents_matters_and_a_credential_does_not(
    gatebot: CommandLine, tmp_path: Path, launches: Launches, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = CONFIG.replace("timeout: 20", "timeout: 20, env: [MODEL_NAME, SHOP_API_KEY]")
    project = Project(tmp_path / "shop", shop(config=config.replace("fixed: 3", "fixed: 1")))

    def started(model: str, key: str, name: str) -> int:
        monkeypatch.setenv("MODEL_NAME", model)
        monkeypatch.setenv("SHOP_API_KEY", key)
        gatebot("run", "--repo", project.root, "--out", tmp_path / name)
        return launches.take()[0]

    assert started("small", "first", "1") == 4
    assert started("small", "second", "2") == 0
    assert started("large", "second", "3") == 4


def test_a_resumed_or_repeated_run_repeats_no_setup(
    gatebot: CommandLine, tmp_path: Path, launches: Launches
) -> None:
    config = CONFIG.replace("timeout: 20", "timeout: 20, setup: [echo made > made.txt]")
    project = Project(tmp_path / "shop", shop(config=config.replace("fixed: 3", "fixed: 1")))
    base = str(project.repository.head.target)
    project.commit({"book.json": book(wrong("hours"))})
    first = gatebot.gate(project.root, base, "HEAD", "--no-store")
    assert launches.take() == (8, 2), first.err
    elsewhere(gatebot, "again").gate(project.root, base, "HEAD", "--no-store")
    assert launches.take() == (8, 0)


def test_recordings_and_oracle_are_not_stored(gatebot: CommandLine, tmp_path: Path, cache: Path) -> None:
    config = CONFIG.replace("agent: {command: [python3, -I, -S, agent.py], timeout: 20}", "agent: oracle")
    project = Project(tmp_path / "shop", shop(config=config))
    assert gatebot("run", "--repo", project.root, "--out", gatebot.results).code == 0
    assert list((cache / "gatebot" / "trials").iterdir()) == []


def test_an_inconclusive_evaluation_goes_on_with_the_next_look_wherever_it_is_run_again(
    gatebot: CommandLine, tmp_path: Path, launches: Launches
) -> None:
    answers = {**RIGHT, "price": [RIGHT["price"], "who knows"], "hours": [RIGHT["hours"], "never"]}
    project = Project(tmp_path / "shop", shop(answers, config=CONFIG.replace("{fixed: 3}", "{max: 10}")))
    base = str(project.repository.head.target)
    project.commit({"note.txt": "a change that changes nothing\n"})
    rounds: list[int] = []
    for name in ("first", "second", "third"):
        one = elsewhere(gatebot, name)
        assert one.gate(project.root, base, "HEAD").code == 0
        if one.report()["conclusion"] != "inconclusive":
            break
        rounds.append(launches.take()[0] // 8)
    assert rounds == [3, 2, 2]


@pytest.mark.parametrize("option", ["--cache", "--store"])
def test_what_is_kept_in_the_working_tree_is_no_part_of_it(
    gatebot: CommandLine, project: Project, launches: Launches, option: str
) -> None:
    for name in ("first", "again"):
        one = elsewhere(gatebot, name)
        ended = one.gate(project.root, "main", "WORKTREE", option, project.root / "kept")
        assert ended.code == 1, ended.told
    assert launches.take()[0] == TRIALS
