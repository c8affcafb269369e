"""Ways to approve oneself, one test a kind: whose record, which head, whose check, whose label."""

from __future__ import annotations

import dataclasses

import pytest

from gatebot.github_api.acceptances import acceptances_of
from gatebot.github_api.checks import CheckSpec, start_check
from gatebot.github_api.client import Client
from gatebot.render.check import hidden_text, read_acceptance, read_binding
from tests.builders import CONFIG, RIGHT, Project, shop, wrong
from tests.fakes.github.state import CheckRun, GitHubState
from tests.integration.github.actions import Actions
from tests.integration.github.test_stories import ACCEPT, OVERRIDE, only_check, only_comment, push


@pytest.mark.parametrize("label", [ACCEPT, OVERRIDE])
def test_a_label_never_counts_for_a_head_pushed_and_judged_after_it(
    actions: Actions, hub: GitHubState, project: Project, label: str
) -> None:
    push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    hub.label(1, label, "alice")
    late = actions.payload("labeled", 1, "alice", label)
    unseen = push(project, shop(wrong("refund", "hours", "price")))
    actions.pull_request("synchronize")
    job = actions.event("pull_request_target", late)
    assert job.code == 1, job.log
    assert hub.tip("topic") == unseen
    assert only_check(hub, unseen).conclusion == "failure"
    assert hub.pulls[1].labels == []
    assert "look at the new head" in only_comment(hub)


def test_an_old_label_event_leaves_a_label_set_anew_to_its_own_event(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, shop(wrong("refund")))
    hub.label(1, ACCEPT, "alice")
    late = actions.payload("labeled", 1, "alice", ACCEPT)
    hub.next_id()
    hub.unlabel(1, ACCEPT, "alice")
    unseen = push(project, shop(wrong("refund", "hours")))
    actions.pull_request("synchronize")
    hub.label(1, ACCEPT, "alice")
    assert actions.event("pull_request_target", late).code == 0
    assert hub.pulls[1].labels == [ACCEPT]
    assert hub.tip("topic") == unseen


def accepted_elsewhere(actions: Actions, hub: GitHubState, project: Project) -> CheckRun:
    """Pull request 1 is accepted by a maintainer; pull request 2 takes its commits along."""
    push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    assert actions.label(ACCEPT, "alice").code == 0
    check = only_check(hub, hub.tip("topic"))
    project.branch("other", hub.tip("topic"))
    hub.open_pull("other")
    return check


