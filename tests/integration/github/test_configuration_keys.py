"""The configuration's keys about GitHub: comment, paths, base, on_missing_base, job_exit. None of them makes an unknown green."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatebot.model.json_value import JsonObject, is_object
from tests.builders import CONFIG, RIGHT, Project, shop, wrong
from tests.fakes.github.state import Fault, GitHubState
from tests.integration.github.actions import Actions
from tests.integration.github.test_more_stories import queue
from tests.integration.github.test_stories import OVERRIDE, only_check, only_comment, push


def configured(hub: GitHubState, project: Project, more: str) -> None:
    """The base's configuration has these lines; the topic starts from it."""
    push(project, shop(config=f"{CONFIG}{more}\n"), "main")
    project.branch("topic", hub.tip("main"))


def comments(hub: GitHubState) -> int:
    return len(hub.comments)


@pytest.mark.parametrize(
    ("mode", "red", "green"), [("always", 1, 1), ("changes", 1, 0), ("regressions", 1, 0), ("off", 0, 0)]
)
def test_a_comment_is_made_when_the_configuration_says(
    actions: Actions, hub: GitHubState, project: Project, mode: str, red: int, green: int
) -> None:
    wide = "gate: {metrics: {pass_rate: {margin: 0.5}}}"  # so that three seeds prove that nothing changed
    configured(hub, project, f"comment: '{mode}'\n{wide}")
    push(project, {"notes.md": "x"})
    assert actions.pull_request("opened").code == 0
    assert comments(hub) == green
    hub.comments.clear()
    head = push(project, {"book.json": shop(wrong("refund"))["book.json"]})
    assert actions.pull_request("synchronize").code == 1
    assert comments(hub) == red
    assert only_check(hub, head).conclusion == "failure"


def test_a_comment_that_is_there_is_kept_up_to_date_in_every_mode(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, {"book.json": shop(wrong("refund"))["book.json"]})
    actions.pull_request("opened")
    assert "shop: blocked" in only_comment(hub)
    push(project, shop(config=f"{CONFIG}comment: 'off'\n"), "main")
    push(project, {"book.json": shop(RIGHT)["book.json"]})
    assert actions.pull_request("synchronize").code == 0
    assert "shop: blocked" not in only_comment(hub)


