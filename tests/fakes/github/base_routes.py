"""Routes of what lies beside pull requests: artifacts of the whole repository, the runs they are of, and issues."""

from __future__ import annotations

from gatebot.model.json_value import JsonObject, JsonValue
from tests.fakes.github import wire
from tests.fakes.github.routes import Call, RefusedError, required, route
from tests.fakes.github.state import GitHubState, IssueState

HERE, ELSEWHERE = 4242, 6666
"""The ids of this repository and of every other one."""


def _home(state: GitHubState, run_id: int) -> int:
    return HERE if state.runs[run_id].head_repo in ("", state.name) else ELSEWHERE


@route("GET", r"/actions/artifacts", ("actions", "read"), key="artifacts")
def all_artifacts(call: Call) -> JsonValue:
    state = call.state
    found: list[tuple[int, JsonValue]] = []
    for run_id, held in state.artifacts.items():
        run = state.runs.get(run_id)
        if run is None:
            continue
        for number, name, data in held:
            if call.query.get("name") in (None, name):
                of: JsonObject = {
                    "id": run_id,
                    "repository_id": HERE,
                    "head_repository_id": _home(state, run_id),
                    "head_branch": run.head_branch,
                    "head_sha": run.head_sha,
                }
                one: JsonObject = {
                    "id": number,
                    "name": name,
                    "size_in_bytes": len(data),
                    "expired": number in state.expired,
                    "workflow_run": of,
                }
                found.append((number, one))
    return [one for _, one in sorted(found, key=lambda pair: -pair[0])]


@route("GET", r"/actions/runs/(\d+)", ("actions", "read"))
def one_run(call: Call) -> JsonValue:
    run = call.state.runs.get(call.number())
    if run is None:
        raise RefusedError(404, "Not Found")
    here: JsonObject = {"id": HERE, "full_name": call.state.name}
    home: JsonValue = {
        "id": _home(call.state, call.number()),
        "full_name": run.head_repo or call.state.name,
    }
    return {
        "id": call.number(),
        "event": run.event,
        "status": run.status,
        "conclusion": run.conclusion,
        "head_branch": run.head_branch,
        "head_sha": run.head_sha,
        "repository": here,
        "path": run.path,
        "display_title": run.title,
        "run_attempt": run.attempt,
        "actor": wire.user(run.actor),
        "triggering_actor": wire.user(run.by),
        "head_repository": home if run.head_repo is not None else None,
    }


def _wire(one: IssueState) -> JsonObject:
    return {
        "number": one.number,
        "title": one.title,
        "body": one.body,
        "state": one.state,
        "state_reason": one.state_reason,
        "user": wire.user(one.login),
        "closed_by": wire.user(one.closed_by) if one.closed_by else None,
    }


def _issue(call: Call) -> IssueState:
    found = next((one for one in call.state.issues if one.number == call.number()), None)
    if found is None:
        raise RefusedError(404, "Not Found")
    return found


@route("GET", r"/issues", ("issues", "read"))
def list_issues(call: Call) -> JsonValue:
    """Pull requests are issues too, as GitHub has it."""
    query, state = call.query, call.state
    pulls: list[JsonValue] = [
        {
            "number": one.number,
            "title": "a pull request",
            "body": "",
            "state": one.state,
            "pull_request": {"url": "https://example.org"},
            "user": wire.user(one.author),
        }
        for one in state.pulls.values()
        if query.get("creator") in (None, one.author)
    ]
    found = [
        _wire(one)
        for one in sorted(state.issues, key=lambda one: -one.number)
        if query.get("creator") in (None, one.login) and query.get("state", "open") in ("all", one.state)
    ]
    return [*found, *pulls]


@route("POST", r"/issues", ("issues", "write"), status=201)
def post_issue(call: Call) -> JsonValue:
    state = call.state
    made = IssueState(state.next_id(), call.token.login, required(call.body, "title"), _text(call))
    state.issues.append(made)
    return _wire(made)


@route("GET", r"/issues/(\d+)", ("issues", "read"))
def get_issue(call: Call) -> JsonValue:
    return _wire(_issue(call))


@route("PATCH", r"/issues/(\d+)", ("issues", "write"))
def patch_issue(call: Call) -> JsonValue:
    one = _issue(call)
    one.title = str(call.body.get("title", one.title))
    if "body" in call.body:
        one.body = _text(call)
    if call.body.get("state") in ("open", "closed"):
        one.state = str(call.body["state"])
        one.state_reason = str(call.body.get("state_reason", "completed"))
        one.closed_by = call.token.login if one.state == "closed" else None
    return _wire(one)


def _text(call: Call) -> str:
    body = required(call.body, "body")
    if len(body) > 65_536:
        raise RefusedError(422, "Validation Failed: body is too long (maximum is 65536 characters)")
    return body
