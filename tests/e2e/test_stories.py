"""A pull request's life with the workflows as users copy them, under act, in the image: told by what people see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from gatebot.render.check import read_acceptance
from tests.builders import RIGHT, shop, wrong
from tests.e2e.act import Machine
from tests.e2e.forge import Forge, forge
from tests.fakes.github.state import CheckRun

Make = Callable[[Mapping[str, str | None]], Forge]


def push(forge: Forge, files: Mapping[str, str | None], branch: str = "topic") -> str:
    """Commit on a branch as its author would."""
    forge.project.branch(branch, forge.hub.tip(branch))
    return forge.project.commit(files)


def only_check(forge: Forge, sha: str) -> CheckRun:
    found = [check for check in forge.hub.checks if check.head_sha == sha]
    assert len(found) == 1
    return found[0]


def test_open_red_then_a_fix_and_green(forge_of: Make) -> None:
    forge = forge_of(shop())
    red = push(forge, shop(wrong("refund", "price")))
    ran = forge.pull_request("opened")
    assert ran.code == 1, ran.text
    check = only_check(forge, red)
    assert (check.name, check.status, check.conclusion) == ("gatebot / shop", "completed", "failure")
    comment = forge.keep_comment("red")
    assert comment.startswith("<!-- gatebot:v1 suite=shop -->\n")
    assert "`refund`" in comment
    assert ran.outputs["conclusion"] == "fail"
    assert "refund" in ran.summary
    assert list(forge.hub.artifacts) == [7001]

    green = push(forge, shop(RIGHT))
    ran = forge.pull_request("synchronize")
    assert ran.code == 0, ran.text
    assert only_check(forge, green).conclusion == "success"
    assert only_check(forge, red).conclusion == "failure"
    assert "`refund`" not in forge.keep_comment("green").split("<details>")[0]
    assert ran.outputs["conclusion"] == "pass"


def test_red_then_the_label_commits_on_the_branch_and_the_new_head_is_green(forge_of: Make) -> None:
    forge = forge_of(shop())
    red = push(forge, shop(wrong("refund")))
    assert forge.pull_request("opened").code == 1
    ran = forge.label("gatebot:accept", "alice")
    assert ran.code == 0, ran.text
    accepted = forge.hub.tip("topic")
    assert accepted != red
    check = only_check(forge, accepted)
    assert (check.conclusion, check.title) == ("success", "accepted: 1 case")
    record = read_acceptance(check.text)
    assert record is not None
    assert (record.who, record.evaluated_sha, record.accepted_sha) == ("alice", red, accepted)
    assert [delta.new_file.path for delta in forge.project.repository.diff(red, accepted).deltas] == [
        "golden/refund.yaml"
    ]
    assert forge.hub.pulls[1].labels == []
    forge.keep_comment("accepted")

    push(forge, {"notes.md": "about nothing"})
    ran = forge.pull_request("synchronize")
    assert ran.code == 0, ran.text
    assert "`alice`" in forge.keep_comment("later")


def test_the_action_as_it_is_committed_is_built_by_the_runner(
    machine: Machine, committed_action: Path, tmp_path: Path
) -> None:
    """`image: Dockerfile`, as for whoever uses a commit that is no release: act builds the image, then it is red."""
    name = "built_by_the_runner"
    with forge(machine, committed_action, tmp_path, name, shop()) as built:
        red = push(built, shop(wrong("refund")))
        ran = built.pull_request("opened")
        assert ran.code == 1, ran.text
        assert only_check(built, red).conclusion == "failure"
        assert "`refund`" in built.keep_comment("red")
        assert "docker build" in ran.text
