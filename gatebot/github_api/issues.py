"""Our one open issue of a kind: found by author and marker, written once per change, never two at the same time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from gatebot.github_api import fields
from gatebot.github_api.client import Client
from gatebot.model.json_value import JsonObject, is_object

LOOKED_AT = 500
"""Issues of ours that are looked at, newest first."""


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue of ours, as it is there."""

    number: int
    body: str
    open: bool
    title: str = ""


@dataclass(frozen=True, slots=True)
class IssueText:
    """Title and body; the body's first line is the marker that finds the issue again."""

    title: str
    body: str

    @property
    def marker(self) -> str:
        """The body's first line."""
        return self.body.split("\n", 1)[0]


def our_issues(client: Client, marker: str, app: str) -> tuple[Issue, ...]:
    """The issues that begin with `marker` and that our App wrote, newest first, open or closed. Raises ApiError.

    A person's issue that begins with the marker is theirs: an App's login ends in `[bot]`, which no person's can.
    """
    author = f"{app}[bot]"
    listed = client.pages("/issues", "issue", state="all", creator=author, sort="created", direction="desc")
    found = [_issue(one) for one in islice(listed, LOOKED_AT) if _is_ours(one, marker, author)]
    return tuple(sorted(found, key=lambda one: -one.number))


def open_issue(client: Client, text: IssueText, app: str) -> Issue:
    """Open an issue; where another run has opened one meanwhile, ours is closed as its duplicate. Raises ApiError.

    What comes back is the one that stays: the oldest that is open.
    """

    def already() -> JsonObject | None:
        mine = [one for one in our_issues(client, text.marker, app) if one.open]
        return None if not mine else {"number": mine[-1].number, "body": mine[-1].body, "state": "open"}

    made = _issue(client.create("/issues", {"title": text.title, "body": text.body}, "issue", already))
    there = [one for one in our_issues(client, text.marker, app) if one.open and one.number < made.number]
    if not there:
        return made
    close_issue(client, made, text, duplicate=True)
    return there[-1]


def update_issue(client: Client, issue: Issue, text: IssueText) -> bool:
    """Write title and body unless they are there already; whether something was written. Raises ApiError."""
    if issue.body == text.body and issue.title == text.title:
        return False
    client.change("PATCH", f"/issues/{issue.number}", {"title": text.title, "body": text.body}, "issue")
    return True


def close_issue(client: Client, issue: Issue, text: IssueText, *, duplicate: bool = False) -> None:
    """Close it with a last text, in one write. Raises ApiError."""
    body: JsonObject = {
        "title": text.title,
        "body": text.body,
        "state": "closed",
        "state_reason": "not_planned" if duplicate else "completed",
    }
    client.change("PATCH", f"/issues/{issue.number}", body, "issue")


def closed_by(client: Client, issue: Issue) -> str:
    """Who closed the issue; "" when it is open or GitHub does not say. Raises ApiError."""
    found = client.get(f"/issues/{issue.number}", "issue")
    if not is_object(found) or found.get("state") != "closed":
        return ""
    return fields.text_or_empty(fields.part_or_empty(found, "closed_by"), "login", 200)


def _is_ours(found: JsonObject, marker: str, author: str) -> bool:
    if "pull_request" in found:
        return False
    user = fields.part_or_empty(found, "user")
    body = fields.text_or_empty(found, "body")
    wrote = user.get("login") == author and user.get("type") == "Bot"
    return wrote and body.split("\n", 1)[0].rstrip("\r") == marker


def _issue(found: JsonObject) -> Issue:
    return Issue(
        number=fields.number(found, "number"),
        body=fields.text_or_empty(found, "body"),
        open=found.get("state") == "open",
        title=fields.text_or_empty(found, "title"),
    )