def test_a_pull_request_that_changes_nothing_relevant_passes_without_a_run(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    configured(hub, project, "paths: [agent.py, book.json, 'prompts/**']")
    head = push(project, {"docs/page.md": "words"})
    job = actions.pull_request("opened")
    assert job.code == 0, job.log
    check = only_check(hub, head)
    assert (check.status, check.conclusion, check.title) == (
        "completed",
        "success",
        "passed: nothing relevant changed",
    )
    assert "artifact-name" not in job.outputs
    assert not list(project.root.glob("results-*"))
    queued = actions.event("merge_group", queue(hub, project))
    assert queued.code == 0


@pytest.mark.parametrize(
    "files",
    [
        {"book.json": shop(wrong("refund"))["book.json"]},
        {"prompts/deep/system.md": "x"},
        {"prompts/.hidden": "x"},
        {"gatebot.yaml": f"{CONFIG}paths: [nothing]\n"},
        {"golden/new.yaml": "input: hi\nexpect: {answer: {contains: a}}\n"},
        {"agent.py": None, "elsewhere.py": "x"},
    ],
    ids=["listed", "deep", "hidden", "configuration", "case", "moved away"],
)
def test_a_relevant_change_is_run(
    actions: Actions, hub: GitHubState, project: Project, files: dict[str, str | None]
) -> None:
    configured(hub, project, "paths: [agent.py, book.json, 'prompts/**']")
    push(project, {**files, "docs/page.md": "words"})
    job = actions.pull_request("opened")
    assert "nothing relevant" not in only_check(hub, hub.tip("topic")).title
    assert list(project.root.glob("results-*")), job.log


@pytest.mark.parametrize("paths", ["[prompts]", "[prompts/]", "['Prompts/**']", "[promts, '*.toml']"])
def test_no_spelling_of_paths_lets_a_change_pass_by_mistake(
    actions: Actions, hub: GitHubState, project: Project, paths: str
) -> None:
    """A folder stands for what is in it; globs that name no file at all spare no run."""
    push(project, {"prompts/deep/system.md": "x"}, "main")
    configured(hub, project, f"paths: {paths}")
    head = push(
        project, {"prompts/deep/system.md": "y", **shop(wrong("refund"), config=f"{CONFIG}paths: {paths}\n")}
    )
    job = actions.pull_request("opened")
    assert job.code == 1, job.log
    assert only_check(hub, head).conclusion == "failure"


def test_a_glob_of_another_tools_is_a_mistake_and_not_green(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    configured(hub, project, "paths: ['!docs/**']")
    head = push(project, {"agent.py": "print()"})
    assert actions.pull_request("opened").code == 2
    assert only_check(hub, head).conclusion == "failure"


def test_the_heads_own_paths_count_for_nothing(actions: Actions, hub: GitHubState, project: Project) -> None:
    head = push(
        project,
        {**shop(wrong("refund")), "gatebot.yaml": f"{CONFIG}paths: ['docs/**']\njob_exit: published\n"},
    )
    assert actions.pull_request("opened").code == 1
    assert only_check(hub, head).conclusion == "failure"
    assert "paths" in only_comment(hub)


def test_commits_that_cannot_be_compared_are_not_irrelevant(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    configured(hub, project, "paths: ['../*']")
    head = push(project, {"docs/page.md": "words"})
    assert actions.pull_request("opened").code == 2
    check = only_check(hub, head)
    assert (check.status, check.conclusion) == ("completed", "failure")


@pytest.mark.parametrize(("base", "code"), [("merge-base", 0), ("branch", 1)])
def test_the_base_is_the_merge_base_unless_the_policy_wants_the_branch(
    actions: Actions, hub: GitHubState, project: Project, base: str, code: int
) -> None:
    old = shop(wrong("refund"), config=f"{CONFIG}base: {base}\n")
    push(project, old, "main")
    project.branch("topic", hub.tip("main"))
    push(project, {"agent.py": f"# another agent\n{shop()['agent.py']}"})
    push(project, {"book.json": shop(RIGHT)["book.json"]}, "main")
    job = actions.pull_request("opened")
    assert job.code == code, job.log


@pytest.mark.parametrize(("on", "code", "conclusion"), [("pass", 0, "success"), ("fail", 1, "failure")])
def test_a_missing_base_passes_or_fails_as_the_configuration_says(
    actions: Actions, hub: GitHubState, tmp_path: Path, on: str, code: int, conclusion: str
) -> None:
    project = Project(tmp_path / "fresh", {"README.md": "nothing yet"})
    hub.become(GitHubState(project))
    project.branch("topic", str(project.repository.head.target))
    hub.open_pull("topic")
    head = push(project, shop(config=f"{CONFIG}on_missing_base: {on}\n"))
    job = actions.pull_request("opened")
    assert job.code == code, job.log
    assert only_check(hub, head).conclusion == conclusion
    assert "baseline" in only_comment(hub)


def test_the_job_may_leave_red_to_the_check(actions: Actions, hub: GitHubState, project: Project) -> None:
    configured(hub, project, "job_exit: published")
    head = push(project, {"book.json": shop(wrong("refund"))["book.json"]})
    assert actions.pull_request("opened").code == 0
    assert only_check(hub, head).conclusion == "failure"


def test_the_job_is_red_where_the_verdict_did_not_reach_the_check(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    configured(hub, project, "job_exit: published")
    push(project, {"book.json": shop(wrong("refund"))["book.json"]})
    del hub.tokens["ghs_bot"].permissions["checks"]
    assert actions.pull_request("opened").code == 1


def test_what_could_not_be_evaluated_is_red_in_the_job_too(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(
        project,
        shop(config=CONFIG.replace("timeout: 20", "timeout: 20, env: [SHOP_KEY]") + "job_exit: published\n"),
        "main",
    )
    project.branch("topic", hub.tip("main"))
    push(project, {"agent.py": "print()"})
    actions.variables["SHOP_KEY"] = ""
    assert actions.pull_request("opened").code == 3


def test_a_deleted_comment_comes_back_only_with_another_verdict(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    assert comments(hub) == 1
    hub.comments.clear()
    push(project, shop(wrong("refund", "hours")))
    assert actions.pull_request("synchronize").code == 1
    assert comments(hub) == 0
    assert actions.pull_request("reopened").code == 1  # the same head again
    assert comments(hub) == 0
    push(project, shop(wrong("refund", "price")))
    assert actions.pull_request("synchronize").code == 1
    assert comments(hub) == 0
    push(project, shop(RIGHT))
    assert actions.pull_request("synchronize").code == 0
    push(project, shop(wrong("refund")))
    assert actions.pull_request("synchronize").code == 1
    assert comments(hub) == 1


def test_a_forced_push_does_not_bring_a_deleted_comment_back(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    before = push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    hub.comments.clear()
    project.branch("topic", hub.tip("main"))
    push(project, shop(wrong("refund", "hours")))
    payload = {**actions.payload("synchronize", 1, "author"), "before": before}
    assert actions.event("pull_request", payload).code == 1
    assert comments(hub) == 0


def test_a_comment_that_could_not_be_made_is_made_by_the_next_run(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, shop(wrong("refund")))
    hub.faults.append(Fault("POST", r"/issues/1/comments$", status=403, message="Resource not accessible"))
    actions.pull_request("opened")
    assert comments(hub) == 0
    actions.pull_request("reopened")
    assert comments(hub) == 1


def test_another_check_of_our_name_is_warned_of(actions: Actions, hub: GitHubState, project: Project) -> None:
    from tests.fakes.github.state import CheckRun

    head = push(project, shop(wrong("refund")))
    hub.checks.append(CheckRun(1, "gatebot / shop", head, "sly-app", "x", "", "completed", "success"))
    job = actions.pull_request("opened")
    assert job.code == 1
    ours = [check for check in hub.checks if check.app == "github-actions"]
    assert [check.conclusion for check in ours] == ["failure"]
    assert "`sly-app`" in only_comment(hub)
    assert "::warning" in job.log


def test_an_override_holds_for_its_tree_in_the_queue_and_on_a_re_run(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    head = push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    assert actions.label(OVERRIDE, "alice").code == 0
    again = actions.pull_request("opened", run_id=5000, attempt=2)
    assert again.code == 0, again.log
    assert only_check(hub, head).title == "overridden by alice"
    project.branch("queue", head)
    queued = project.commit({}, "as the queue makes it")
    assert actions.event("merge_group", queued_as(hub, project, queued)).code == 0
    assert only_check(hub, queued).title == "overridden by alice"
    other = project.commit({"book.json": shop(wrong("refund", "price"))["book.json"]}, "another tree")
    assert actions.event("merge_group", queued_as(hub, project, other)).code == 1


def queued_as(hub: GitHubState, project: Project, head: str) -> JsonObject:
    """The queue's event for another commit than the pull request's head."""
    event = queue(hub, project)
    group = event["merge_group"]
    assert is_object(group)
    return {**event, "merge_group": {**group, "head_sha": head}}


def test_an_override_whose_label_is_gone_is_none(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    head = push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    actions.label(OVERRIDE, "alice")
    hub.pulls[1].labels.clear()
    assert actions.pull_request("reopened").code == 1
    assert only_check(hub, head).conclusion == "failure"


def test_a_pull_request_closed_in_the_meantime_gets_nothing(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, shop(wrong("refund")))
    payload = actions.payload("opened", 1, "author")
    hub.pulls[1].state = "closed"
    assert actions.event("pull_request", payload).code == 3
    assert hub.writes() == []
