"""The REST subset: each route with the permission it needs, the checks GitHub makes, and the change it brings."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

import pygit2

from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from tests.fakes.github import wire
from tests.fakes.github.state import ROLE_PERMISSION, CheckRun, GitHubState, Level, Token


class RefusedError(Exception):
    """GitHub says no."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        self.message = message
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Call:
    """A request that reached a route."""

    state: GitHubState
    token: Token
    match: re.Match[str]
    query: Mapping[str, str]
    body: JsonObject

    def number(self) -> int:
        """The number in the path."""
        return int(self.match.group(1))


Handler = Callable[[Call], JsonValue]
Needs = tuple[tuple[str, Level], ...]


@dataclass(frozen=True, slots=True)
class Route:
    """`needs`: any one of these permissions will do. `key`: where a list stands in the answer."""

    method: str
    pattern: re.Pattern[str]
    needs: Needs
    handler: Handler
    key: str = ""
    status: int = 200


ROUTES: list[Route] = []


def route(
    method: str, pattern: str, *needs: tuple[str, Level], key: str = "", status: int = 200
) -> Callable[[Handler], Handler]:
    """Register a handler for a path below the repository."""

    def register(handler: Handler) -> Handler:
        ROUTES.append(Route(method, re.compile(pattern), needs, handler, key, status))
        return handler

    return register


def required(body: JsonObject, key: str) -> str:
    """A text the body must have."""
    value = body.get(key)
    if not isinstance(value, str):
        raise RefusedError(422, f"Invalid request. {key} is missing.")
    return value


@route("GET", r"/pulls/(\d+)", ("pull_requests", "read"))
def get_pull(call: Call) -> JsonValue:
    one = call.state.pulls.get(call.number())
    if one is None:
        raise RefusedError(404, "Not Found")
    return wire.pull(call.state, one)


@route("GET", r"/pulls", ("pull_requests", "read"))
def list_pulls(call: Call) -> JsonValue:
    owner, _, branch = call.query.get("head", "").partition(":")
    return [
        wire.pull(call.state, one)
        for one in call.state.pulls.values()
        if one.state == call.query.get("state", "open")
        and (not branch or (one.head_ref == branch and (one.head_repo or "").split("/")[0] == owner))
    ]


@route("POST", r"/issues/(\d+)/comments", ("pull_requests", "write"), ("issues", "write"), status=201)
def post_comment(call: Call) -> JsonValue:
    if call.state.pulls[call.number()].locked:
        raise RefusedError(403, "Unable to create comment because issue is locked.")
    return wire.comment(call.state.comment(call.number(), call.token.login, _comment_body(call)))


@route("PATCH", r"/issues/comments/(\d+)", ("pull_requests", "write"), ("issues", "write"))
def patch_comment(call: Call) -> JsonValue:
    for one in call.state.comments:
        if one.id == call.number():
            one.body = _comment_body(call)
            return wire.comment(one)
    raise RefusedError(404, "Not Found")


def _comment_body(call: Call) -> str:
    body = required(call.body, "body")
    if len(body) > 65_536:
        raise RefusedError(422, "Validation Failed: body is too long (maximum is 65536 characters)")
    return body


@route("GET", r"/issues/(\d+)/events", ("pull_requests", "read"), ("issues", "read"))
def list_events(call: Call) -> JsonValue:
    return [event for number, event in call.state.label_events if number == call.number()]


@route("DELETE", r"/issues/(\d+)/labels/([^/]+)", ("pull_requests", "write"), ("issues", "write"))
def delete_label(call: Call) -> JsonValue:
    name = unquote(call.match.group(2))
    if not call.state.unlabel(call.number(), name, call.token.login):
        raise RefusedError(404, "Label does not exist")
    return [{"name": left} for left in call.state.pulls[call.number()].labels]


@route("GET", r"/collaborators/([^/]+)/permission", ("metadata", "read"))
def permission(call: Call) -> JsonValue:
    login = unquote(call.match.group(1))
    role = call.state.roles.get(login)
    if role is None:
        raise RefusedError(404, f"{login} is not a user")
    return {"permission": ROLE_PERMISSION.get(role, "read"), "role_name": role, "user": wire.user(login)}


@route("GET", r"/commits/([0-9a-f]{40})/check-runs", ("checks", "read"), key="check_runs")
def list_checks(call: Call) -> JsonValue:
    name = call.query.get("check_name")
    found = [
        wire.check(one)
        for one in call.state.checks
        if one.head_sha == call.match.group(1) and name in (None, one.name)
    ]
    return found[::-1]


@route("GET", r"/check-runs/(\d+)", ("checks", "read"))
def get_check(call: Call) -> JsonValue:
    return wire.check(_check(call))


@route("POST", r"/check-runs", ("checks", "write"), status=201)
def post_check(call: Call) -> JsonValue:
    made = CheckRun(
        call.state.next_id(), required(call.body, "name"), required(call.body, "head_sha"), call.token.app
    )
    _update(made, call.body)
    call.state.checks.append(made)
    return wire.check(made)


