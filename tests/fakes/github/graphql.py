"""The GraphQL subset: comments with viewerDidAuthor, minimizeComment, createCommitOnBranch. Errors come with HTTP 200."""

from __future__ import annotations

import base64

from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object
from tests.fakes.github.state import GitHubState, Token


def answer(state: GitHubState, token: Token, body: JsonObject) -> JsonObject:
    """The answer to one document of ours."""
    query, variables = str(body.get("query")), body.get("variables")
    assert is_object(variables)
    if "createCommitOnBranch" in query:
        return _commit(state, token, variables["input"])
    if "minimizeComment" in query:
        return _minimize(state, token, str(variables["id"]))
    return _comments(state, token, variables)


def _error(kind: str, message: str) -> JsonObject:
    return {"data": None, "errors": [{"type": kind, "message": message, "path": []}]}


def _may(token: Token, *names: str) -> bool:
    return any(token.permissions.get(name) == "write" for name in names)


def _comments(state: GitHubState, token: Token, variables: JsonObject) -> JsonObject:
    if not {"pull_requests", "issues"} & token.permissions.keys():
        return _error("FORBIDDEN", "Resource not accessible by integration")
    mine = [one for one in state.comments if one.number == variables["number"]]
    start = int(str(variables.get("after") or "0"))
    nodes: list[JsonValue] = [
        {
            "id": f"IC_{one.id}",
            "databaseId": one.id,
            "body": one.body,
            "isMinimized": one.minimized,
            "viewerDidAuthor": one.login == token.login,
        }
        for one in mine[start : start + 100]
    ]
    page: JsonObject = {"hasNextPage": start + 100 < len(mine), "endCursor": str(start + 100)}
    return {"data": {"repository": {"pullRequest": {"comments": {"pageInfo": page, "nodes": nodes}}}}}


def _minimize(state: GitHubState, token: Token, node: str) -> JsonObject:
    if not _may(token, "pull_requests", "issues"):
        return _error("FORBIDDEN", "Resource not accessible by integration")
    for one in state.comments:
        if f"IC_{one.id}" == node:
            one.minimized = True
            return {"data": {"minimizeComment": {"minimizedComment": {"isMinimized": True}}}}
    return _error("NOT_FOUND", "Could not resolve to a node")


def _commit(state: GitHubState, token: Token, order: JsonValue) -> JsonObject:
    assert is_object(order)
    branch, changes, message = order["branch"], order["fileChanges"], order["message"]
    assert is_object(branch)
    assert is_object(changes)
    assert is_object(message)
    name = str(branch["branchName"])
    additions = changes["additions"]
    assert is_array(additions)
    files = {
        str(one["path"]): base64.b64decode(str(one["contents"]), validate=True)
        for one in additions
        if is_object(one)
    }
    if not _may(token, "contents") or branch["repositoryNameWithOwner"] != state.name:
        return _error("FORBIDDEN", "Resource not accessible by integration")
    if any(path.startswith(".github/workflows/") for path in files):
        return _error("FORBIDDEN", "refusing to allow a GitHub App to create or update workflow")
    if name in state.protected:
        return _error("UNPROCESSABLE", "Protected branch rules not satisfied for this branch")
    if state.move_before_commit is not None:
        state.commit(state.move_before_commit[0], "somebody pushes", state.move_before_commit[1])
        state.move_before_commit = None
    tip = state.tip(name)
    if order["expectedHeadOid"] != tip:
        told = f'Expected branch to point to "{order["expectedHeadOid"]}" but it did not. Pull and try again.'
        return _error("STALE_DATA", told)
    oid = state.commit(name, f"{message['headline']}\n\n{message['body']}", files)
    return {"data": {"createCommitOnBranch": {"commit": {"oid": oid}}}}