def test_what_was_accepted_in_one_pull_request_is_not_accepted_in_another(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    accepted_elsewhere(actions, hub, project)
    head = push(project, {"notes.md": "on top"}, "other")
    job = actions.pull_request("opened", 2)
    assert job.code == 1, job.log
    assert only_check(hub, head).conclusion == "failure"


@pytest.mark.parametrize("forged", ["commit", "suite", "app", "text"])
def test_a_record_counts_only_where_and_by_whom_it_was_made(
    actions: Actions, hub: GitHubState, project: Project, client: Client, forged: str
) -> None:
    check = accepted_elsewhere(actions, hub, project)
    assert len(acceptances_of(client, 1, "shop", "github-actions")) == 1
    record, binding = read_acceptance(check.text), read_binding(check.text)
    assert record is not None
    assert binding is not None
    changed = {
        "commit": dataclasses.replace(record, accepted_sha="f" * 40),
        "suite": dataclasses.replace(record, suite="desk"),
    }.get(forged, record)
    check.text = hidden_text(binding, changed) or ""
    if forged == "app":
        check.app = "another-app"
    if forged == "text":
        check.text = check.text.replace("gatebot:acceptance", "gatebot:accepted")
    assert acceptances_of(client, 1, "shop", "github-actions") == ()


def test_trailers_that_a_user_wrote_accept_nothing(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, shop(wrong("refund")))
    accepted = hub.tip("topic")
    message = f"gatebot: accept\n\nGatebot-Suite: shop\nGatebot-Evaluated: {accepted}\nAccepted-by: alice (admin) now"
    project.branch("topic", accepted)
    edited = shop(wrong("refund"))["golden/refund.yaml"]
    assert edited is not None
    head = project.commit(
        {"golden/refund.yaml": edited.replace("the refund is known", "nobody tells the refund")}, message
    )
    job = actions.pull_request("opened")
    assert job.code == 1, job.log
    assert only_check(hub, head).conclusion == "failure"


def test_a_comment_that_says_accepted_accepts_nothing(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    head = push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    ours = next(one for one in hub.comments if one.login.endswith("[bot]"))
    ours.body = ours.body.replace("blocked", "passed")  # somebody with the right edits the bot's own words
    hub.comment(1, "mallory", ours.body)
    assert actions.label(ACCEPT, "trixie").code == 1
    assert actions.pull_request("reopened").code == 1
    assert only_check(hub, head).conclusion == "failure"
    assert "blocked" in only_comment(hub)


@pytest.mark.parametrize("run", [1, 999_999_999_999])
def test_another_apps_check_of_our_name_keeps_ours_from_nothing(
    actions: Actions, hub: GitHubState, project: Project, run: int
) -> None:
    head = push(project, shop(wrong("refund")))
    forged = CheckRun(
        hub.next_id(), "gatebot / shop", head, "another-app", f"gatebot:{run}:1", "", "completed", "success"
    )
    hub.checks.append(forged)
    assert actions.pull_request("opened").code == 1
    ours = [check for check in hub.checks if check.app == "github-actions"]
    assert [(check.status, check.conclusion) for check in ours] == [("completed", "failure")]


def test_a_check_of_another_app_is_neither_taken_over_nor_obeyed(client: Client, hub: GitHubState) -> None:
    sha = hub.tip("topic")
    hub.checks.append(
        CheckRun(hub.next_id(), "gatebot / shop", sha, "x", "gatebot:77:1", "", "completed", "success")
    )
    ours = CheckSpec("gatebot / shop", sha, "gatebot:5:1", "https://example.org/run", "github-actions")
    assert start_check(client, ours) is not None
    assert [check.app for check in hub.checks] == ["x", "github-actions"]


def test_results_that_are_gone_refuse_and_say_so(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    for held in hub.artifacts.values():
        held.clear()
    assert actions.label(ACCEPT, "alice").code == 1
    assert hub.pulls[1].labels == []
    assert "run the gate again" in only_comment(hub)


def test_a_hostile_artifact_is_refused_and_said(actions: Actions, hub: GitHubState, project: Project) -> None:
    red = push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    for run, held in hub.artifacts.items():
        hub.artifacts[run] = [(number, name, b"PK no zip at all") for number, name, _ in held]
    assert actions.label(ACCEPT, "alice").code == 1
    assert hub.tip("topic") == red
    assert hub.pulls[1].labels == []
    assert "cannot be read" in only_comment(hub)


def test_a_reopened_pull_request_brings_no_old_approval_back(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    assert actions.label(OVERRIDE, "alice").code == 0
    hub.pulls[1].state = "closed"
    head = push(project, shop(wrong("refund", "hours")))
    hub.pulls[1].state = "open"
    assert actions.pull_request("reopened").code == 1
    assert only_check(hub, head).conclusion == "failure"
    fixed = push(project, shop(RIGHT))
    assert actions.pull_request("synchronize").code == 0
    assert only_check(hub, fixed).title != "overridden by alice"


@pytest.mark.parametrize("extra", ["settings.yaml", "golden/hours.yaml", "agent.py", "mode"])
def test_a_forged_accept_commit_with_more_in_it_is_not_taken_for_ours(
    actions: Actions, hub: GitHubState, project: Project, extra: str
) -> None:
    red = push(project, {**shop(wrong("refund")), "settings.yaml": "careful: true\n"})
    actions.pull_request("opened")
    hub.label(1, ACCEPT, "alice")
    seen = actions.payload("labeled", 1, "alice", ACCEPT)
    golden = str(shop()["golden/refund.yaml"]).split("golden:")[0]
    files: dict[str, str | None] = {
        "golden/refund.yaml": f"{golden}golden:\n  answer: nobody tells the refund\n"
    }
    if extra == "mode":
        (project.root / "golden/refund.yaml").chmod(0o755)
    else:
        files[extra] = f"# changed\n{(project.root / extra).read_text()}"
    trailers = f"Gatebot-Suite: shop\nGatebot-Evaluated: {red}\nAccepted-by: alice (maintain)"
    project.branch("topic", red)
    if extra == "mode":
        (project.root / "golden/refund.yaml").chmod(0o755)
    forged = project.commit(files, f"gatebot: accept golden set for shop (1 case)\n\n{trailers}")
    job = actions.event("pull_request_target", seen)
    assert job.code == 1, job.log
    assert hub.tip("topic") == forged
    assert [check for check in hub.checks if check.head_sha == forged and check.conclusion == "success"] == []


def test_one_commit_cannot_be_green_for_two_base_branches(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    lenient = f"{CONFIG}gate: {{mode: observe}}\n"
    project.branch("lenient", hub.tip("main"))
    project.commit({"gatebot.yaml": lenient})
    head = push(project, shop(wrong("refund")))
    assert actions.pull_request("opened").code == 1
    hub.open_pull("topic").base_ref = "lenient"
    job = actions.pull_request("opened", 2)
    assert job.code == 3, job.log
    assert only_check(hub, head).conclusion == "failure"
    assert "two pull requests" in only_check(hub, head).title
    hub.pulls[2].state = "closed"
    assert actions.pull_request("reopened").code == 1


def test_whoever_wrote_the_commits_is_an_author_too(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    strict = shop(config=f"{CONFIG}accept: {{by_author: false}}\n")
    push(project, strict, "main")
    project.branch("topic", hub.tip("main"))
    red = push(project, {"book.json": shop(wrong("refund"))["book.json"]})
    hub.pulls[1].author = "helpful[bot]"  # opened by a bot, written by alice
    hub.authors[red] = "Alice"
    actions.pull_request("opened")
    assert actions.label(ACCEPT, "alice").code == 1
    assert hub.tip("topic") == red
    assert "by_author" in only_comment(hub)
