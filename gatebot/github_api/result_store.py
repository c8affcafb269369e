"""The base's results as earlier runs left them: an artifact, taken only from a run that no pull request's code had part in.

Anybody whose workflow runs in the repository can upload an artifact of any name. What cannot be made up is which event
started a run, on which branch and commit: GitHub says it. So only runs of `push` and `schedule` on the default branch
count, and only of a commit that is in its history (a tag of the branch's name is a push, too).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from gatebot.github_api import fields
from gatebot.github_api.artifacts import MAX_ARTIFACT_BYTES
from gatebot.github_api.client import Client
from gatebot.github_api.errors import ApiError
from gatebot.github_api.pull_requests import merge_base
from gatebot.model.json_value import JsonObject, is_object

STORE = "gatebot-base"
TRUSTED_EVENTS = frozenset({"push", "schedule"})
LISTED = 300
"""Artifacts of the name that are looked at, newest first: more of them are somebody flooding the list."""
EXAMINED = 5
"""Runs asked about: as many requests at most before the base is simply run."""


@dataclass(frozen=True, slots=True)
class StoreArtifact:
    """The newest artifact of the store that may be believed: its id and run. `passed_over`: newer ones that may not."""

    id: int
    run_id: int
    passed_over: int = 0


def store_name(suite: str) -> str:
    """The artifact's name: one per suite, the newest counts."""
    return f"{STORE}-{suite}"


def newest_store(client: Client, suite: str, branch: str, tip: str) -> StoreArtifact | None:
    """The newest artifact that a trusted run of `branch`, whose tip is `tip`, left behind; None when there is none.

    Raises ApiError: `permission` without `actions: read`, `malformed` for one that is too large.
    """
    name = store_name(suite)
    listed = islice(client.pages("/actions/artifacts", "artifact", "artifacts", name=name), LISTED)
    named = [one for one in listed if one.get("name") == name and one.get("expired") is not True]
    named.sort(key=lambda one: -fields.number(one, "id"))
    examined = 0
    for place, one in enumerate(named):
        if not _may_be(one, branch):
            continue
        examined += 1
        run_id = fields.number(fields.part(one, "workflow_run"), "id")
        if _is_trusted(client, run_id, branch, tip):
            if fields.number(one, "size_in_bytes") > MAX_ARTIFACT_BYTES:
                raise ApiError("malformed", f"the artifact {name!a} is too large")
            return StoreArtifact(fields.number(one, "id"), run_id, place)
        if examined == EXAMINED:
            break
    return None


def download_store(client: Client, found: StoreArtifact) -> bytes:
    """The artifact as a zip. Raises ApiError."""
    return client.download(f"/actions/artifacts/{found.id}/zip", MAX_ARTIFACT_BYTES, "artifact")


def _may_be(artifact: JsonObject, branch: str) -> bool:
    """Whether what the list says of the artifact's run does not rule it out: saves a request for each that it does."""
    run = artifact.get("workflow_run")
    if not is_object(run) or run.get("head_branch") != branch:
        return False
    return run.get("head_repository_id") == run.get("repository_id")


def _is_trusted(client: Client, run_id: int, branch: str, tip: str) -> bool:
    try:
        run = client.get(f"/actions/runs/{run_id}", "artifact")
        if not is_object(run) or run.get("event") not in TRUSTED_EVENTS or run.get("head_branch") != branch:
            return False
        home = fields.text_or_empty(fields.part_or_empty(run, "head_repository"), "full_name", 200)
        sha = fields.sha(run, "head_sha")
        if home.casefold() != client.repo.casefold():
            return False
        return sha == tip or merge_base(client, sha, tip) == sha
    except ApiError as error:
        if error.kind in ("not_found", "malformed"):
            return False  # a run that was deleted, a commit that is gone after a force-push
        raise
