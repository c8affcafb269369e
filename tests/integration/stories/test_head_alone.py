"""`gate --head-only`: the head alone, by the base's ruler: what a fork's run records."""

from __future__ import annotations

from pathlib import Path

from gatebot.results.journal import read_trials
from tests.builders import CONFIG, Project, case, shop, wrong
from tests.integration.stories.command_line import CommandLine


def test_the_head_alone_is_run_by_the_bases_ruler(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "repo", shop(names=("price", "refund")))
    base = str(project.repository.head.target)
    loose = (
        CONFIG.replace("fixed: 3", "fixed: 1")
        + "quarantine: [{case: price, reason: none, until: 2999-01-01}]\n"
    )
    changed = {"gatebot.yaml": loose, "golden/price.yaml": None, "golden/hours.yaml": case("hours")}
    head = project.commit({**shop(wrong("refund"), names=("refund",)), **changed})
    ended = gatebot.gate(project.root, base, head, "--head-only")
    assert ended.code == 0, ended.told
    found = [trial.key for trial in read_trials(gatebot.results / "trials.jsonl")]
    assert {key.side for key in found} == {"head"}
    assert sorted({key.case for key in found}) == ["hours", "price", "refund"]
    assert {key.slot for key in found} == {1, 2, 3}
    assert "changes seeds, quarantine" in str(gatebot.report()["alerts"])


def test_a_part_of_it_is_not_to_be_had(gatebot: CommandLine, tmp_path: Path) -> None:
    project = Project(tmp_path / "repo", shop())
    head = str(project.repository.head.target)
    ended = gatebot.gate(project.root, head, head, "--head-only", "--shard", "1/2")
    assert ended.code == 2
    assert "do not go together" in ended.err
