"""A pull request's life on GitHub, told by what people see: check, comment, label, commit. Real agents, real HTTP, real git."""

from __future__ import annotations

from pathlib import Path

import pygit2
import pytest

from gatebot.render.check import read_acceptance
from tests.builders import CONFIG, RIGHT, Project, shop, wrong
from tests.fakes.github.state import CheckRun, Fault, GitHubState, Token
from tests.integration.github.actions import BOT, Actions

ACCEPT = "gatebot:accept"
OVERRIDE = "gatebot:override"


def push(project: Project, files: dict[str, str | None], branch: str = "topic") -> str:
    """Commit on a branch as its author would."""
    project.branch(branch, str(project.repository.references[f"refs/heads/{branch}"].target))
    return project.commit(files)


def only_check(hub: GitHubState, sha: str) -> CheckRun:
    found = [check for check in hub.checks if check.head_sha == sha]
    assert len(found) == 1
    return found[0]


def only_comment(hub: GitHubState) -> str:
    found = [one.body for one in hub.comments if one.login == BOT and not one.minimized]
    assert len(found) == 1
    return found[0]


def test_red_comment_and_check_then_a_fix_turns_them_green(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    red = push(project, shop(wrong("refund", "price")))
    job = actions.pull_request("opened")
    assert job.code == 1, job.log
    check = only_check(hub, red)
    assert (check.name, check.status, check.conclusion) == ("gatebot / shop", "completed", "failure")
    assert [note["path"] for note in check.annotations] == ["book.json"]
    comment = only_comment(hub)
    assert comment.startswith("<!-- gatebot:v1 suite=shop -->\n")
    assert "refund" in comment
    assert "gatebot:accept" in comment
    assert "refund" in job.summary
    assert "conclusion<<" in job.outputs
    green = push(project, shop(RIGHT))
    assert actions.pull_request("synchronize").code == 0
    assert only_check(hub, green).conclusion == "success"
    assert only_check(hub, red).conclusion == "failure"
    assert "refund" not in only_comment(hub).split("<details>")[0]


FIVE_SEEDS = CONFIG.replace("seeds: {fixed: 3}", "seeds: {fixed: 5}")
"""What is accepted is judged with a share of alpha: three seeds of one case would reach none."""


def test_accepted_by_a_maintainer_stays_green_and_a_new_regression_is_red(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, {"gatebot.yaml": FIVE_SEEDS}, "main")
    red = push(project, shop(wrong("refund")))
    assert actions.pull_request("opened").code == 1
    before = len(hub.writes())
    job = actions.label(ACCEPT, "alice")
    assert job.code == 0, job.log
    accepted = hub.tip("topic")
    assert accepted != red
    check = only_check(hub, accepted)
    assert (check.conclusion, check.title) == ("success", "accepted: 1 case")
    record = read_acceptance(check.text)
    assert record is not None
    assert (record.who, record.role, record.evaluated_sha, record.accepted_sha) == (
        "alice",
        "maintain",
        red,
        accepted,
    )
    assert [case.case for case in record.cases] == ["refund"]
    message = project.repository[accepted].peel(pygit2.Commit).message
    assert "Accepted-by: alice (maintain)" in message
    assert "skip" not in message.lower()
    changed = [delta.new_file.path for delta in project.repository.diff(red, accepted).deltas]
    assert changed == ["golden/refund.yaml"]
    assert hub.pulls[1].labels == []
    assert "accepted" in only_comment(hub).lower()
    assert len(hub.writes()) - before == 5  # commit, check begun and ended, comment, label
    runs = [path.name for path in project.root.glob("results-*")]
    assert len(runs) == 1  # no agent ran for the label

    green = push(project, {"notes.md": "about nothing"})
    job = actions.pull_request("synchronize")
    assert job.code == 0, job.log
    assert only_check(hub, green).conclusion == "success"
    assert "`alice`" in only_comment(hub)

    worse = push(
        project,
        shop(wrong("refund", "hours")) | {"golden/refund.yaml": committed(project, "golden/refund.yaml")},
    )
    job = actions.pull_request("synchronize")
    assert job.code == 1, job.log
    assert only_check(hub, worse).conclusion == "failure"


def test_a_new_regression_in_the_accepted_case_is_red(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, {"gatebot.yaml": FIVE_SEEDS}, "main")
    push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    assert actions.label(ACCEPT, "alice").code == 0
    book = {**wrong("refund"), "refund": "something else again"}
    worse = push(project, {"book.json": shop(book)["book.json"]})
    job = actions.pull_request("synchronize")
    assert job.code == 1, job.log
    assert only_check(hub, worse).conclusion == "failure"
    assert "refund" in only_comment(hub)


def committed(project: Project, path: str) -> str:
    return (project.root / path).read_text("utf-8")


@pytest.mark.parametrize("actor", ["trixie", "nobody", "somebot[bot]"])
def test_a_label_without_the_right_is_refused_and_taken_off(
    actions: Actions, hub: GitHubState, project: Project, actor: str
) -> None:
    hub.roles["somebot[bot]"] = "read"
    red = push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    job = actions.label(ACCEPT, actor)
    assert job.code == 1
    assert hub.tip("topic") == red
    assert hub.pulls[1].labels == []
    assert only_check(hub, red).conclusion == "failure"
    assert "was not honoured" in only_comment(hub)
    assert "is needed" in only_comment(hub)


def test_the_author_may_not_accept_where_the_policy_says_so(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    strict = shop(config=f"{CONFIG}accept: {{by_author: false}}\n")
    push(project, strict, "main")
    project.branch("topic", hub.tip("main"))
    red = push(project, {**strict, "book.json": shop(wrong("refund"))["book.json"]})
    actions.pull_request("opened")
    assert actions.label(ACCEPT, "author").code == 1
    assert hub.tip("topic") == red
    assert actions.label(ACCEPT, "alice").code == 0


def test_a_label_then_a_push_accepts_nothing(actions: Actions, hub: GitHubState, project: Project) -> None:
    push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    hub.label(1, ACCEPT, "alice")
    payload = actions.payload("labeled", 1, "alice", ACCEPT)
    unseen = push(project, shop(wrong("refund", "hours")))
    assert actions.event("pull_request_target", payload).code == 1
    assert hub.tip("topic") == unseen
    assert hub.pulls[1].labels == []


def test_a_push_takes_labels_off_but_not_those_set_after_it(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, shop(wrong("refund")))
    hub.label(1, ACCEPT, "alice")
    hub.next_id()
    payload = actions.payload("synchronize", 1, "author")
    assert actions.event("pull_request_target", payload).code == 0
    assert hub.pulls[1].labels == []
    hub.next_id()
    hub.label(1, ACCEPT, "alice")
    assert actions.event("pull_request_target", payload).code == 0
    assert hub.pulls[1].labels == [ACCEPT]


def test_the_branch_moves_between_reading_and_committing(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    red = push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    hub.move_before_commit = ("topic", {"x.txt": b"pushed meanwhile"})
    job = actions.label(ACCEPT, "alice")
    assert job.code == 1
    assert "moved" in only_comment(hub)
    log = [str(commit.id) for commit in project.repository.walk(hub.tip("topic"))]
    assert log[1] == red


def test_a_protected_branch_leaves_a_patch(actions: Actions, hub: GitHubState, project: Project) -> None:
    red = push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    hub.protected.add("topic")
    job = actions.label(ACCEPT, "alice")
    assert job.code == 1
    assert hub.tip("topic") == red
    assert "+  answer: nobody tells the refund" in job.summary
    assert "gatebot accept" in only_comment(hub)


def test_an_override_turns_this_head_green_and_taking_it_off_turns_it_red(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    red = push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    assert actions.label(OVERRIDE, "alice").code == 0
    assert (only_check(hub, red).conclusion, only_check(hub, red).title) == ("success", "overridden by alice")
    assert hub.tip("topic") == red
    hub.unlabel(1, OVERRIDE, "alice")
    actions.event("pull_request_target", actions.payload("unlabeled", 1, "alice", OVERRIDE))
    assert only_check(hub, red).conclusion == "failure"


def test_another_label_changes_nothing(actions: Actions, hub: GitHubState, project: Project) -> None:
    red = push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    before = len(hub.writes())
    assert actions.label("documentation", "trixie").code == 0
    assert len(hub.writes()) == before
    assert only_check(hub, red).conclusion == "failure"


def test_an_acceptance_that_was_cut_off_after_the_commit_is_completed(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    hub.faults.append(Fault("POST", "/check-runs$", status=422))
    assert actions.label(ACCEPT, "alice").code == 3
    accepted = hub.tip("topic")
    assert hub.pulls[1].labels == [ACCEPT]
    hub.faults.clear()
    job = actions.event("pull_request_target", actions.payload("labeled", 1, "alice", ACCEPT))
    assert job.code == 0, job.log
    assert hub.tip("topic") == accepted
    assert only_check(hub, accepted).conclusion == "success"
    assert hub.pulls[1].labels == []


def test_the_pull_request_that_adds_gatebot_passes_and_says_so(
    actions: Actions, hub: GitHubState, tmp_path: Path
) -> None:
    project = Project(tmp_path / "fresh", {"README.md": "nothing yet"})
    fresh = GitHubState(project)
    hub.become(fresh)
    project.branch("topic", str(project.repository.head.target))
    hub.open_pull("topic")
    head = push(project, shop(wrong("refund")))
    job = actions.pull_request("opened")
    assert job.code == 0, job.log
    assert only_check(hub, head).conclusion == "success"
    assert "nothing to compare with yet" in only_comment(hub)
    assert "next pull request" in only_comment(hub)


def test_a_missing_secret_is_never_green(actions: Actions, hub: GitHubState, project: Project) -> None:
    keyed = CONFIG.replace("timeout: 20", "timeout: 20, env: [SHOP_KEY]")
    push(project, shop(config=keyed), "main")
    project.branch("topic", hub.tip("main"))
    head = push(project, {"notes.md": "x"})
    actions.variables["SHOP_KEY"] = ""
    job = actions.pull_request("opened")
    assert job.code == 3
    assert only_check(hub, head).conclusion == "failure"
    assert "SHOP_KEY" in only_comment(hub)


def test_a_broken_configuration_completes_no_check_as_green(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, {"gatebot.yaml": "version: 2\n"}, "main")
    job = actions.pull_request("opened")
    assert job.code == 2
    assert all(check.conclusion != "success" for check in hub.checks)


@pytest.mark.parametrize("missing", ["checks", "pull_requests"])
def test_a_token_that_may_not_publish_never_changes_the_verdict(
    actions: Actions, hub: GitHubState, project: Project, missing: str
) -> None:
    head = push(project, shop(wrong("refund")))
    token = Token(BOT, "github-actions")
    token.permissions[missing] = "read"
    token.permissions["issues"] = "read"
    hub.tokens[actions.token] = token
    job = actions.pull_request("opened")
    assert job.code == 1
    assert f"{missing.replace('_', '-')}: write" in job.log
    assert "refund" in job.summary
    if missing == "checks":
        assert [(status["context"], status["state"]) for status in hub.statuses] == [
            ("gatebot/shop", "failure")
        ]
    else:
        assert only_check(hub, head).conclusion == "failure"


def test_an_older_run_that_ends_later_overwrites_nothing(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    head = push(project, shop(wrong("refund")))
    assert actions.pull_request("opened", run_id=9).code == 1
    body = only_comment(hub)
    assert actions.pull_request("opened", run_id=8).code == 1
    assert only_comment(hub) == body
    assert only_check(hub, head).external_id == "gatebot:9:1"


def test_a_re_run_of_an_old_head_judges_nothing(actions: Actions, hub: GitHubState, project: Project) -> None:
    push(project, shop(wrong("refund")))
    payload = actions.payload("opened", 1, "author")
    push(project, shop(RIGHT))
    before = len(hub.writes())
    assert actions.event("pull_request", payload).code == 3
    assert len(hub.writes()) == before


def test_a_changed_base_branch_takes_the_green_away_and_a_re_run_judges_anew(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    head = push(project, {"notes.md": "x"})
    assert actions.pull_request("opened").code == 0
    assert only_check(hub, head).conclusion == "success"
    project.branch("release", hub.tip("main"))
    hub.pulls[1].base_ref = "release"
    payload = {**actions.payload("edited", 1, "author"), "changes": {"base": {"ref": {"from": "main"}}}}
    assert actions.event("pull_request_target", payload).code == 0
    assert only_check(hub, head).conclusion == "failure"
    hub.label(1, ACCEPT, "alice")
    accepted = actions.event("pull_request_target", actions.payload("labeled", 1, "alice", ACCEPT))
    assert accepted.code == 1
    assert "another base branch" in accepted.log
    job = actions.pull_request("opened")
    assert job.code == 0, job.log
    assert only_check(hub, head).conclusion == "success"
