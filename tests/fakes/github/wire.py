"""State as GitHub's JSON."""

from __future__ import annotations

import pygit2

from gatebot.model.json_value import JsonObject, JsonValue
from tests.fakes.github.state import CheckRun, Comment, GitHubState, Pull


def user(login: str) -> JsonObject:
    """A person or bot."""
    return {"login": login, "type": "Bot" if login.endswith("[bot]") else "User", "id": 1}


def pull(state: GitHubState, one: Pull) -> JsonObject:
    """A pull request."""
    head_repo: JsonValue = {"full_name": one.head_repo} if one.head_repo else None
    return {
        "number": one.number,
        "state": one.state,
        "draft": one.draft,
        "locked": one.locked,
        "user": user(one.author),
        "labels": [{"name": name} for name in one.labels],
        "head": {"sha": state.head_of(one), "ref": one.head_ref, "repo": head_repo},
        "base": {"sha": state.tip(one.base_ref), "ref": one.base_ref, "repo": {"full_name": state.name}},
    }


def comment(one: Comment) -> JsonObject:
    """A comment, as REST has it."""
    return {"id": one.id, "node_id": f"IC_{one.id}", "body": one.body, "user": user(one.login)}


def check(one: CheckRun) -> JsonObject:
    """A check run."""
    return {
        "id": one.id,
        "name": one.name,
        "head_sha": one.head_sha,
        "external_id": one.external_id,
        "details_url": one.details_url,
        "status": one.status,
        "conclusion": one.conclusion,
        "output": {
            "title": one.title,
            "summary": one.summary,
            "text": one.text,
            "annotations_count": len(one.annotations),
        },
        "app": {"id": 15368, "slug": one.app},
    }


def git_commit(repository: pygit2.Repository, sha: str) -> JsonObject:
    """A commit of the git database."""
    commit = repository[pygit2.Oid(hex=sha)].peel(pygit2.Commit)
    return {
        "sha": str(commit.id),
        "message": commit.message,
        "tree": {"sha": str(commit.tree_id)},
        "parents": [{"sha": str(parent)} for parent in commit.parent_ids],
    }