@route("PATCH", r"/check-runs/(\d+)", ("checks", "write"))
def patch_check(call: Call) -> JsonValue:
    one = _check(call)
    if one.app != call.token.app:
        raise RefusedError(403, "Invalid app_id: only the App that created a check run may update it")
    _update(one, call.body)
    return wire.check(one)


def _check(call: Call) -> CheckRun:
    for one in call.state.checks:
        if one.id == call.number():
            return one
    raise RefusedError(404, "Not Found")


def _update(one: CheckRun, body: JsonObject) -> None:
    """Check everything first, so that a refused update changes nothing."""
    output = body.get("output", {})
    assert is_object(output)
    noted = output.get("annotations", ())
    assert is_array(noted)
    for key, limit in (("title", 255), ("summary", 65_535), ("text", 65_535)):
        if len(str(output.get(key, ""))) > limit:
            raise RefusedError(422, f"Invalid request. {key} is too long (maximum is {limit} characters)")
    if len(noted) > 50:
        raise RefusedError(422, "Invalid request. No more than 50 items are allowed; annotations")
    if output and not {"title", "summary"} <= output.keys():
        raise RefusedError(422, "Invalid request. output needs title and summary")
    for key in ("title", "summary", "text"):
        if key in output:
            setattr(one, key, output[key])
    one.annotations += [item for item in noted if is_object(item)]
    one.external_id = str(body.get("external_id", one.external_id))
    one.details_url = str(body.get("details_url", one.details_url))
    if "status" in body:
        one.status = str(body["status"])
        one.conclusion = None
    if "conclusion" in body:
        one.status, one.conclusion = "completed", str(body["conclusion"])


@route("POST", r"/statuses/([0-9a-f]{40})", ("statuses", "write"), status=201)
def post_status(call: Call) -> JsonValue:
    if len(str(call.body.get("description", ""))) > 140:
        raise RefusedError(422, "Validation Failed: description is too long (maximum is 140 characters)")
    call.state.statuses.append({**call.body, "sha": call.match.group(1)})
    return {**call.body, "creator": wire.user(call.token.login)}


@route("GET", r"/compare/([0-9a-f]{40})\.\.\.([0-9a-f]{40})", ("contents", "read"))
def compare(call: Call) -> JsonValue:
    one, other = (pygit2.Oid(hex=call.match.group(index)) for index in (1, 2))
    repository = call.state.repository
    if one not in repository or other not in repository:
        raise RefusedError(404, "Not Found")
    found = repository.merge_base(one, other)
    if not found:
        raise RefusedError(404, "No common ancestor")
    diff = call.state.repository.diff(str(found), str(other))
    files: list[JsonValue] = [{"filename": delta.new_file.path} for delta in diff.deltas]
    return {"merge_base_commit": {"sha": str(found)}, "commits": [], "files": files}


@route("GET", r"/contents/(.+)", ("contents", "read"))
def contents(call: Call) -> JsonValue:
    repository = call.state.repository
    try:
        commit = repository.revparse_single(call.query.get("ref", "main")).peel(pygit2.Commit)
        found = commit.tree[unquote(call.match.group(1))]
    except KeyError:
        raise RefusedError(404, "Not Found") from None
    data = found.peel(pygit2.Blob).data
    return {"type": "file", "encoding": "base64", "content": base64.encodebytes(data).decode()}


@route("GET", r"/git/ref/heads/(.+)", ("contents", "read"))
def get_ref(call: Call) -> JsonValue:
    name = unquote(call.match.group(1))
    try:
        return {"ref": f"refs/heads/{name}", "object": {"type": "commit", "sha": call.state.tip(name)}}
    except KeyError:
        raise RefusedError(404, "Not Found") from None


@route("GET", r"/git/commits/([0-9a-f]{40})", ("contents", "read"))
def get_commit(call: Call) -> JsonValue:
    return wire.git_commit(call.state.repository, call.match.group(1))


@route("GET", "", ("metadata", "read"))
def get_repository(call: Call) -> JsonValue:
    return {"name": call.state.name.split("/")[1], "full_name": call.state.name, "default_branch": "main"}


@route("GET", r"/labels/([^/]+)", ("pull_requests", "read"), ("issues", "read"))
def get_label(call: Call) -> JsonValue:
    name = unquote(call.match.group(1))
    if name not in call.state.labels:
        raise RefusedError(404, "Not Found")
    return {"name": name, "color": "ededed"}


@route("GET", r"/rules/branches/([^/]+)", ("metadata", "read"))
def branch_rules(call: Call) -> JsonValue:
    wanted: list[JsonValue] = [{"context": name} for name in call.state.required]
    parameters: JsonObject = {"required_status_checks": wanted}
    return [{"type": "required_status_checks", "parameters": parameters}] if wanted else []


@route("GET", r"/actions/runs/(\d+)/artifacts", ("actions", "read"), key="artifacts")
def list_artifacts(call: Call) -> JsonValue:
    held = call.state.artifacts.get(call.number(), [])
    return [
        {"id": number, "name": name, "size_in_bytes": len(data), "expired": number in call.state.expired}
        for number, name, data in held
        if call.query.get("name") in (None, name)
    ]
