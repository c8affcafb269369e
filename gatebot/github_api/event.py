"""The runner's environment and event file, read once: everything in them is checked before it becomes a value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from gatebot.errors import UsageError
from gatebot.github_api import fields
from gatebot.github_api.errors import ApiError
from gatebot.github_api.pull_requests import pull_request_from
from gatebot.model.event import (
    DispatchEvent,
    Event,
    MergeGroupEvent,
    OtherEvent,
    PullRequestEvent,
    PushEvent,
    ScheduleEvent,
    Trigger,
    WorkflowRunEvent,
)
from gatebot.model.json_value import JsonObject, depth_within, is_object

MAX_EVENT_BYTES = 25 * 1024 * 1024
MAX_DEPTH = 64
_REF = 1024
_NAME = 200
_QUEUE = re.compile(r"/pr-([1-9][0-9]{0,9})-[0-9a-f]{40}(?:[0-9a-f]{24})?$")
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class RunnerEnvironment:
    """Where this run takes place. `token` is the publisher's and is shown nowhere; "" when none was given.

    `app_id` and `app_key`: the App whose tokens are made instead, as long as they are needed.
    """

    event_name: str
    event_path: Path
    repo: str
    api_url: str
    server_url: str
    run_id: int
    attempt: int
    workspace: Path
    token: str = field(default="", repr=False)
    app_id: str = ""
    app_key: str = field(default="", repr=False)
    output_file: str = ""
    summary_file: str = ""
    debug: bool = False

    @property
    def run_url(self) -> str:
        """The page of this run's attempt."""
        return f"{self.server_url}/{self.repo}/actions/runs/{self.run_id}/attempts/{self.attempt}"


def runner_environment(variables: Mapping[str, str]) -> RunnerEnvironment:
    """The environment GitHub's runner sets. Raises UsageError, naming the variable, when one is missing or odd."""
    needed = ("GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    for name in needed:
        if not variables.get(name):
            raise UsageError(f"{name} is not set", "`gatebot ci` runs inside a workflow of GitHub Actions")
    return RunnerEnvironment(
        event_name=variables["GITHUB_EVENT_NAME"],
        event_path=Path(variables["GITHUB_EVENT_PATH"]),
        repo=variables["GITHUB_REPOSITORY"],
        api_url=variables.get("GITHUB_API_URL") or "https://api.github.com",
        server_url=(variables.get("GITHUB_SERVER_URL") or "https://github.com").rstrip("/"),
        run_id=_whole(variables, "GITHUB_RUN_ID"),
        attempt=_whole(variables, "GITHUB_RUN_ATTEMPT") if variables.get("GITHUB_RUN_ATTEMPT") else 1,
        workspace=Path(variables.get("GITHUB_WORKSPACE") or "."),
        token=variables.get("INPUT_GITHUB-TOKEN") or variables.get("GITHUB_TOKEN") or "",
        app_id=(variables.get("INPUT_APP-ID") or variables.get("GITHUB_APP_ID") or "").strip(),
        app_key=variables.get("INPUT_APP-PRIVATE-KEY") or variables.get("GITHUB_APP_PRIVATE_KEY") or "",
        output_file=variables.get("GITHUB_OUTPUT", ""),
        summary_file=variables.get("GITHUB_STEP_SUMMARY", ""),
        debug=variables.get("RUNNER_DEBUG") == "1",
    )


def _whole(variables: Mapping[str, str], name: str) -> int:
    value = variables[name]
    if not value.isdecimal() or len(value) > 18:
        raise UsageError(f"{name} is no number: {value[:40]!a}")
    return int(value)


def read_event(environment: RunnerEnvironment) -> Event:
    """The event of this run. Raises UsageError for a file that is absent, too large, no JSON, or lacks a field."""
    path = environment.event_path
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_EVENT_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"the event file cannot be read: {error.strerror}", "GITHUB_EVENT_PATH names it"
        ) from error
    return parse_event(environment.event_name, data, environment.repo)


def parse_event(name: str, data: bytes, repo: str) -> Event:
    """An event from its name and payload. Raises UsageError."""
    if len(data) > MAX_EVENT_BYTES:
        raise UsageError(f"the event file is larger than {MAX_EVENT_BYTES // 1024 // 1024} MB")
    try:
        payload = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise UsageError("the event file is not JSON", "GITHUB_EVENT_PATH names it") from error
    if not is_object(payload) or not depth_within(payload, MAX_DEPTH):
        raise UsageError("the event file holds no event")
    try:
        return _parse(name, payload, repo)
    except ApiError as error:
        raise UsageError(f"the {name[:40]!a} event cannot be used: {error.message}") from error


def _parse(name: str, payload: JsonObject, repo: str) -> Event:
    if name in ("pull_request", "pull_request_target"):
        return _pull_request(
            "pull_request" if name == "pull_request" else "pull_request_target", payload, repo
        )
    if name == "merge_group":
        return _merge_group(payload)
    if name == "push":
        return _push(payload)
    if name == "workflow_run":
        return _workflow_run(payload)
    if name == "workflow_dispatch":
        given = fields.part_or_empty(payload, "inputs")
        inputs = {key: value for key, value in given.items() if isinstance(value, str) and len(value) <= _REF}
        sender = fields.text_or_empty(fields.part_or_empty(payload, "sender"), "login", _NAME)
        return DispatchEvent(dict(list(inputs.items())[:25]), sender)
    return ScheduleEvent() if name == "schedule" else OtherEvent(name[:_NAME])


def _pull_request(trigger: Trigger, payload: JsonObject, repo: str) -> PullRequestEvent:
    label = payload.get("label")
    changes = fields.part_or_empty(payload, "changes")
    return PullRequestEvent(
        trigger=trigger,
        action=fields.text(payload, "action", _NAME),
        pull_request=pull_request_from(fields.part(payload, "pull_request"), repo),
        sender=fields.text(fields.part(payload, "sender"), "login", _NAME),
        label=fields.text(label, "name", _NAME) if is_object(label) else None,
        base_changed=is_object(changes.get("base")),
        before=fields.sha(payload, "before") if payload.get("before") is not None else "",
    )


def _merge_group(payload: JsonObject) -> MergeGroupEvent:
    group = fields.part(payload, "merge_group")
    queue = _QUEUE.search(fields.text(group, "head_ref", _REF))
    return MergeGroupEvent(
        head_sha=fields.sha(group, "head_sha"),
        base_sha=fields.sha(group, "base_sha"),
        base_ref=fields.text(group, "base_ref", _REF).removeprefix("refs/heads/"),
        pull_request=int(queue.group(1)) if queue else None,
    )


def _push(payload: JsonObject) -> PushEvent:
    ref = fields.text(payload, "ref", _REF)
    default = fields.text(fields.part(payload, "repository"), "default_branch", _REF)
    after = fields.text(payload, "after", 64)
    alive = bool(_SHA.fullmatch(after)) and set(after) != {"0"} and not fields.flag(payload, "deleted")
    return PushEvent(ref, after, to_default=alive and ref == f"refs/heads/{default}")


def _workflow_run(payload: JsonObject) -> WorkflowRunEvent:
    run = fields.part(payload, "workflow_run")
    head = run.get("head_repository")
    return WorkflowRunEvent(
        run_id=fields.number(run, "id"),
        attempt=fields.number(run, "run_attempt"),
        event=fields.text(run, "event", _NAME),
        action=fields.text(payload, "action", _NAME),
        head_sha=fields.sha(run, "head_sha"),
        head_branch=fields.text_or_empty(run, "head_branch", _REF),
        head_repository=fields.text(head, "full_name", _NAME) if is_object(head) else None,
    )
