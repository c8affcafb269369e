"""Every payload that GitHub publishes as an example becomes one of our events, and none but the right ones ask for anything."""

from __future__ import annotations

import contextlib
import json

import pytest

from gatebot.core.activity import activity_of
from gatebot.errors import UsageError
from gatebot.github_api.event import parse_event
from gatebot.model.event import (
    DispatchEvent,
    Event,
    MergeGroupEvent,
    OtherEvent,
    PullRequestEvent,
    PushEvent,
    WorkflowRunEvent,
)
from gatebot.model.json_value import JsonObject, is_object
from tests.fakes.stand_ins import TEST_SECONDS, npm_package, place, require

PACKAGE = "@octokit/webhooks-examples@7.6.1"
KINDS: dict[str, type[Event]] = {
    "pull_request": PullRequestEvent,
    "pull_request_target": PullRequestEvent,
    "merge_group": MergeGroupEvent,
    "push": PushEvent,
    "workflow_run": WorkflowRunEvent,
    "workflow_dispatch": DispatchEvent,
}
ASKED = {
    ("pull_request", "opened"): {"gate", "fork_run", "nothing"},
    ("pull_request", "synchronize"): {"gate", "fork_run"},
    ("pull_request", "reopened"): {"gate", "fork_run"},
    ("pull_request", "ready_for_review"): {"gate", "fork_run"},
    ("pull_request", "labeled"): {"label"},
    ("pull_request", "unlabeled"): {"label"},
    ("pull_request_target", "labeled"): {"label"},
    ("pull_request_target", "unlabeled"): {"label"},
    ("pull_request_target", "synchronize"): {"void_labels"},
    ("merge_group", "checks_requested"): {"merge_group"},
    ("push", ""): {"push", "nothing"},
    ("workflow_run", "completed"): {"report", "nothing"},
    ("workflow_dispatch", ""): {"push"},
}
"""What may come of an example; of everything else nothing."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(TEST_SECONDS)]


@pytest.fixture(scope="module")
def examples() -> list[tuple[str, JsonObject]]:
    """(event's name, payload) of every example, of github.com and of five versions of GitHub Enterprise Server."""
    root = place(PACKAGE)
    folder = root / "webhooks"
    package = folder / "node_modules/@octokit/webhooks-examples"
    require(root, package / "package.json", (npm_package(folder, PACKAGE),))
    found: list[tuple[str, JsonObject]] = []
    for file in sorted(package.glob("*/index.json")):
        for kind in json.loads(file.read_text("utf-8")):
            names = [kind["name"], *(["pull_request_target"] if kind["name"] == "pull_request" else [])]
            found += [(name, payload) for name in names for payload in kind["examples"]]
    return found


def parsed(name: str, payload: JsonObject) -> Event:
    whole = payload.get("repository")
    repo = str(whole["full_name"]) if is_object(whole) else "acme/shop"
    return parse_event(name, json.dumps(payload).encode(), repo)


def test_every_example_is_an_event_of_its_kind(examples: list[tuple[str, JsonObject]]) -> None:
    seen: set[str] = set()
    for name, payload in examples:
        event = parsed(name, payload)
        assert isinstance(event, KINDS.get(name, OtherEvent)), name
        seen.add(name)
    assert set(KINDS) <= seen
    assert len(examples) > 700
    assert len(seen) > 50


def test_only_the_events_we_act_on_ask_for_anything(examples: list[tuple[str, JsonObject]]) -> None:
    reached: set[str] = set()
    for name, payload in examples:
        action = payload.get("action") or ""
        asked = activity_of(parsed(name, payload)).asked
        assert asked in ASKED.get((name, str(action)), {"nothing"}), (name, action, asked)
        reached.add(asked)
    assert {"gate", "label", "void_labels", "merge_group", "push", "report", "nothing"} <= reached


@pytest.mark.parametrize("name", KINDS)
def test_an_example_with_a_field_missing_is_told_and_no_crash(
    examples: list[tuple[str, JsonObject]], name: str
) -> None:
    payload = next(payload for kind, payload in examples if kind == name)
    for key in payload:
        holed = {**payload, key: None}
        with contextlib.suppress(UsageError):
            parsed(name, holed)
