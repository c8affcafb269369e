"""The whole table: every event and action, and what it asks for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatebot.core.activity import activity_of
from gatebot.model.event import (
    DispatchEvent,
    Event,
    MergeGroupEvent,
    OtherEvent,
    PullRequestEvent,
    PullRequestState,
    PushEvent,
    ScheduleEvent,
    WorkflowRunEvent,
)

SHA = "a" * 40
HERE = PullRequestState(1, SHA, "topic", "acme/shop", "main", "b" * 40, "acme/shop")
FORK = replace(HERE, head_repo="mallory/shop")
GONE = replace(HERE, head_repo=None)


def on(action: str, pull: PullRequestState = HERE, *, base_changed: bool = False) -> PullRequestEvent:
    return PullRequestEvent("pull_request", action, pull, "author", None, base_changed)


def target(action: str, pull: PullRequestState = HERE) -> PullRequestEvent:
    return PullRequestEvent("pull_request_target", action, pull, "author")


def ended(event: str, action: str = "completed") -> WorkflowRunEvent:
    return WorkflowRunEvent(5, 1, event, action, SHA, "topic", "mallory/shop")


TABLE: list[tuple[Event, str]] = [
    (on("opened"), "gate"),
    (on("synchronize"), "gate"),
    (on("reopened"), "gate"),
    (on("ready_for_review"), "gate"),
    (on("opened", replace(HERE, draft=True)), "gate"),
    (on("opened", replace(HERE, head_repo="Acme/Shop")), "gate"),
    (on("edited", base_changed=True), "gate"),
    (on("edited"), "nothing"),
    (on("closed", replace(HERE, open=False)), "nothing"),
    (on("labeled", replace(HERE, open=False)), "nothing"),
    (on("assigned"), "nothing"),
    (on("labeled"), "label"),
    (on("unlabeled"), "label"),
    (on("opened", FORK), "fork_run"),
    (on("synchronize", GONE), "fork_run"),
    (target("labeled"), "label"),
    (target("labeled", FORK), "label"),
    (target("unlabeled"), "label"),
    (target("synchronize"), "void_labels"),
    (target("edited"), "void_labels"),
    (target("opened"), "nothing"),
    (target("opened", FORK), "nothing"),
    (MergeGroupEvent(SHA, SHA, "main", 7), "merge_group"),
    (MergeGroupEvent(SHA, SHA, "main", None), "merge_group"),
    (PushEvent("refs/heads/main", SHA, to_default=True), "push"),
    (PushEvent("refs/heads/x", SHA, to_default=False), "nothing"),
    (ended("pull_request"), "report"),
    (ended("workflow_dispatch"), "report"),
    (ended("push"), "nothing"),
    (ended("pull_request", "requested"), "nothing"),
    (DispatchEvent({"pull-request": "7"}), "gate"),
    (DispatchEvent({"pull-request": "7", "head-sha": SHA}), "live_run"),
    (DispatchEvent({"head-sha": SHA}), "live_run"),
    (DispatchEvent({}), "push"),
    (ScheduleEvent(), "drift"),
    (OtherEvent("issue_comment"), "nothing"),
]


@pytest.mark.parametrize(("event", "asked"), TABLE, ids=range(len(TABLE)))
def test_every_event_asks_for_what_the_table_says(event: Event, asked: str) -> None:
    found = activity_of(event)
    assert found.asked == asked
    assert found.reason


def test_no_code_of_a_fork_is_ever_run_beside_a_token() -> None:
    for event, _ in TABLE:
        if isinstance(event, PullRequestEvent) and event.pull_request.from_fork:
            assert activity_of(event).asked != "gate"
        if isinstance(event, PullRequestEvent) and event.trigger == "pull_request_target":
            assert activity_of(event).asked not in ("gate", "fork_run")
