"""Every request we make and every answer of the fake, held against GitHub's own descriptions of its API."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gatebot.github_api.acceptances import acceptances_of
from gatebot.github_api.artifacts import run_artifact
from gatebot.github_api.checks import CheckSpec, finish_check, publish_status, start_check
from gatebot.github_api.client import Client
from gatebot.github_api.comments import publish_comment
from gatebot.github_api.commits import CommitMessage, create_commit, differs_by_exactly, file_at, parent_of
from gatebot.github_api.issues import IssueText, close_issue, closed_by, open_issue, update_issue
from gatebot.github_api.labels import last_labelling, remove_label, role_of
from gatebot.github_api.pull_requests import (
    branch_tip,
    changed_files,
    commit_authors,
    merge_base,
    open_of_branch,
    others_of_head,
    pull_request,
)
from gatebot.github_api.repository import branch_requires, default_branch, has_label
from gatebot.github_api.result_store import download_store, newest_store
from gatebot.github_api.runs import workflow_run
from gatebot.model.json_value import JsonValue, is_object
from gatebot.model.publication import Annotation, CheckOutput, FileChange
from gatebot.render.state import CommentState, encode_state, marker
from tests.fakes.github.description import GraphQl, NotInstalledError, Rest, descriptions
from tests.fakes.github.state import GitHubState, Run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="session")
def described() -> tuple[Rest, GraphQl]:
    cache = Path.home() / ".cache" / "gatebot-tests" / "github"
    try:
        rest, graphql = descriptions(cache)
    except NotInstalledError as error:
        pytest.skip(f"GitHub's descriptions are not here: {error}")
    return Rest(rest), GraphQl(graphql)


def everything(client: Client, hub: GitHubState) -> None:
    """One call of every kind we make."""
    hub.labels.add("gatebot:accept")
    hub.required.add("gatebot / shop")
    hub.roles["alice"] = "maintain"
    head = hub.tip("topic")
    body = f"{marker('shop')}\n{encode_state(CommentState(run_id='1'))}\nred\n"
    publish_comment(client, 1, "shop", [body])
    publish_comment(client, 1, "shop", [body + "again"])
    hub.comment(1, "github-actions[bot]", body)
    publish_comment(client, 1, "shop", [body + "a third time"])
    check = start_check(
        client, CheckSpec("gatebot / shop", head, "gatebot:1:1", "https://example.org/run", "github-actions")
    )
    assert check is not None
    notes = tuple(Annotation("agent.py", f"note {number}", "title") for number in range(60))
    finish_check(client, check, "failure", CheckOutput("red", "summary", "text", notes))
    start_check(
        client, CheckSpec("gatebot / shop", head, "gatebot:2:1", "https://example.org/run", "github-actions")
    )
    publish_status(client, head, "gatebot/shop", "failure", ("red", "https://example.org/run"))
    hub.label(1, "gatebot:accept", "alice")
    last_labelling(client, 1, "gatebot:accept")
    role_of(client, "alice")
    role_of(client, "nobody")
    remove_label(client, 1, "gatebot:accept")
    remove_label(client, 1, "gatebot:accept")
    file_at(client, "golden/price.yaml", head)
    message = CommitMessage("gatebot: accept", "Gatebot-Suite: shop")
    made = create_commit(
        client, "topic", head, message, [FileChange("golden/price.yaml", b"", b"input: x\n")]
    )
    parent_of(client, made)
    assert differs_by_exactly(client, head, made, [FileChange("golden/price.yaml", b"", b"input: x\n")])
    others_of_head(client, pull_request(client, 1))
    commit_authors(client, 1)
    acceptances_of(client, 1, "shop", "github-actions")
    merge_base(client, branch_tip(client, "main"), made)
    changed_files(client, head, made)
    pull_request(client, 1)
    open_of_branch(client, hub.name, "topic")
    hub.artifacts[7] = [(hub.next_id(), "results", b"zip")]
    run_artifact(client, 7, "results")
    hub.runs[7] = Run("pull_request", "topic", made, "mallory/shop")
    workflow_run(client, 7)
    open_of_branch(client, None, "topic")
    store_and_issue(client, hub)
    assert default_branch(client) == "main"
    assert has_label(client, "gatebot:accept")
    assert branch_requires(client, "main", "gatebot / shop")


def store_and_issue(client: Client, hub: GitHubState) -> None:
    """What pushes and schedules ask for."""
    tip = hub.tip("main")
    hub.runs[8] = Run("push", "main", tip)
    hub.artifacts[8] = [(hub.next_id(), "gatebot-base-shop", b"zip")]
    stored = newest_store(client, "shop", "main", tip)
    assert stored is not None
    assert download_store(client, stored) == b"zip"
    text = IssueText("changed", "<!-- marker -->\nbody")
    issue = open_issue(client, text, "github-actions")
    update_issue(client, issue, IssueText("changed", "<!-- marker -->\nbody again"))
    open_issue(client, text, "github-actions")
    close_issue(client, issue, text)
    assert closed_by(client, issue) == "github-actions[bot]"


def test_requests_and_answers_are_githubs(
    client: Client, hub: GitHubState, described: tuple[Rest, GraphQl]
) -> None:
    rest, _ = described
    everything(client, hub)
    wrong: list[str] = []
    seen: set[tuple[str, str]] = set()
    for one in hub.log:
        if not one.path.startswith("/api/v3/"):
            continue
        path = one.path.removeprefix("/api/v3")
        wrong += rest.faults(one.method, path, one.status, one.body, one.answer)
        seen.add((one.method, re.sub(r"[0-9a-f]{40}|\d+", "N", path)))
    assert not wrong, "\n".join(sorted(set(wrong)))
    assert len(seen) >= 22


def test_a_wrong_request_would_show(described: tuple[Rest, GraphQl]) -> None:
    rest, _ = described
    path = "/repos/acme/shop/check-runs"
    assert rest.faults("POST", path, 201, {"name": "x", "head_sha": "y", "conclusion": "green"}, {})
    assert rest.faults("POST", path, 201, {"name": "x"}, {})
    assert rest.faults("POST", path, 201, {"name": "x", "head_sha": "y"}, {"conclusions": 1})
    assert rest.faults("POST", "/repos/acme/shop/no-such-thing", 200, {}, {})
    assert rest.faults("PATCH", "/repos/acme/shop/issues/comments/1", 200, {"text": "x"}, {})


TYPES = {"repository": "Repository", "pullRequest": "PullRequest"}


def test_our_documents_name_what_the_schema_has(
    client: Client, hub: GitHubState, described: tuple[Rest, GraphQl]
) -> None:
    _, schema = described
    everything(client, hub)
    sent = [one.body for one in hub.log if one.path == "/api/graphql"]
    documents = {str(body["query"]) for body in sent if is_object(body)}
    assert len(documents) == 3
    wanted = {
        "Query": {"repository"},
        "Repository": {"pullRequest"},
        "PullRequest": {"comments"},
        "IssueCommentConnection": {"pageInfo", "nodes"},
        "PageInfo": {"hasNextPage", "endCursor"},
        "IssueComment": {"id", "databaseId", "body", "isMinimized", "viewerDidAuthor"},
        "Mutation": {"minimizeComment", "createCommitOnBranch"},
        "MinimizeCommentPayload": {"minimizedComment"},
        "Minimizable": {"isMinimized"},
        "CreateCommitOnBranchPayload": {"commit"},
        "Commit": {"oid"},
    }
    words = set(re.findall(r"\b[a-z]\w+\b", " ".join(documents)))
    for name, fields in wanted.items():
        assert fields <= set(schema.fields(name)), name
        assert fields <= words, name
    for body in sent:
        assert is_object(body)
        variables = body["variables"]
        if is_object(variables) and "input" in variables:
            assert_input(schema, "CreateCommitOnBranchInput", variables["input"])


def assert_input(schema: GraphQl, name: str, value: JsonValue) -> None:
    """Every key is an input field, every required one is there, all the way down."""
    if isinstance(value, list):
        for item in value:
            assert_input(schema, name, item)
    if not is_object(value):
        return
    known = schema.fields(name)
    assert set(value) <= set(known), name
    assert schema.required(name) <= set(value), name
    for key, inner in value.items():
        assert_input(schema, known[key], inner)
