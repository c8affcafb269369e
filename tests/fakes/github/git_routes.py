"""Routes about whole trees, the commits of a pull request, and the pull requests of a commit."""

from __future__ import annotations

import pygit2

from gatebot.model.json_value import JsonValue
from tests.fakes.github import wire
from tests.fakes.github.routes import Call, route

__all__ = ["get_tree", "pull_commits", "pulls_of_commit"]


@route("GET", r"/git/trees/([0-9a-f]{40})", ("contents", "read"))
def get_tree(call: Call) -> JsonValue:
    repository, found = call.state.repository, list[JsonValue]()

    def walk(tree: pygit2.Tree, prefix: str) -> None:
        for entry in tree:
            path = f"{prefix}{entry.name}"
            kind = "tree" if isinstance(entry, pygit2.Tree) else "blob"
            found.append({"path": path, "mode": f"{entry.filemode:06o}", "type": kind, "sha": str(entry.id)})
            if isinstance(entry, pygit2.Tree):
                walk(entry, f"{path}/")

    walk(repository[pygit2.Oid(hex=call.match.group(1))].peel(pygit2.Tree), "")
    return {"sha": call.match.group(1), "tree": found, "truncated": False}


@route("GET", r"/commits/([0-9a-f]{40})/pulls", ("pull_requests", "read"))
def pulls_of_commit(call: Call) -> JsonValue:
    return [
        wire.pull(call.state, one)
        for one in call.state.pulls.values()
        if call.state.head_of(one) == call.match.group(1)
    ]


@route("GET", r"/pulls/(\d+)/commits", ("pull_requests", "read"))
def pull_commits(call: Call) -> JsonValue:
    state, one = call.state, call.state.pulls[call.number()]
    walker = state.repository.walk(pygit2.Oid(hex=state.head_of(one)), pygit2.enums.SortMode.TOPOLOGICAL)
    walker.hide(pygit2.Oid(hex=state.tip(one.base_ref)))
    found: list[JsonValue] = [
        {
            "sha": str(commit.id),
            "commit": {"message": commit.message},
            "author": {"login": state.authors[str(commit.id)]} if str(commit.id) in state.authors else None,
            "parents": [{"sha": str(parent)} for parent in commit.parent_ids],
        }
        for commit in walker
    ]
    return found[::-1][:250]
