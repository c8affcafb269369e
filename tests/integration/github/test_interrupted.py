"""Ctrl-C while GitHub is being asked: whatever GitHub has carried out by then, no check stays in progress."""

from __future__ import annotations

import pytest

from tests.builders import Project
from tests.fakes.github.state import Fault, GitHubState
from tests.integration.github.actions import Actions
from tests.integration.github.test_stories import only_check, push


@pytest.mark.parametrize("after", [True, False], ids=["made", "not made"])
def test_while_the_check_is_made(
    actions: Actions, hub: GitHubState, project: Project, *, after: bool
) -> None:
    head = push(project, {"notes.md": "a change"})
    hub.faults.append(Fault("POST", "/check-runs$", after=after, drop=True, interrupts=True))
    job = actions.pull_request("opened")
    assert job.code == 130, job.log
    assert "cancelled" in job.log
    told = [(check.status, check.conclusion) for check in hub.checks]
    assert told == [("completed", "failure")] * after
    assert hub.statuses == []

    assert actions.pull_request("opened", run_id=actions.runs, attempt=2).code == 0
    assert only_check(hub, head).conclusion == "success"


@pytest.mark.parametrize("after", [True, False], ids=["completed", "not completed"])
def test_while_the_check_is_completed(
    actions: Actions, hub: GitHubState, project: Project, *, after: bool
) -> None:
    head = push(project, {"notes.md": "a change"})
    hub.faults.append(Fault("PATCH", "/check-runs/", after=after, drop=True, interrupts=True))
    job = actions.pull_request("opened")
    assert job.code == 130, job.log
    check = only_check(hub, head)
    assert (check.status, check.conclusion) == ("completed", "failure")
    assert "cancelled" in check.title

    assert actions.pull_request("opened", run_id=actions.runs, attempt=2).code == 0
    assert only_check(hub, head).conclusion == "success"
