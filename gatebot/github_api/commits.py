"""One commit through the API: signed by GitHub, only if the branch still is where we saw it. Never forced, never rebased."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from gatebot.github_api import fields
from gatebot.github_api.client import Client
from gatebot.github_api.errors import ApiError
from gatebot.github_api.pull_requests import branch_tip, changed_files
from gatebot.model.json_value import JsonObject
from gatebot.model.publication import FileChange

MAX_FILE_BYTES = 1_000_000
_COMMIT = """mutation($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}"""


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """Headline, and a body whose last lines are trailers."""

    headline: str
    body: str


def file_at(client: Client, path: str, sha: str) -> bytes:
    """A file of a commit. Raises ApiError, `not_found` when it is not there, and `malformed` for what is no small file."""
    found = client.get(f"/contents/{quote(path)}", ref=sha)
    if not isinstance(found, dict) or found.get("type") != "file" or found.get("encoding") != "base64":
        raise fields.malformed(f"file {path!a}")
    try:
        data = base64.b64decode(fields.text(found, "content", 2 * MAX_FILE_BYTES), validate=False)
    except binascii.Error as error:
        raise fields.malformed(f"file {path!a}") from error
    return data


def create_commit(
    client: Client, branch: str, expected: str, message: CommitMessage, changes: Sequence[FileChange]
) -> str:
    """Commit the changes on `branch`, which must still point to `expected`; the new commit's id.

    An attempt whose end is not known is looked up: a commit of ours on top of `expected` is the one. Raises ApiError:
    `conflict` when the branch has moved, `permission` or `invalid` when it may not be written.
    """
    additions: list[JsonObject] = [
        {"path": change.path, "contents": base64.b64encode(change.after).decode("ascii")}
        for change in changes
    ]
    order: JsonObject = {
        "branch": {"repositoryNameWithOwner": client.repo, "branchName": branch},
        "expectedHeadOid": expected,
        "message": {"headline": message.headline, "body": message.body},
        "fileChanges": {"additions": additions},
    }
    try:
        data = client.mutate(_COMMIT, {"input": order}, "commit")
        made = fields.sha(fields.part(fields.part(data, "createCommitOnBranch"), "commit"), "oid")
    except ApiError as error:
        if error.kind not in ("unreachable", "server", "malformed"):
            raise
        there = _ours(client, branch, expected, message)
        if there is None:
            raise
        made = there
    if branch_tip(client, branch) != made:
        raise ApiError("conflict", "the branch has moved on since the commit", "wait for the new run")
    return made


def _ours(client: Client, branch: str, expected: str, message: CommitMessage) -> str | None:
    tip = branch_tip(client, branch)
    found = client.get(f"/git/commits/{tip}")
    if not isinstance(found, dict):
        return None
    parents = [fields.sha(parent, "sha") for parent in fields.parts(found, "parents")]
    written = fields.text_or_empty(found, "message").rstrip()
    same = written == f"{message.headline}\n\n{message.body}".rstrip()
    return tip if parents == [expected] and same else None


def tree_of(client: Client, sha: str) -> str:
    """The id of a commit's tree. Raises ApiError."""
    found = client.get(f"/git/commits/{sha}")
    return fields.sha(fields.part(found, "tree"), "sha")


def differs_by_exactly(client: Client, before: str, after: str, changes: Sequence[FileChange]) -> bool:
    """Whether the trees of two commits differ by these changes, in every path and mode, and by nothing else.

    The whole trees are compared: a comparison of commits lists 300 files at most. Raises ApiError.
    """
    old, new = _entries(client, before), _entries(client, after)
    wanted = {change.path: _blob_id(change.after, after) for change in changes}
    expected = {path: (mode, wanted.get(path, blob)) for path, (mode, blob) in old.items()}
    return set(wanted) <= set(old) and expected == new


def _entries(client: Client, sha: str) -> dict[str, tuple[str, str]]:
    """Path → (mode, id) of every file of a commit."""
    found = client.get(f"/git/trees/{tree_of(client, sha)}", recursive="1")
    if not isinstance(found, dict) or found.get("truncated") is True:
        raise ApiError("malformed", "the tree is too large to be compared")
    return {
        fields.text(one, "path", 4096): (fields.text(one, "mode", 10), fields.sha(one, "sha"))
        for one in fields.parts(found, "tree")
        if one.get("type") != "tree"
    }


def _blob_id(data: bytes, like: str) -> str:
    """The id git gives a file's content, by the hash that the repository's ids are made with."""
    algorithm = hashlib.sha1 if len(like) == 40 else hashlib.sha256
    return algorithm(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def parent_of(client: Client, sha: str) -> tuple[str, str, tuple[str, ...]]:
    """(the only parent, the message, the paths changed) of a commit; ("", message, ()) for a merge. Raises ApiError."""
    found = client.get(f"/git/commits/{sha}")
    if not isinstance(found, dict):
        raise fields.malformed("commit")
    parents = [fields.sha(parent, "sha") for parent in fields.parts(found, "parents")]
    message = fields.text_or_empty(found, "message")
    if len(parents) != 1:
        return "", message, ()
    return parents[0], message, changed_files(client, parents[0], sha)
