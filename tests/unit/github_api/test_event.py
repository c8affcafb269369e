"""Events as GitHub writes them, and as somebody hostile might: typed values, or a sentence, never another exception."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatebot.errors import UsageError
from gatebot.github_api.event import parse_event, read_event, runner_environment
from gatebot.model.event import (
    DispatchEvent,
    MergeGroupEvent,
    OtherEvent,
    PullRequestEvent,
    PushEvent,
    ScheduleEvent,
    WorkflowRunEvent,
)
from gatebot.model.json_value import JsonObject, JsonValue

SHA = "a" * 40
REPO = "acme/shop"


def pull(**more: JsonValue) -> JsonObject:
    return {
        "number": 7,
        "state": "open",
        "draft": False,
        "user": {"login": "author"},
        "labels": [{"name": "bug"}],
        "head": {"sha": SHA, "ref": "topic", "repo": {"full_name": REPO}},
        "base": {"sha": "b" * 40, "ref": "main", "repo": {"full_name": REPO}},
        "updated_at": "2026-01-01T00:00:00Z",
        **more,
    }


def event(name: str, payload: JsonValue) -> object:
    return parse_event(name, json.dumps(payload).encode(), REPO)


def labeled(**more: JsonValue) -> JsonObject:
    return {
        "action": "labeled",
        "label": {"name": "gatebot:accept"},
        "sender": {"login": "alice"},
        "pull_request": pull(),
        **more,
    }


def test_a_label_event() -> None:
    found = event("pull_request_target", labeled())
    assert isinstance(found, PullRequestEvent)
    assert (found.trigger, found.action, found.label, found.sender) == (
        "pull_request_target",
        "labeled",
        "gatebot:accept",
        "alice",
    )
    assert found.pull_request.labels == ("bug",)
    assert not found.pull_request.from_fork


def test_a_deleted_fork_has_no_repository() -> None:
    payload = labeled(pull_request=pull(head={"sha": SHA, "ref": "x", "repo": None}))
    found = event("pull_request", payload)
    assert isinstance(found, PullRequestEvent)
    assert found.pull_request.head_repo is None
    assert found.pull_request.from_fork


def test_a_retargeted_base_is_told_from_another_edit() -> None:
    for changes, changed in (({"base": {"ref": {"from": "old"}}}, True), ({"title": {"from": "x"}}, False)):
        found = event("pull_request", {**labeled(), "action": "edited", "changes": changes})
        assert isinstance(found, PullRequestEvent)
        assert found.base_changed is changed


@pytest.mark.parametrize(
    ("branch", "number"),
    [
        (f"refs/heads/gh-readonly-queue/main/pr-12-{SHA}", 12),
        (f"refs/heads/gh-readonly-queue/release/pr-42-x/pr-7-{SHA}", 7),
        (f"refs/heads/gh-readonly-queue/main/pr-7-{SHA}/x", None),
        ("refs/heads/gh-readonly-queue/main/pr-7", None),
    ],
)
def test_the_queue_names_its_pull_request_in_the_last_part(branch: str, number: int | None) -> None:
    group: JsonObject = {"head_sha": SHA, "base_sha": SHA, "base_ref": "refs/heads/main", "head_ref": branch}
    found = event("merge_group", {"action": "checks_requested", "merge_group": group})
    assert found == MergeGroupEvent(SHA, SHA, "main", number)


@pytest.mark.parametrize(
    ("ref", "after", "deleted", "wanted"),
    [
        ("refs/heads/main", SHA, False, True),
        ("refs/heads/other", SHA, False, False),
        ("refs/heads/main", "0" * 40, True, False),
        ("refs/tags/main", SHA, False, False),
    ],
)
def test_only_the_default_branch_alive_counts(ref: str, after: str, deleted: bool, wanted: bool) -> None:
    payload: JsonObject = {
        "ref": ref,
        "after": after,
        "deleted": deleted,
        "repository": {"default_branch": "main"},
    }
    assert event("push", payload) == PushEvent(ref, after, to_default=wanted)


def test_a_finished_run_of_a_fork() -> None:
    run: JsonObject = {
        "id": 5,
        "run_attempt": 2,
        "event": "pull_request",
        "head_sha": SHA,
        "head_branch": "topic",
        "head_repository": {"full_name": "mallory/shop"},
        "pull_requests": [],
    }
    assert event("workflow_run", {"action": "completed", "workflow_run": run}) == WorkflowRunEvent(
        5, 2, "pull_request", "completed", SHA, "topic", "mallory/shop"
    )


def test_the_rest() -> None:
    assert event("schedule", {"schedule": "0 3 * * *"}) == ScheduleEvent()
    assert event("workflow_dispatch", {"inputs": {"pull-request": "7", "x": 1}}) == DispatchEvent(
        {"pull-request": "7"}
    )
    by_hand = {"inputs": {"head-sha": SHA}, "sender": {"login": "alice"}}
    assert event("workflow_dispatch", by_hand) == DispatchEvent({"head-sha": SHA}, "alice")
    assert event("workflow_dispatch", {"inputs": None}) == DispatchEvent({})
    assert event("issue_comment", {}) == OtherEvent("issue_comment")


HOSTILE: dict[str, tuple[str, bytes]] = {
    "no JSON": ("pull_request", b"{"),
    "a list": ("pull_request", b"[]"),
    "no fields": ("pull_request", b"{}"),
    "no label name": ("pull_request", json.dumps(labeled(label={"name": 3})).encode()),
    "a number that is none": ("pull_request", json.dumps(labeled(pull_request=pull(number=True))).encode()),
    "a hash that is none": (
        "pull_request",
        json.dumps(labeled(pull_request=pull(head={"sha": "$(id)", "ref": "x"}))).encode(),
    ),
    "a name without end": ("pull_request", json.dumps(labeled(sender={"login": "x" * 10_000})).encode()),
    "deep": ("pull_request", b'{"a":' * 200 + b"1" + b"}" * 200),
    "NaN": ("pull_request", b'{"action": NaN}'),
    "not UTF-8": ("pull_request", b'{"action": "\xff"}'),
}


@pytest.mark.parametrize(("name", "data"), HOSTILE.values(), ids=HOSTILE)
def test_what_cannot_be_used_is_told_in_a_sentence(name: str, data: bytes) -> None:
    with pytest.raises(UsageError):
        parse_event(name, data, REPO)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(labeled()) + sorted(pull())), VALUES)
def test_any_value_in_any_place_is_a_value_or_a_sentence(key: str, value: JsonValue) -> None:
    payload = {**labeled(), key: value} if key in labeled() else labeled(pull_request=pull(**{key: value}))
    with contextlib.suppress(UsageError):
        found = parse_event("pull_request", json.dumps(payload).encode(), REPO)
        assert isinstance(found, PullRequestEvent)


ENVIRONMENT = {
    "GITHUB_EVENT_NAME": "push",
    "GITHUB_EVENT_PATH": "event.json",
    "GITHUB_REPOSITORY": REPO,
    "GITHUB_RUN_ID": "12",
}


def test_the_environment_of_the_runner() -> None:
    found = runner_environment({**ENVIRONMENT, "INPUT_GITHUB-TOKEN": "SENTINEL", "GITHUB_RUN_ATTEMPT": "3"})
    assert (found.run_id, found.attempt, found.api_url) == (12, 3, "https://api.github.com")
    assert found.run_url.endswith("/acme/shop/actions/runs/12/attempts/3")
    assert "SENTINEL" not in repr(found)


@pytest.mark.parametrize("name", sorted(ENVIRONMENT))
def test_outside_of_actions_the_missing_variable_is_named(name: str) -> None:
    with pytest.raises(UsageError, match=name):
        runner_environment({key: value for key, value in ENVIRONMENT.items() if key != name})


def test_a_run_number_that_is_none() -> None:
    with pytest.raises(UsageError, match="GITHUB_RUN_ID"):
        runner_environment({**ENVIRONMENT, "GITHUB_RUN_ID": "1; id"})


def test_an_absent_event_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_event(runner_environment({**ENVIRONMENT, "GITHUB_EVENT_PATH": str(tmp_path / "none")}))
