"""Workflow runs, as GitHub itself tells them: what no artifact may say about the run it came from."""

from __future__ import annotations

from dataclasses import dataclass

from gatebot.github_api import fields
from gatebot.github_api.client import Client
from gatebot.model.json_value import is_object

_NAME = 200
_REF = 1024


@dataclass(frozen=True, slots=True)
class Run:
    """A run: which event started it, on which head, by which workflow file, and who started this attempt.

    `head_repo` None: it was deleted. `path` is the workflow's file, `title` what the run is called. `actor` started the
    first attempt, `by` the newest one. `conclusion` is how it ended, "" while it has not.
    """

    id: int
    attempt: int
    event: str
    status: str
    head_sha: str
    head_branch: str
    head_repo: str | None
    path: str
    title: str
    actor: str
    by: str
    conclusion: str


def workflow_run(client: Client, run_id: int) -> Run:
    """The run as it is now. Raises ApiError."""
    found = client.get(f"/actions/runs/{run_id}", "artifact")
    if not is_object(found):
        raise fields.malformed("workflow run")
    head = found.get("head_repository")
    actor = fields.text_or_empty(fields.part_or_empty(found, "actor"), "login", _NAME)
    return Run(
        id=fields.number(found, "id"),
        attempt=fields.number(found, "run_attempt"),
        event=fields.text(found, "event", _NAME),
        status=fields.text_or_empty(found, "status", _NAME),
        head_sha=fields.sha(found, "head_sha"),
        head_branch=fields.text_or_empty(found, "head_branch", _REF),
        head_repo=fields.text(head, "full_name", _NAME) if is_object(head) else None,
        path=fields.text_or_empty(found, "path", _REF).partition("@")[0],
        title=fields.text_or_empty(found, "display_title", _REF),
        actor=actor,
        by=fields.text_or_empty(fields.part_or_empty(found, "triggering_actor"), "login", _NAME) or actor,
        conclusion=fields.text_or_empty(found, "conclusion", _NAME),
    )
