"""The one comment of a suite on a pull request: found over all pages by author and marker, edited in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gatebot.github_api import fields
from gatebot.github_api.client import MAX_PAGES, Client
from gatebot.github_api.errors import ApiError
from gatebot.model.json_value import JsonObject
from gatebot.render.state import CommentState, decode_state, marker

Written = Literal["created", "updated", "older", "unchanged", "none"]

_LIST = """query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    comments(first: 100, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id databaseId body isMinimized viewerDidAuthor }
    } } }
}"""
_MINIMIZE = """mutation($id: ID!) {
  minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { minimizedComment { isMinimized } }
}"""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of ours. `node` is its GraphQL id."""

    id: int
    node: str
    body: str
    minimized: bool


def our_comments(client: Client, number: int, suite: str) -> list[Comment]:
    """Our comments of the suite, oldest first: we wrote them, and they begin with the marker. Raises ApiError."""
    owner, name = client.repo.split("/")
    first = marker(suite)
    found: list[Comment] = []
    after: str | None = None
    for _ in range(MAX_PAGES):
        data = client.query(_LIST, {"owner": owner, "name": name, "number": number, "after": after})
        comments = fields.part(fields.part(fields.part(data, "repository"), "pullRequest"), "comments")
        for node in fields.parts(comments, "nodes"):
            body = fields.text(node, "body")
            if fields.flag(node, "viewerDidAuthor") and body.split("\n", 1)[0].rstrip("\r") == first:
                found.append(
                    Comment(
                        fields.number(node, "databaseId"),
                        fields.text(node, "id", 200),
                        body,
                        fields.flag(node, "isMinimized"),
                    )
                )
        page = fields.part(comments, "pageInfo")
        if not fields.flag(page, "hasNextPage"):
            return sorted(found, key=lambda one: one.id)
        after = fields.text(page, "endCursor", 1000)
    raise ApiError("malformed", "this pull request has more comments than can be read")


def publish_comment(
    client: Client, number: int, suite: str, ladder: Sequence[str], *, create: bool = True
) -> Written:
    """Write the comment: the first form of `ladder` that GitHub takes. Raises ApiError.

    An evaluation never overwrites a newer one (by run and attempt). `create`: whether there is enough to say for a
    comment where there is none. One that a person minimised is updated as it lies; duplicates are minimised.
    """
    found = our_comments(client, number, suite)
    target = _target(found)
    if target is not None and _newer(decode_state(target.body), decode_state(ladder[0])):
        return "older"
    if target is not None and target.body == ladder[0]:
        return "unchanged"
    outcome: Written = "updated"
    try:
        if target is None:
            if not create:
                return "none"
            outcome = _create(client, number, suite, ladder)
            found = our_comments(client, number, suite)
            target = _target(found)
        else:
            _edit(client, target, ladder)
    except ApiError as error:
        if error.kind != "not_found" or target is None:
            raise
        outcome = _create(client, number, suite, ladder)
    for one in found:
        if target is not None and one.id != target.id and not one.minimized:
            client.mutate(_MINIMIZE, {"id": one.node}, "comment")
    return outcome


def _target(found: Sequence[Comment]) -> Comment | None:
    """The comment to edit: the newest that nobody minimised, else the newest."""
    shown = [one for one in found if not one.minimized]
    return (shown or list(found) or [None])[-1]


def _newer(there: CommentState | None, ours: CommentState | None) -> bool:
    return there is not None and ours is not None and _order(there) > _order(ours)


def _order(state: CommentState) -> tuple[int, int]:
    return (int(state.run_id) if state.run_id.isdecimal() else 0, state.attempt)


def _create(client: Client, number: int, suite: str, ladder: Sequence[str]) -> Written:
    def already() -> JsonObject | None:
        there = our_comments(client, number, suite)
        return {"id": there[-1].id} if there else None

    def post(body: str) -> None:
        client.create(f"/issues/{number}/comments", {"body": body}, "comment", already)

    for body in ladder[:-1]:
        try:
            post(body)
        except ApiError as error:
            if error.kind != "invalid":
                raise
        else:
            return "created"
    post(ladder[-1])
    return "created"


def _edit(client: Client, target: Comment, ladder: Sequence[str]) -> None:
    for body in ladder[:-1]:
        try:
            client.change("PATCH", f"/issues/comments/{target.id}", {"body": body}, "comment")
        except ApiError as error:
            if error.kind != "invalid":
                raise
        else:
            return
    client.change("PATCH", f"/issues/comments/{target.id}", {"body": ladder[-1]}, "comment")
