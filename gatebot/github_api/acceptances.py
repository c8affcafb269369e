"""Acceptance records: in our check runs on the commits of a branch. The commits' trailers only say where to look."""

from __future__ import annotations

from gatebot.github_api import fields
from gatebot.github_api.checks import Check, checks_on, is_ours
from gatebot.github_api.client import Client
from gatebot.model.acceptance import Acceptance
from gatebot.render.check import check_name, read_acceptance

SUITE_TRAILER = "Gatebot-Suite"


def our_check(client: Client, sha: str, suite: str, app: str) -> Check | None:
    """The newest check run of the suite on a commit that our App made. Raises ApiError."""
    for check in checks_on(client, sha, check_name(suite)):
        if is_ours(check, app):
            return check
    return None


def acceptances_of(client: Client, number: int, suite: str, app: str) -> tuple[Acceptance, ...]:
    """The records of a pull request, oldest first: each from a check of our App on the commit it names. Raises ApiError.

    A record of another pull request, whose accepted commit this one has taken along, is none of its own.
    """
    found: list[Acceptance] = []
    for one in client.pages(f"/pulls/{number}/commits"):
        sha = fields.sha(one, "sha")
        message = fields.text_or_empty(fields.part_or_empty(one, "commit"), "message")
        if f"\n{SUITE_TRAILER}: {suite}" not in message:
            continue
        check = our_check(client, sha, suite, app)
        record = None if check is None else read_acceptance(check.text)
        if record is not None and (record.suite, record.accepted_sha, record.pull_request) == (
            suite,
            sha,
            number,
        ):
            found.append(record)
    return tuple(found)
