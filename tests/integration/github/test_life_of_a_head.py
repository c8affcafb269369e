"""Heads that come and go: drafts, forced pushes, runs that are run again, a suite's first pull request and its second."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import CONFIG, RIGHT, Project, book, shop, wrong
from tests.fakes.github.state import GitHubState
from tests.integration.github.actions import Actions
from tests.integration.github.test_stories import only_check, only_comment, push

SMALL = ("price", "refund")


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A suite of two cases."""
    return Project(tmp_path_factory.mktemp("small") / "repo", shop(names=SMALL))


def broken(project: Project) -> str:
    """A head that gets both cases wrong."""
    return push(project, {"book.json": book(wrong(*SMALL))})


def test_a_draft_is_judged_like_any_other(actions: Actions, hub: GitHubState, project: Project) -> None:
    head = broken(project)
    hub.pulls[1].draft = True
    job = actions.pull_request("opened")
    assert "a draft is judged like any other" in job.log
    assert job.code == 1, job.log
    assert only_check(hub, head).conclusion == "failure"
    hub.pulls[1].draft = False
    again = actions.pull_request("ready_for_review")
    assert again.code == 1, again.log
    assert only_check(hub, head).conclusion == "failure"


def test_a_forced_push_is_a_new_head_and_the_old_verdict_stays_on_the_old_commit(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    old = broken(project)
    assert actions.pull_request("opened").code == 1
    first = only_comment(hub)
    project.branch("topic", hub.tip("main"))
    new = push(project, {"book.json": book(RIGHT), "notes.md": "rewritten"})
    job = actions.pull_request("synchronize")
    assert job.code == 0, job.log
    assert (only_check(hub, old).conclusion, only_check(hub, new).conclusion) == ("failure", "success")
    assert only_comment(hub) != first
    assert new[:7] in only_comment(hub)


def test_another_attempt_of_a_run_takes_its_check_and_comment_over(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    head = broken(project)
    assert actions.pull_request("opened", run_id=70).code == 1
    check, began = only_check(hub, head), len(hub.writes())
    assert actions.pull_request("opened", run_id=70, attempt=2).code == 1
    assert only_check(hub, head) is check
    assert check.external_id == "gatebot:70:2"
    assert "attempts/2" in only_comment(hub)
    assert len(hub.writes()) - began == 3  # the check begins again and ends, the comment


def test_a_frozen_payload_of_a_closed_pull_request_evaluates_nothing(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    broken(project)
    payload = actions.payload("opened", 1, "author")
    hub.pulls[1].state = "closed"
    began = len(hub.writes())
    job = actions.event("pull_request", payload)
    assert job.code == 3
    assert "was closed" in job.log
    assert len(hub.writes()) == began


@pytest.fixture
def fresh(hub: GitHubState, tmp_path: Path) -> Project:
    """A repository without a suite, and a pull request of `topic`."""
    project = Project(tmp_path / "fresh", {"README.md": "nothing yet"})
    hub.become(GitHubState(project))
    hub.roles |= {"alice": "maintain"}
    project.branch("topic", str(project.repository.head.target))
    hub.open_pull("topic")
    return project


def test_the_first_pull_request_is_merged_and_the_second_is_compared_with_it(
    actions: Actions, hub: GitHubState, fresh: Project
) -> None:
    """bot.md's first pull request, told to its end: what it brought is the base of the next one, and is stored for it."""
    head = push(fresh, shop(wrong("refund"), names=SMALL))
    first = actions.pull_request("opened")
    assert first.code == 0, first.log
    assert only_check(hub, head).conclusion == "success"
    comment = only_comment(hub)
    assert "no baseline yet" in comment or "nothing to compare with yet" in comment
    assert "The next pull request will be compared with this one once it is merged" in comment
    assert "stored results" not in first.log

    fresh.branch("main", head)
    pushed = actions.push()
    assert pushed.code == 0, pushed.log
    hub.pulls[1].state = "closed"
    fresh.branch("topic", head)
    hub.open_pull("topic")
    worse = push(fresh, {"book.json": book(wrong("refund", "price"))})
    second = actions.pull_request("opened", 2)
    assert second.code == 1, second.log
    assert "20 stored trials of the base, from run" in second.log
    assert only_check(hub, worse).conclusion == "failure"
    told = [one.body for one in hub.comments if one.number == 2]
    assert len(told) == 1
    assert "`price`" in told[0].split("<details>")[0]


def test_a_missing_secret_is_never_a_first_pull_request(
    actions: Actions, hub: GitHubState, fresh: Project
) -> None:
    keyed = CONFIG.replace("timeout: 20", "timeout: 20, env: [SHOP_KEY]")
    head = push(fresh, shop(config=keyed, names=SMALL))
    actions.variables["SHOP_KEY"] = ""
    job = actions.pull_request("opened")
    assert job.code == 3, job.log
    assert only_check(hub, head).conclusion == "failure"
    assert "SHOP_KEY" in only_comment(hub)
