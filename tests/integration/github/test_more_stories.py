"""Stories around the pull request: the queue, forks, crowds, permissions, tokens."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from gatebot.model.json_value import JsonObject
from gatebot.render.comment import MAX_BYTES
from tests.builders import CONFIG, RIGHT, Project, book, case, shop, wrong
from tests.fakes.github.state import GitHubState, Level, Token
from tests.integration.github.actions import BOT, Actions
from tests.integration.github.test_stories import ACCEPT, only_check, only_comment, push

WORKFLOWS = Path(__file__).parents[3] / "examples" / "workflows"


def queue(hub: GitHubState, project: Project) -> JsonObject:
    """The merge queue makes a commit of the topic on the base, and asks."""
    base, head = hub.tip("main"), hub.tip("topic")
    project.branch("gh-readonly-queue/main/pr-1", head)
    branch = f"refs/heads/gh-readonly-queue/main/pr-1-{base}"
    group: JsonObject = {
        "head_sha": head,
        "base_sha": base,
        "base_ref": "refs/heads/main",
        "head_ref": branch,
    }
    return {"action": "checks_requested", "merge_group": group, "sender": {"login": "queue"}}


def test_the_queue_is_red_for_a_regression_and_writes_no_comment(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    head = push(project, shop(wrong("refund")))
    assert actions.event("merge_group", queue(hub, project)).code == 1
    assert only_check(hub, head).conclusion == "failure"
    assert hub.comments == []


def test_what_was_accepted_is_green_in_the_queue(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    assert actions.label(ACCEPT, "alice").code == 0
    merged = push(project, {"notes.md": "as the queue would merge it"})
    job = actions.event("merge_group", queue(hub, project))
    assert job.code == 0, job.log
    assert only_check(hub, merged).conclusion == "success"


def test_a_fork_is_not_run_by_hand_beside_a_token(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    push(project, shop(wrong("refund")))
    hub.pulls[1].head_repo = "mallory/shop"
    asked = actions.event("workflow_dispatch", {"inputs": {"pull-request": "1"}})
    assert asked.code == 2
    assert "never run" in asked.log
    assert "gatebot live" in asked.log
    assert not list(project.root.glob("results-*"))


def test_a_label_on_a_fork_leaves_a_patch(actions: Actions, hub: GitHubState, project: Project) -> None:
    head = push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    hub.pulls[1].head_repo = "mallory/shop"
    job = actions.label(ACCEPT, "alice")
    assert job.code == 1
    assert hub.tip("topic") == head
    assert "+  answer: nobody tells the refund" in job.summary
    assert "gatebot accept" in only_comment(hub)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_300_failing_cases_and_250_comments(actions: Actions, hub: GitHubState, project: Project) -> None:
    names = [f"case-{number:03}" for number in range(300)]
    files: dict[str, str | None] = {f"golden/{name}.yaml": case(name) for name in names}
    right = {name: f"the {name} is known" for name in names}
    config = CONFIG.replace("{fixed: 3}", "{fixed: 2}")
    base = {**shop(RIGHT, config=config, names=()), **files, "book.json": book(RIGHT, right)}
    old: dict[str, str | None] = {
        f"golden/{name}.yaml": None for name in ("address", "hours", "price", "refund")
    }
    push(project, {**base, **old}, "main")
    project.branch("topic", hub.tip("main"))
    for number in range(250):
        hub.comment(1, "somebody", f"comment {number}")
    flood = {name: f"@everyone `{name}` <b>wrong</b> " + "x|y " * 200 for name in names}
    head = push(project, {"book.json": book(flood)})
    job = actions.pull_request("opened")
    assert job.code == 1, job.log
    body = only_comment(hub)
    assert len(body.encode()) <= MAX_BYTES
    assert body.startswith("<!-- gatebot:v1 suite=shop -->\n<!-- gatebot:state ")
    assert "@everyone" not in body
    assert only_check(hub, head).conclusion == "failure"
    assert actions.label(ACCEPT, "alice").code == 0
    accepted = hub.tip("topic")
    changed = [delta.new_file.path for delta in project.repository.diff(head, accepted).deltas]
    assert len(changed) == 300
    assert only_check(hub, accepted).title == "accepted: 300 cases"


PERMISSIONS: dict[str, dict[str, Level]] = {
    "gatebot.yml": {"actions": "read", "checks": "write", "contents": "read", "pull-requests": "write"},
    "gatebot-label.yml": {
        "actions": "read",
        "checks": "write",
        "contents": "write",
        "pull-requests": "write",
    },
    "gatebot-report.yml": {
        "actions": "read",
        "checks": "write",
        "contents": "read",
        "pull-requests": "write",
    },
    "gatebot-live.yml": {"contents": "read", "pull-requests": "read"},
    "gatebot-base.yml": {"actions": "read", "checks": "write", "contents": "read"},
    "gatebot-schedule.yml": {"actions": "read", "contents": "read", "issues": "write"},
}


@pytest.mark.parametrize("name", PERMISSIONS)
def test_a_workflow_asks_for_exactly_what_the_table_says(name: str) -> None:
    workflow = yaml.safe_load((WORKFLOWS / name).read_text("utf-8"))
    assert workflow["permissions"] == {}
    assert [job["permissions"] for job in workflow["jobs"].values()] == [PERMISSIONS[name]]


def as_token(asked: dict[str, Level], without: str = "") -> Token:
    held: dict[str, Level] = {
        name.replace("-", "_"): level for name, level in asked.items() if name != without
    }
    return Token(BOT, "github-actions", held)


def test_what_the_workflows_ask_for_is_enough(actions: Actions, hub: GitHubState, project: Project) -> None:
    red = push(project, shop(wrong("refund")))
    hub.tokens["ghs_bot"] = as_token(PERMISSIONS["gatebot.yml"])
    job = actions.pull_request("opened")
    assert "not published" not in job.log
    assert only_check(hub, red).conclusion == "failure"
    hub.tokens["ghs_bot"] = as_token(PERMISSIONS["gatebot-label.yml"])
    assert actions.label(ACCEPT, "alice").code == 0
    assert only_check(hub, hub.tip("topic")).conclusion == "success"


@pytest.mark.parametrize("missing", PERMISSIONS["gatebot.yml"])
def test_the_gate_needs_every_permission_it_asks_for(
    actions: Actions, hub: GitHubState, project: Project, missing: str
) -> None:
    push(project, shop(wrong("refund")))
    hub.tokens["ghs_bot"] = as_token(PERMISSIONS["gatebot.yml"], missing)
    job = actions.pull_request("opened")
    assert job.code in (1, 3)
    assert job.code == 3 or "not published" in job.log or f"`permissions: {missing}: " in job.log


@pytest.mark.parametrize("missing", PERMISSIONS["gatebot-label.yml"])
def test_the_label_needs_every_permission_it_asks_for(
    actions: Actions, hub: GitHubState, project: Project, missing: str
) -> None:
    push(project, shop(wrong("refund")))
    actions.pull_request("opened")
    hub.tokens["ghs_bot"] = as_token(PERMISSIONS["gatebot-label.yml"], missing)
    assert actions.label(ACCEPT, "alice").code in (1, 3)
    assert hub.pulls[1].labels == [ACCEPT] or "not honoured" in only_comment(hub)


def test_the_runner_process_never_sees_the_token(
    actions: Actions, hub: GitHubState, project: Project
) -> None:
    spy = (
        "import json, os, sys\n"
        "request = json.load(sys.stdin)\n"
        "held = ' '.join(f'{key}={value}' for key, value in os.environ.items())\n"
        "parent = ''\n"
        "for process in os.listdir('/proc'):\n"
        "    if process.isdigit():\n"
        "        try:\n"
        "            parent += open(f'/proc/{process}/environ', errors='replace').read()\n"
        "        except OSError:\n"
        "            pass\n"
        "with open('book.json') as file:\n"
        "    answer = json.load(file)[request['case']]\n"
        "print('leaked' if 'ghs_SENTINEL' in held else answer)\n"
    )
    hub.tokens["ghs_SENTINEL"] = hub.tokens["ghs_bot"]
    actions.token = "ghs_SENTINEL"
    push(project, {"agent.py": spy})
    job = actions.pull_request("opened")
    assert job.code == 0, job.log
    assert job.log.count("ghs_SENTINEL") == 1  # the mask
    held = b"".join(path.read_bytes() for path in job.results.rglob("*") if path.is_file())
    assert b"ghs_SENTINEL" not in held
