"""Which activity an event asks for: one pure function over typed events, and the whole table of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gatebot.model.event import (
    DispatchEvent,
    Event,
    MergeGroupEvent,
    PullRequestEvent,
    PushEvent,
    ScheduleEvent,
    WorkflowRunEvent,
)

Asked = Literal[
    "gate",
    "fork_run",
    "live_run",
    "report",
    "label",
    "void_labels",
    "merge_group",
    "push",
    "drift",
    "nothing",
]
"""What is asked for: architecture's GATE, RUN (of a fork's head, or live by a maintainer), REPORT, ACCEPT, and the rest
of bot.md."""

_NEW_HEAD = ("opened", "synchronize", "reopened", "ready_for_review")


@dataclass(frozen=True, slots=True)
class Activity:
    """What to do, and one sentence that says why: it goes into the log."""

    asked: Asked
    reason: str


def activity_of(event: Event) -> Activity:
    """The activity that `event` asks for. Never raises; what is not known asks for nothing."""
    if isinstance(event, PullRequestEvent):
        return _of_pull_request(event)
    if isinstance(event, MergeGroupEvent):
        return Activity("merge_group", "the merge queue asks for a verdict")
    if isinstance(event, PushEvent):
        if event.to_default:
            return Activity("push", "the default branch has moved")
        return Activity("nothing", "only pushes to the default branch are evaluated")
    if isinstance(event, WorkflowRunEvent):
        return _of_workflow_run(event)
    if isinstance(event, DispatchEvent):
        if event.inputs.get("head-sha", ""):
            return Activity("live_run", "a person asked for a live run of exactly one head")
        if event.inputs.get("pull-request", ""):
            return Activity("gate", "a person asked for a run of a pull request")
        return Activity("push", "a person asked for a run of the default branch")
    if isinstance(event, ScheduleEvent):
        return Activity("drift", "the clock asks whether the world has changed")
    return Activity("nothing", f"gatebot does nothing on {event.name[:60]!a}")


def _of_pull_request(event: PullRequestEvent) -> Activity:
    pull_request = event.pull_request
    if not pull_request.open:
        return Activity("nothing", "the pull request is closed")
    if event.action in ("labeled", "unlabeled"):
        return Activity("label", "a label was set or removed")
    if event.trigger == "pull_request_target":
        if event.action in ("synchronize", "edited"):
            return Activity(
                "void_labels", "the head or the base has changed: what was accepted may not cover it"
            )
        return Activity("nothing", "no code of a pull request is run on pull_request_target")
    retargeted = event.action == "edited" and event.base_changed
    if event.action not in _NEW_HEAD and not retargeted:
        return Activity("nothing", f"the action {event.action[:40]!a} changes nothing that is judged")
    if pull_request.from_fork:
        return Activity(
            "fork_run", "the head is in another repository: it is run alone, and nothing is written from here"
        )
    if pull_request.draft:
        return Activity("gate", "a draft is judged like any other pull request")
    return Activity("gate", "the base was changed" if retargeted else "there is a new head to judge")


def _of_workflow_run(event: WorkflowRunEvent) -> Activity:
    if event.action != "completed":
        return Activity("nothing", "the other run has not ended")
    if event.event not in ("pull_request", "workflow_dispatch"):
        return Activity("nothing", "the other run was not about a pull request")
    return Activity("report", "a run without a token has ended: its trials are graded here")
