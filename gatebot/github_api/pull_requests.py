"""Pull requests: the live state, never the payload's."""

from __future__ import annotations

from gatebot.github_api import fields
from gatebot.github_api.client import Client
from gatebot.model.event import PullRequestState
from gatebot.model.json_value import JsonObject, is_object

_REF = 1024
_NAME = 200


def pull_request_from(found: JsonObject, repo: str) -> PullRequestState:
    """A pull request as GitHub writes it, in payloads and answers alike. Raises ApiError."""
    head, base = fields.part(found, "head"), fields.part(found, "base")
    head_repo = head.get("repo")
    return PullRequestState(
        number=fields.number(found, "number"),
        head_sha=fields.sha(head, "sha"),
        head_ref=fields.text(head, "ref", _REF),
        head_repo=fields.text(head_repo, "full_name", _NAME) if is_object(head_repo) else None,
        base_ref=fields.text(base, "ref", _REF),
        base_sha=fields.sha(base, "sha"),
        repo=repo,
        open=found.get("state") == "open",
        draft=fields.flag(found, "draft"),
        author=fields.text_or_empty(fields.part_or_empty(found, "user"), "login", _NAME),
        labels=tuple(fields.text(label, "name", _NAME) for label in fields.parts(found, "labels")),
        updated_at=fields.text_or_empty(found, "updated_at", 40),
    )


def pull_request(client: Client, number: int) -> PullRequestState:
    """The pull request as it is now. Raises ApiError."""
    found = client.get(f"/pulls/{number}")
    if not is_object(found):
        raise fields.malformed("pull request")
    return pull_request_from(found, client.repo)


def open_of_branch(client: Client, head_repo: str | None, branch: str) -> tuple[PullRequestState, ...]:
    """The open pull requests of a branch of that repository; of None, those whose head repository is gone. Raises ApiError."""
    asked = {} if head_repo is None else {"head": f"{head_repo.split('/', 1)[0]}:{branch}"}
    listed = client.pages("/pulls", state="open", **asked)
    found = [pull_request_from(one, client.repo) for one in listed]
    wanted = None if head_repo is None else head_repo.casefold()
    return tuple(
        one
        for one in found
        if one.open
        and one.head_ref == branch
        and (None if one.head_repo is None else one.head_repo.casefold()) == wanted
    )


def others_of_head(client: Client, live: PullRequestState) -> tuple[PullRequestState, ...]:
    """Other open pull requests of exactly this head. Raises ApiError."""
    listed = (pull_request_from(one, client.repo) for one in client.pages(f"/commits/{live.head_sha}/pulls"))
    return tuple(
        one for one in listed if one.open and one.head_sha == live.head_sha and one.number != live.number
    )


def commit_authors(client: Client, number: int) -> frozenset[str]:
    """Logins, in small letters, that GitHub gives the authors and committers of a pull request's commits, merges apart.

    They come from the addresses in the commits, so they can be hidden but prove nothing else. Raises ApiError.
    """
    found: set[str] = set()
    for one in client.pages(f"/pulls/{number}/commits"):
        if len(fields.parts(one, "parents")) < 2:
            people = (fields.part_or_empty(one, role) for role in ("author", "committer"))
            found |= {fields.text_or_empty(person, "login", _NAME).casefold() for person in people}
    return frozenset(found - {""})


def merge_base(client: Client, base: str, head: str) -> str:
    """The merge base of two commits, which need not be in the clone. Raises ApiError."""
    found = client.get(f"/compare/{base}...{head}", per_page="1")
    return fields.sha(fields.part(found, "merge_base_commit"), "sha")


def branch_tip(client: Client, branch: str) -> str:
    """The commit a branch points to now. Raises ApiError."""
    from urllib.parse import quote

    return fields.sha(fields.part(client.get(f"/git/ref/heads/{quote(branch)}"), "object"), "sha")


def changed_files(client: Client, base: str, head: str) -> tuple[str, ...]:
    """Paths changed between two commits, as GitHub lists them (300 at most). Raises ApiError."""
    found = client.get(f"/compare/{base}...{head}")
    if not is_object(found):
        raise fields.malformed("comparison")
    return tuple(fields.text(one, "filename", 4096) for one in fields.parts(found, "files"))
